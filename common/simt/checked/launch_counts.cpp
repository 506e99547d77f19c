#include "common/simt/checked/launch_counts.hpp"

#include <algorithm>
#include <utility>

#include "common/simt/checked/code_address.hpp"
#include "common/simt/checked/source_lines.hpp"

namespace tilewise::simt {

namespace {

void add_weighted(Counters& total, const Counters& counters, std::uint64_t weight) {
  for (const auto member : counter_members) total.*member += counters.*member * weight;
}

bool is_nothing(const Counters& counters) {
  for (const auto member : counter_members) {
    if (counters.*member != 0) return false;
  }
  return true;
}

}  // namespace

void LaunchCounts::add(const BlockWatch::Counted& counted, std::uint64_t weight) {
  const std::lock_guard lock(mutex_);
  for (const auto& [site, counters] : counted.sites) {
    add_weighted(sites_[site], counters, weight);
  }
  barriers_ += counted.barriers * weight;
  shuffles_ += counted.shuffles * weight;
  partition_bytes_.resize(std::max(partition_bytes_.size(), counted.partition_bytes.size()));
  for (std::size_t i = 0; i < counted.partition_bytes.size(); ++i) {
    partition_bytes_[i] += counted.partition_bytes[i] * weight;
  }
}

KernelProfile LaunchCounts::profile(std::uintptr_t code) const {
  KernelProfile profile;
  std::map<std::pair<std::string, int>, Counters> lines;
  for (const auto& [site, counters] : sites_) {
    if (is_nothing(counters)) continue;
    const SourceLine line = source_line(code_address(site, code));
    add_weighted(lines[{line.file, line.line}], counters, 1);
    add_weighted(profile.counters, counters, 1);
  }
  profile.counters.barriers = barriers_;
  profile.counters.shuffles = shuffles_;
  profile.partition_bytes = partition_bytes_;
  for (const auto& [line, counters] : lines) {
    profile.lines.push_back({line.first, line.second, counters});
  }
  return profile;
}

}  // namespace tilewise::simt
