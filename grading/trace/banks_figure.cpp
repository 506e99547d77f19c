// One request of a warp to shared memory: which lane wants which word of which bank.

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <map>
#include <set>

#include "common/gpu/capability.hpp"
#include "grading/trace/figure_parts.hpp"

namespace tilewise::grading {
namespace {

constexpr int cell = 22, row_height = 17, row_names = 150;

/// Lanes by word of shared memory.
std::map<std::uint32_t, std::set<std::uint32_t>> lanes_by_word(const TraceRequest& request) {
  std::map<std::uint32_t, std::set<std::uint32_t>> words;
  std::size_t nth = 0;
  for (std::uint32_t lanes = request.made.lanes; lanes != 0; lanes &= lanes - 1, ++nth) {
    const auto lane = static_cast<std::uint32_t>(std::countr_zero(lanes));
    for (std::uint32_t byte = 0; byte < request.made.bytes; byte += 4) {
      words[(request.made.at[nth] + byte) / 4].insert(lane);
    }
  }
  return words;
}

/// "elements[3][0]", the element at a word.
std::string name_of_word(const TraceKernel& kernel, std::uint32_t word) {
  const simt::TracedArray* array = nullptr;
  for (const simt::TracedArray& one : kernel.arrays) {
    if (one.start <= word * 4) array = &one;
  }
  if (array == nullptr) return fmt::format("byte {}", word * 4);
  std::size_t index = (word * 4 - array->start) / array->element_bytes;
  std::string name;
  for (std::size_t i = array->extents.size(); i-- > 0;) {
    const std::size_t extent = std::max<std::size_t>(1, array->extents[i]);
    name = fmt::format("[{}]", i == 0 ? index : index % extent) + name;
    index /= extent;
  }
  return array->name + name;
}

/// Banks that have several words to give at once: on 1.x to a half-warp. Wide accesses take turns,
/// and are no conflict by that.
std::set<std::uint32_t> banks_in_conflict(
    const Trace& trace, const TraceRequest& request,
    const std::map<std::uint32_t, std::set<std::uint32_t>>& words) {
  std::set<std::uint32_t> busy;
  if (request.made.detail == 0) return busy;
  const auto lanes_at_once =
      static_cast<std::uint32_t>(core::capability_of(trace.gpu).lanes_at_once());
  for (std::uint32_t first = 0; first < 32; first += lanes_at_once) {
    std::set<std::uint32_t> seen;
    for (const auto& [word, lanes] : words) {
      const auto lane = lanes.lower_bound(first);
      if (lane == lanes.end() || *lane >= first + lanes_at_once) continue;
      const std::uint32_t bank = word % static_cast<std::uint32_t>(trace.gpu.banks);
      if (!seen.insert(bank).second) busy.insert(bank);
    }
  }
  return busy;
}

std::string describe_lanes(const std::set<std::uint32_t>& lanes) {
  if (lanes.size() == 1) return std::to_string(*lanes.begin());
  return fmt::format("x{}", lanes.size());
}

}  // namespace

std::string draw_banks(const Trace& trace, const FigureChoice& choice) {
  const FoundRequest found = costliest_request(trace, choice, true);
  const TraceRequest& request = *found.request;
  const auto banks = static_cast<std::uint32_t>(trace.gpu.banks);
  const auto words = lanes_by_word(request);
  std::set<std::uint32_t> rows;
  for (const auto& [word, lanes] : words) rows.insert(word / banks);
  const std::set<std::uint32_t> busy = banks_in_conflict(trace, request, words);

  Svg svg;
  int y = draw_head(svg, trace.call, describe(found));
  svg.text(figure_margin, y + 4, "mono", source_of(trace, *found.kernel, request));
  const bool loads = request.made.action == simt::TracedRequest::Action::load;
  svg.text(figure_margin, y + 28, request.made.detail > 0 ? "bold bad" : "bold",
           fmt::format("{} lanes {} {} words: {} wavefront{}, {}.",
                       std::popcount(request.made.lanes), loads ? "load" : "store", words.size(),
                       request.made.cost, request.made.cost == 1 ? "" : "s",
                       request.made.detail > 0
                           ? fmt::format("{} of them by bank conflicts", request.made.detail)
                           : "no bank conflict"));
  y += 62;
  const int left = figure_margin + row_names;
  svg.text(left - 10, y - 6, "small soft end", "bank");
  for (std::uint32_t bank = 0; bank < banks; ++bank) {
    const bool conflict = busy.contains(bank);
    svg.text(left + static_cast<int>(bank) * cell + cell / 2, y - 6,
             conflict ? "small mid bad bold" : "small mid soft", std::to_string(bank));
  }
  for (const std::uint32_t row : rows) {
    svg.text(left - 10, y + 12, "small mono end", name_of_word(*found.kernel, row * banks));
    svg.rect(left, y, static_cast<int>(banks) * cell - 1, row_height - 1, "cell");
    for (std::uint32_t bank = 0; bank < banks; ++bank) {
      const int x = left + static_cast<int>(bank) * cell;
      const auto lanes = words.find(row * banks + bank);
      if (lanes == words.end()) continue;
      svg.rect(x, y, cell - 1, row_height - 1, busy.contains(bank) ? "bad" : "t0");
      svg.text(x + cell / 2, y + 12, "small mid on", describe_lanes(lanes->second));
    }
    y += row_height;
  }
  svg.text(figure_margin, y + 22, "soft",
           "A number is the lane that wants the word, x8 that eight lanes share it. A row is what "
           "the banks hold at one address.");
  return svg.finish(fmt::format("{}: {} wavefronts for one request to shared memory", trace.call,
                                request.made.cost));
}

}  // namespace tilewise::grading
