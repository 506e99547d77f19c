#include "grading/trace/figure_parts.hpp"

#include <fmt/format.h>

#include <set>
#include <tuple>

#include "grading/trace/cannot_trace.hpp"

namespace tilewise::grading {

std::string describe(const ThreadIndex& index) {
  if (index.z != 0) return fmt::format("({}, {}, {})", index.x, index.y, index.z);
  return fmt::format("({}, {})", index.x, index.y);
}

std::string source_of(const Trace& trace, const TraceKernel& kernel, const TraceRequest& request) {
  const simt::TracedSite& site = kernel.sites[request.made.site];
  const auto file = trace.sources.find(site.file);
  if (file == trace.sources.end() || site.line < 1 ||
      static_cast<std::size_t>(site.line) > file->second.size()) {
    return "";
  }
  const std::string& line = file->second[static_cast<std::size_t>(site.line) - 1];
  const std::size_t begin = line.find_first_not_of(" \t");
  return begin == line.npos ? "" : line.substr(begin);
}

std::string place_of(const TraceKernel& kernel, const TraceRequest& request) {
  const simt::TracedSite& site = kernel.sites[request.made.site];
  return fmt::format("{}:{}", site.file, site.line);
}

std::string name_of(const std::vector<TraceMatrix>& matrices, ElementNumber element) {
  const Element found = element_of(matrices, element);
  return fmt::format("{}[{}][{}]", matrices[static_cast<std::size_t>(found.matrix)].name, found.row,
                     found.col);
}

namespace {

/// Of two that cost the same a load weighs more, since threads wait for it; of two loads the one
/// from more places.
std::tuple<std::uint32_t, bool, std::size_t> weight(const TraceRequest& request) {
  const bool loads = request.made.action == simt::TracedRequest::Action::load;
  return {request.made.cost, loads,
          std::set(request.made.at.begin(), request.made.at.end()).size()};
}

}  // namespace

FoundRequest costliest_request(const Trace& trace, const FigureChoice& choice, bool shared) {
  FoundRequest found;
  for (const TraceKernel& kernel : trace.kernels) {
    for (const TraceBlock& block : kernel.blocks) {
      for (const TraceRequest& request : block.requests) {
        const int interval = static_cast<int>(request.made.interval);
        const bool asked_for = !choice.intervals || (interval >= choice.intervals->first &&
                                                     interval <= choice.intervals->last);
        if (request.made.shared != shared || !asked_for) continue;
        if (!shared && request.matrix < 0) continue;
        if (found.request == nullptr || weight(request) > weight(*found.request)) {
          found = {&kernel, &block, &request};
        }
      }
    }
    if (found.request != nullptr) return found;
  }
  throw CannotTrace(fmt::format("{} makes no request to {} memory{}; there is nothing to draw.",
                                trace.call, shared ? "shared" : "device",
                                choice.intervals ? " in these intervals" : ""));
}

int draw_head(Svg& svg, const std::string& title, const std::string& where) {
  svg.text(figure_margin, figure_margin + 14, "big", title);
  svg.text(figure_margin, figure_margin + 34, "soft", where);
  return figure_margin + 52;
}

std::string describe(const FoundRequest& found) {
  return fmt::format("Warp {} of block {}, interval {}, {}", found.request->made.warp,
                     describe(block_index(found.kernel->launch, found.block->number)),
                     found.request->made.interval, place_of(*found.kernel, *found.request));
}

std::string draw_figure(const Trace& trace, const FigureChoice& choice) {
  switch (choice.view) {
    case FigureView::sectors:
      return draw_sectors(trace, choice);
    case FigureView::banks:
      return draw_banks(trace, choice);
    case FigureView::partitions:
      return draw_partitions(trace);
    case FigureView::matrices:
      break;
  }
  return draw_matrices(trace, choice);
}

}  // namespace tilewise::grading
