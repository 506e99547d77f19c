#include "common/simt/checked/findings.hpp"

#include <algorithm>
#include <vector>

#include "common/simt/runtime/device.hpp"

namespace tilewise::simt {

Findings& Findings::instance() {
  static Findings* findings = new Findings;  // outlives static destructors that use it
  return *findings;
}

void Findings::start_launch() {
  const std::lock_guard lock(mutex_);
  sites_.clear();
  lines_.clear();
  found_.clear();
}

bool Findings::knows(const std::string& kind, std::uint32_t site, std::uint32_t other_site) {
  const std::lock_guard lock(mutex_);
  return lines_.size() >= most || !sites_.emplace(kind, site, other_site).second;
}

void Findings::add(Diagnostic found, std::optional<unsigned> warp) {
  const std::lock_guard lock(mutex_);
  const auto [low, high] = std::minmax(found.line, found.other_line);
  if (lines_.size() >= most || !lines_.emplace(found.kind, found.file, low, high).second) return;
  found_.push_back({std::move(found), warp});
}

void Findings::order_by_line() {
  const auto together = [](const Found& a, const Found& b) {
    const Diagnostic &one = a.diagnostic, &other = b.diagnostic;
    return a.warp && a.warp == b.warp && one.kind == other.kind && one.file == other.file &&
           std::ranges::equal(one.thread->block, other.thread->block);
  };
  for (auto begin = found_.begin(); begin != found_.end();) {
    const auto end = std::find_if_not(begin + 1, found_.end(),
                                      [&](const Found& next) { return together(*begin, next); });
    std::ranges::stable_sort(begin, end, {}, [](const Found& f) { return f.diagnostic.line; });
    begin = end;
  }
}

void Findings::finish_launch() {
  const std::lock_guard lock(mutex_);
  order_by_line();
  for (auto& [found, warp] : found_) {
    const auto [low, high] = std::minmax(found.line, found.other_line);
    if (found.kind == "warp-race" && lines_.count({"race", found.file, low, high}) != 0) continue;
    device::record(std::move(found));
  }
  found_.clear();
}

}  // namespace tilewise::simt
