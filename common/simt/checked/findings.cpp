#include "common/simt/checked/findings.hpp"

#include <algorithm>
#include <vector>

#include "common/simt/runtime/device.hpp"

namespace tilewise::simt {

namespace {

/// What a block does wrong between two barriers comes in the order that the compiler gave it: it is
/// told in that of the source.
void tell_in_order_of_lines(std::vector<Diagnostic>& found) {
  const auto together = [](const Diagnostic& a, const Diagnostic& b) {
    return a.thread && b.thread && a.kind == b.kind && a.file == b.file &&
           std::ranges::equal(a.thread->block, b.thread->block);
  };
  for (auto begin = found.begin(); begin != found.end();) {
    const auto end = std::find_if_not(
        begin + 1, found.end(), [&](const Diagnostic& next) { return together(*begin, next); });
    std::stable_sort(begin, end, [](const auto& a, const auto& b) { return a.line < b.line; });
    begin = end;
  }
}

}  // namespace

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

void Findings::add(Diagnostic found) {
  const std::lock_guard lock(mutex_);
  const auto [low, high] = std::minmax(found.line, found.other_line);
  if (lines_.size() >= most || !lines_.emplace(found.kind, found.file, low, high).second) return;
  found_.push_back(std::move(found));
}

void Findings::finish_launch() {
  const std::lock_guard lock(mutex_);
  tell_in_order_of_lines(found_);
  for (Diagnostic& found : found_) {
    const auto [low, high] = std::minmax(found.line, found.other_line);
    if (found.kind == "warp-race" && lines_.count({"race", found.file, low, high}) != 0) continue;
    device::record(std::move(found));
  }
  found_.clear();
}

}  // namespace tilewise::simt
