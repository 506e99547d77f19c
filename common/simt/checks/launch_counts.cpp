#include "common/simt/checks/launch_counts.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <utility>

#include "common/simt/recorder/code_address.hpp"
#include "common/simt/recorder/source_lines.hpp"

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

std::uint64_t divide_up(std::uint64_t count, std::uint64_t unit) {
  return count / unit + (count % unit != 0 ? 1 : 0);
}

using OfPartitions = std::array<std::uint64_t, dram_partitions>;

void add_up(OfPartitions& total, const OfPartitions& bytes) {
  std::ranges::transform(total, bytes, total.begin(), std::plus());
}

/// Loads and stores of all runs together.
std::vector<std::uint64_t> total_of(const std::vector<PartitionBytes>& runs) {
  if (runs.empty()) return {};
  OfPartitions total = {};
  for (const PartitionBytes& run : runs) {
    add_up(total, run.loads);
    add_up(total, run.stores);
  }
  return {total.begin(), total.end()};
}

}  // namespace

LaunchCounts::LaunchCounts(std::uint64_t blocks)
    : blocks_(blocks),
      blocks_a_run_(std::max<std::uint64_t>(1, divide_up(blocks, most_block_runs))) {}

void LaunchCounts::add(const BlockWatch::Counted& counted, std::uint64_t weight) {
  const std::lock_guard lock(mutex_);
  for (const auto& [site, counters] : counted.sites) {
    add_weighted(sites_[site], counters, weight);
  }
  barriers_ += counted.barriers * weight;
  shuffles_ += counted.shuffles * weight;
}

void LaunchCounts::add(std::uint64_t block, const PartitionBytes& moved) {
  const std::lock_guard lock(mutex_);
  partitions_by_run_.resize(divide_up(blocks_, blocks_a_run_));
  PartitionBytes& run = partitions_by_run_[block / blocks_a_run_];
  add_up(run.loads, moved.loads);
  add_up(run.stores, moved.stores);
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
  profile.partition_bytes = total_of(partitions_by_run_);
  profile.partitions_by_run = partitions_by_run_;
  profile.blocks_a_run = blocks_a_run_;
  for (const auto& [line, counters] : lines) {
    profile.lines.push_back({line.first, line.second, counters});
  }
  return profile;
}

}  // namespace tilewise::simt
