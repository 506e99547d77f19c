#include "grading/trace/trace_page.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <vector>

#include "common/gpu/capability.hpp"
#include "grading/page/render.hpp"
#include "grading/results/files.hpp"
#include "grading/results/result.hpp"

namespace tilewise::grading {
namespace {

using Json = nlohmann::ordered_json;

/// Encodes numbers as runs. Lanes access rows of a block or of a matrix, so that a few runs
/// describe all of them.
Json runs_of(const std::vector<std::int64_t>& numbers) {
  Json runs = Json::array();
  for (std::size_t i = 0; i < numbers.size();) {
    const std::int64_t step = i + 1 < numbers.size() ? numbers[i + 1] - numbers[i] : 0;
    std::size_t end = i + 1;
    while (end < numbers.size() && numbers[end] - numbers[end - 1] == step) ++end;
    runs.insert(runs.end(), {numbers[i], step, end - i});
    i = end;
  }
  return runs;
}

Json to_value(const TraceRequest& request, const std::vector<TraceMatrix>& matrices) {
  const simt::TracedRequest& made = request.made;
  std::int64_t base = 0;
  if (request.matrix >= 0) base = matrices[static_cast<std::size_t>(request.matrix)].place;
  std::vector<std::int64_t> at;
  for (const std::uint32_t place : made.at) at.push_back(place - base);
  Json origins = 0;
  if (made.shared) origins = runs_of({request.origins.begin(), request.origins.end()});
  return Json::array({static_cast<int>(made.action), made.shared ? 1 : 0, made.interval,
                      request.step, made.warp, made.site, made.bytes, made.lanes, made.cost,
                      made.detail, request.matrix, runs_of(at), std::move(origins), request.outside,
                      request.racing});
}

Json to_value(const TraceBlock& block, const TraceKernel& kernel,
              const std::vector<TraceMatrix>& matrices) {
  Json requests = Json::array();
  for (const TraceRequest& request : block.requests) {
    requests.push_back(to_value(request, matrices));
  }
  return {{"index", block_index(kernel.launch, block.number)},
          {"intervals", block.intervals},
          {"cut", block.cut},
          {"requests", std::move(requests)}};
}

Json to_value(const TraceKernel& kernel, const std::vector<TraceMatrix>& matrices) {
  Json sites = Json::array(), arrays = Json::array(), blocks = Json::array(), partitions;
  for (const simt::TracedSite& site : kernel.sites) {
    sites.push_back({{"file", site.file}, {"line", site.line}});
  }
  for (const simt::TracedArray& array : kernel.arrays) {
    arrays.push_back({{"name", array.name},
                      {"start", array.start},
                      {"element_bytes", array.element_bytes},
                      {"extents", array.extents}});
  }
  for (const simt::PartitionBytes& block : kernel.partitions) {
    partitions.push_back(Json::array({block.loads, block.stores}));
  }
  for (const TraceBlock& block : kernel.blocks) blocks.push_back(to_value(block, kernel, matrices));
  return {{"name", kernel.launch.kernel}, {"file", kernel.launch.file},
          {"line", kernel.launch.line},   {"grid", kernel.launch.grid},
          {"block", kernel.launch.block}, {"sites", std::move(sites)},
          {"arrays", std::move(arrays)},  {"partitions", std::move(partitions)},
          {"blocks", std::move(blocks)}};
}

/// Escapes JSON for a <script>, so that nothing in it ends the script or begins a comment.
std::string embedded(std::string json) {
  for (std::size_t at = json.find('<'); at != json.npos; at = json.find('<', at)) {
    json.replace(at, 1, "\\u003c");
  }
  return json;
}

}  // namespace

Json trace_document(const Trace& trace) {
  const core::GpuProfile& gpu = trace.gpu;
  const core::Capability& capability = core::capability_of(gpu);
  Json document = {{"schema", "tilewise/trace/v1"}, {"stage", trace.stage}, {"call", trace.call}};
  document["gpu"] = {{"id", gpu.id},
                     {"name", gpu.name},
                     {"compute", fmt::format("{}.{}", gpu.compute_major, gpu.compute_minor)},
                     {"banks", gpu.banks},
                     {"half_warps", capability.serves_half_warps},
                     {"partitions", capability.partitions_in_turns ? simt::dram_partitions : 0}};
  for (const TraceMatrix& matrix : trace.matrices) {
    document["matrices"].push_back({{"name", matrix.name},
                                    {"rows", matrix.rows},
                                    {"cols", matrix.cols},
                                    {"ld", matrix.leading_dimension},
                                    {"element_bytes", matrix.element_bytes},
                                    {"read_only", matrix.read_only},
                                    {"place", matrix.place}});
  }
  document["sources"] = Json::array();
  for (const auto& [file, lines] : trace.sources) {
    document["sources"].push_back({{"file", file}, {"lines", lines}});
  }
  document["findings"] = Json::array();
  for (const Finding& finding : trace.findings) {
    document["findings"].push_back({{"kind", finding.kind},
                                    {"message", finding.message},
                                    {"file", finding.file},
                                    {"line", finding.line},
                                    {"other_file", finding.other_file},
                                    {"other_line", finding.other_line}});
  }
  document["launches"] = trace.launches;
  document["kernels"] = Json::array();
  for (const TraceKernel& kernel : trace.kernels) {
    document["kernels"].push_back(to_value(kernel, trace.matrices));
  }
  return document;
}

std::string trace_page(const Trace& trace, const std::filesystem::path& course) {
  const std::filesystem::path file = course / "tools/page/trace.html";
  std::string page = text_of(file);
  constexpr std::string_view place = "{\"schema\":\"none\"}";
  const std::size_t at = page.find(place);
  if (at == page.npos) {
    throw std::runtime_error(file.string() + " is missing or has no place for a trace");
  }
  Json document = trace_document(trace);
  if (Json words = words_of_pages(); !words.is_null()) document["words"] = std::move(words);
  return page.replace(at, place.size(), embedded(to_line(document)));
}

std::string draw_figure(const Trace& trace, const FigureChoice& choice) {
  Json chosen = {{"view", choice.view},
                 {"intervals", nullptr},
                 {"threads", choice.threads},
                 {"most_blocks", simt::most_block_runs}};
  if (choice.intervals) chosen["intervals"] = *choice.intervals;
  return render("figure", {{"trace", trace_document(trace)}, {"choice", std::move(chosen)}});
}

}  // namespace tilewise::grading
