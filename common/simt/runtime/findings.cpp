#include "common/simt/runtime/findings.hpp"

#include <algorithm>
#include <utility>

#include "common/simt/runtime/device.hpp"

namespace tilewise::simt {

Findings& Findings::instance() {
  static Findings* findings = new Findings;  // outlives static destructors that use it
  return *findings;
}

void Findings::start_launch() {
  const std::lock_guard lock(mutex_);
  sites_.clear();
  found_.clear();
  added_ = 0;
}

bool Findings::knows(const std::string& kind, std::uint32_t site, std::uint32_t other_site,
                     std::uint32_t block) {
  const std::lock_guard lock(mutex_);
  const auto [lowest, is_new] = sites_.try_emplace({kind, site, other_site}, block);
  if (is_new) return found_.size() >= most;
  if (lowest->second <= block) return true;
  lowest->second = block;
  return false;
}

void Findings::add(Finding found, std::uint32_t block, std::optional<unsigned> warp) {
  const std::lock_guard lock(mutex_);
  const auto [low, high] = std::minmax(found.line, found.other_line);
  const std::tuple place{found.kind, found.file, low, high};
  const auto known = found_.find(place);
  if (known == found_.end() ? found_.size() >= most : known->second.block <= block) return;
  found_.insert_or_assign(place, Found{std::move(found), block, warp, added_++});
}

std::vector<Findings::Found> Findings::in_order() const {
  std::vector<Found> all;
  for (const auto& [place, found] : found_) all.push_back(found);
  std::ranges::sort(all, {}, [](const Found& f) { return std::pair(f.block, f.number); });
  const auto together = [](const Found& a, const Found& b) {
    return a.warp && a.warp == b.warp && a.block == b.block && a.finding.kind == b.finding.kind &&
           a.finding.file == b.finding.file;
  };
  for (auto begin = all.begin(); begin != all.end();) {
    const auto end = std::find_if_not(begin + 1, all.end(),
                                      [&](const Found& next) { return together(*begin, next); });
    std::ranges::stable_sort(begin, end, {}, [](const Found& f) { return f.finding.line; });
    begin = end;
  }
  return all;
}

void Findings::finish_launch() {
  const std::lock_guard lock(mutex_);
  for (Found& found : in_order()) {
    Finding& told = found.finding;
    const auto [low, high] = std::minmax(told.line, told.other_line);
    if (told.kind == "warp-race" && found_.contains({"race", told.file, low, high})) continue;
    device::record(std::move(told));
  }
  found_.clear();
}

}  // namespace tilewise::simt
