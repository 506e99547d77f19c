#include "grading/worker/trace_text.hpp"

#include <bit>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "common/base/json.hpp"

namespace tilewise::simt {

using Json = nlohmann::json;

// Requests are written as lists rather than objects, because a call makes tens of thousands of
// them.
static void to_json(Json& json, const TracedRequest& request) {
  json = {static_cast<int>(request.action),
          request.shared ? 1 : 0,
          request.interval,
          request.warp,
          request.site,
          request.bytes,
          request.lanes,
          request.cost,
          request.detail,
          request.at,
          request.words};
}

static void from_json(const Json& json, TracedRequest& request) {
  const auto number = [&](std::size_t i) { return json.at(i).get<std::uint32_t>(); };
  if (number(0) > 2) throw std::invalid_argument("a request does what no request does");
  request.action = static_cast<TracedRequest::Action>(number(0));
  request.shared = number(1) != 0;
  request.interval = number(2);
  request.warp = number(3);
  request.site = number(4);
  request.bytes = number(5);
  request.lanes = number(6);
  request.cost = number(7);
  request.detail = number(8);
  json.at(9).get_to(request.at);
  json.at(10).get_to(request.words);
}

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(TracedSite, file, line)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(TracedArray, name, start, element_bytes, extents)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(BlockTrace, number, intervals, cut, requests)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(LaunchRecord, kernel, grid, block, dynamic_shared_bytes, file,
                                   line)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(KernelTrace, launch, sites, arrays, blocks)

}  // namespace tilewise::simt

namespace tilewise::grading {

using Json = nlohmann::json;

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(PlacedBuffer, name, place)

namespace {

void demand(bool holds, const char* what) {
  if (!holds) throw std::invalid_argument(what);
}

constexpr std::uint32_t largest_block = 1024;
/// An element may be a structure of arrays, and no block has more shared memory than this.
constexpr std::uint32_t largest_element = 256 << 10;

void demand_possible(const simt::TracedRequest& request, const simt::KernelTrace& kernel,
                     const simt::BlockTrace& block) {
  const auto lanes = static_cast<std::size_t>(std::popcount(request.lanes));
  demand(request.site < kernel.sites.size(), "a request comes from nowhere");
  demand(request.interval < block.intervals, "a request comes after its block's end");
  demand(request.warp < largest_block / 32, "a block has too many warps");
  demand(std::has_single_bit(request.bytes) && request.bytes <= 16, "an access has no size");
  demand(lanes > 0 && request.at.size() == lanes, "a request has lanes without addresses");
  const std::size_t words = std::size_t{request.bytes < 4 ? 1 : request.bytes / 4} * lanes;
  demand(request.words.empty() || request.words.size() == words, "a store has too few words");
}

void demand_possible(const simt::KernelTrace& kernel) {
  std::uint64_t blocks = 1, threads = 1;
  for (int i = 0; i < 3; ++i) {
    demand(kernel.launch.grid[i] > 0 && kernel.launch.block[i] > 0, "a launch has no threads");
    blocks *= kernel.launch.grid[i];
    threads *= kernel.launch.block[i];
    demand(blocks < std::uint64_t{1} << 53, "a grid is too large");
    demand(threads <= largest_block, "a block is too large");
  }
  demand(kernel.blocks.size() <= simt::most_traced_blocks, "too many blocks left a trace");
  for (const simt::TracedArray& array : kernel.arrays) {
    demand(array.element_bytes > 0 && array.element_bytes <= largest_element,
           "an array has no elements, or too large ones");
  }
  for (const simt::BlockTrace& block : kernel.blocks) {
    demand(block.number < blocks, "a block lies outside of its grid");
    for (const simt::TracedRequest& request : block.requests) {
      demand_possible(request, kernel, block);
    }
  }
}

}  // namespace

std::string encode_trace(const TraceText& trace, std::size_t most_bytes) {
  std::string text = "{\"buffers\":" + core::json_text(Json(trace.buffers)) + ",\"kernels\":[";
  const std::size_t begin = text.size();
  const std::string end = "]}";
  if (begin + end.size() > most_bytes) return "";
  for (const simt::KernelTrace& kernel : trace.kernels) {
    const std::string more = (text.size() > begin ? "," : "") + core::json_text(Json(kernel));
    if (text.size() + more.size() + end.size() > most_bytes) break;
    text += more;
  }
  return text + end;
}

TraceText decode_trace(std::string_view text, std::string& problem) {
  try {
    const Json json = Json::parse(text);
    TraceText trace;
    json.at("buffers").get_to(trace.buffers);
    json.at("kernels").get_to(trace.kernels);
    demand(trace.kernels.size() <= simt::most_traced_launches, "too many launches left a trace");
    for (const simt::KernelTrace& kernel : trace.kernels) demand_possible(kernel);
    return trace;
  } catch (const std::exception& error) {
    problem = error.what();
    return {};
  }
}

}  // namespace tilewise::grading
