#include "grading/trace/touched.hpp"

#include <bit>

namespace tilewise::grading {
namespace {

using Action = simt::TracedRequest::Action;

void note_global(const TraceMatrix& matrix, const TraceRequest& request, TouchedElements& touched) {
  std::size_t nth = 0;
  for (std::uint32_t lanes = request.made.lanes; lanes != 0; lanes &= lanes - 1, ++nth) {
    const auto lane = static_cast<std::uint32_t>(std::countr_zero(lanes));
    if ((request.outside >> lane & 1u) != 0) continue;
    const std::int64_t offset = request.offset(matrix, nth);
    const std::uint32_t thread = request.made.warp * 32 + lane;
    for (std::int64_t at = offset; at < offset + request.made.bytes; at += matrix.element_bytes) {
      const auto element = matrix.first + static_cast<ElementNumber>(at / matrix.element_bytes);
      if (request.made.action != Action::store) touched.loaded[element].insert(thread);
      if (request.made.action != Action::load) touched.written[element].insert(thread);
    }
  }
}

void note_shared(const TraceRequest& request, TouchedElements& touched) {
  if (request.made.action == Action::store || request.origins.empty()) return;
  const std::size_t words = request.origins.size() / request.made.at.size();
  std::size_t nth = 0;
  for (std::uint32_t lanes = request.made.lanes; lanes != 0; lanes &= lanes - 1) {
    const auto lane = static_cast<std::uint32_t>(std::countr_zero(lanes));
    for (std::size_t i = 0; i < words; ++i, ++nth) {
      const ElementNumber origin = request.origins[nth];
      if (origin != no_element) touched.used[origin].insert(request.made.warp * 32 + lane);
    }
  }
}

}  // namespace

TouchedElements touched_elements(const Trace& trace, const TraceBlock& block, Intervals intervals) {
  TouchedElements touched;
  for (const TraceRequest& request : block.requests) {
    const int interval = static_cast<int>(request.made.interval);
    if (interval < intervals.first || interval > intervals.last) continue;
    if (request.made.shared) {
      note_shared(request, touched);
    } else if (request.matrix >= 0) {
      note_global(trace.matrices[static_cast<std::size_t>(request.matrix)], request, touched);
    }
  }
  return touched;
}

}  // namespace tilewise::grading
