#include "common/simt/checks/launch_trace.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "common/simt/recorder/code_address.hpp"
#include "common/simt/recorder/source_lines.hpp"

namespace tilewise::simt {

void LaunchTrace::add(BlockWatch& watch) {
  if (!watch.tracer().traces()) return;
  const std::lock_guard lock(mutex_);
  trace_.blocks.push_back(watch.tracer().take());
  for (TracedArray& array : watch.tracer().arrays(watch.names())) {
    const auto same = [&](const TracedArray& other) { return other.start == array.start; };
    if (std::ranges::none_of(trace_.arrays, same)) trace_.arrays.push_back(std::move(array));
  }
}

KernelTrace LaunchTrace::take(std::uintptr_t code) {
  std::ranges::sort(trace_.blocks, {}, &BlockTrace::number);
  std::ranges::sort(trace_.arrays, {}, &TracedArray::start);
  // In the order of the code, so that numbers of sites repeat from run to run.
  const auto place = [&](std::uint32_t site) { return std::pair(code_address(site, code), site); };
  std::map<std::pair<std::uintptr_t, std::uint32_t>, std::uint32_t> numbers;
  for (const BlockTrace& block : trace_.blocks) {
    for (const TracedRequest& request : block.requests) numbers[place(request.site)] = 0;
  }
  for (auto& [site, number] : numbers) {
    number = static_cast<std::uint32_t>(trace_.sites.size());
    const SourceLine line = source_line(site.first);
    trace_.sites.push_back({line.file, line.line});
  }
  for (BlockTrace& block : trace_.blocks) {
    for (TracedRequest& request : block.requests) request.site = numbers.at(place(request.site));
  }
  return std::move(trace_);
}

}  // namespace tilewise::simt
