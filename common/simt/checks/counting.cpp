#include "common/simt/checks/counting.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <mutex>
#include <string>

#include "common/simt/runtime/block_watch.hpp"
#include "common/simt/runtime/device.hpp"

namespace tilewise::simt {

namespace {

using OfPartitions = std::array<std::uint64_t, dram_partitions>;

/// What all threads have counted for a launch.
struct LaunchCounts {
  std::mutex mutex;
  std::map<std::uint64_t, Counting::Counted> blocks;  ///< used for a sample
  std::vector<Counting::Counted> threads;             ///< used if all blocks run
  std::uint64_t grid_blocks = 0;
  std::uint64_t blocks_a_run = 1;
  std::vector<PartitionBytes> partitions_by_run;  ///< empty until a block adds to it
};

LaunchCounts& launch_counts() {
  static auto* counts = new LaunchCounts;  // outlives static destructors that use it
  return *counts;
}

void add_weighted(Counters& total, const Counters& counters, std::uint64_t weight) {
  for (const auto& [name, member] : all_counters) {
    total.*member += counters.*member * weight;
  }
}

bool is_nothing(const Counters& counters) {
  return std::ranges::all_of(
      all_counters, [&](const NamedCounter& counter) { return counters.*counter.value == 0; });
}

std::uint64_t divide_up(std::uint64_t count, std::uint64_t unit) {
  return count / unit + (count % unit != 0 ? 1 : 0);
}

void add_up(OfPartitions& total, const OfPartitions& bytes) {
  std::ranges::transform(total, bytes, total.begin(), std::plus());
}

/// Returns the sum of the loads and stores of all runs.
std::vector<std::uint64_t> total_of(const std::vector<PartitionBytes>& runs) {
  if (runs.empty()) return {};
  OfPartitions total = {};
  for (const PartitionBytes& run : runs) {
    add_up(total, run.loads);
    add_up(total, run.stores);
  }
  return {total.begin(), total.end()};
}

/// Sums the counters of the grid by site. The counters that do not concern memory go into the
/// profile only.
class Total {
 public:
  void add(const Counting::Counted& counted, std::uint64_t weight) {
    for (const auto& [site, counters] : counted.sites) add_weighted(sites_[site], counters, weight);
    add_weighted(of_warps_, counted.of_warps, weight);
  }

  void fill(KernelProfile& profile, std::uintptr_t code) const {
    std::map<std::pair<std::string, int>, Counters> lines;
    for (const auto& [site, counters] : sites_) {
      if (is_nothing(counters)) continue;
      const SourceLine line = source_line(code_address(site, code));
      add_weighted(lines[{line.file, line.line}], counters, 1);
      add_weighted(profile.counters, counters, 1);
    }
    add_weighted(profile.counters, of_warps_, 1);
    for (const auto& [line, counters] : lines) {
      profile.lines.push_back({line.first, line.second, counters});
    }
  }

 private:
  std::map<std::uint32_t, Counters> sites_;
  Counters of_warps_;
};

}  // namespace

void Counting::begin_launch(const Watch&, const LaunchConfiguration& launch) {
  LaunchCounts& counts = launch_counts();
  counts.blocks.clear();
  counts.threads.clear();
  counts.partitions_by_run.clear();
  counts.grid_blocks = std::uint64_t{launch.grid.x} * launch.grid.y * launch.grid.z;
  counts.blocks_a_run = std::max<std::uint64_t>(1, divide_up(counts.grid_blocks, most_block_runs));
}

void Counting::start(const BlockWatch& block) {
  Observer::start(block);
  sees_accesses_ = block.watch().counters;
  samples_ = block.watch().sample;
  const MemoryRules rules(device::profile());
  merges_ = !rules.half_warps;
  merging_.start(block.warps(), block.names());
  partition_bytes_.reset();
  if (rules.partitions && sees_accesses_ && !samples_) partition_bytes_.emplace();
  sites_.clear();
  of_warps_ = {};
}

void Counting::access(const Access& access) {
  const Request& request = access.request;
  const Pattern& pattern = access.pattern;
  Counters& c = counters_of(access.site);
  const unsigned in_warp = std::min(32u, block().threads() - request.warp * 32);
  if (access.lanes() < in_warp) ++c.divergent_requests;
  const Action action = access.action();
  if (action == Action::atomic) {
    count_atomic(access, c);
  } else if (pattern.shared) {
    const SharedCost& cost = pattern.shared_cost;
    (action == Action::read ? c.shared_load_requests : c.shared_store_requests) += cost.requests;
    (action == Action::read ? c.shared_load_wavefronts : c.shared_store_wavefronts) +=
        cost.wavefronts;
    c.shared_bank_conflicts += cost.conflicts;
    if (action == Action::write) {
      c.shared_store_bytes += cost.bytes;
      c.shared_store_lane_bytes += access.lanes() * request.site.bytes();
      merging_.separate(request.warp);
    } else if (merges_) {
      merging_.add(request.warp, request.first_place(), pattern, c);
    } else {
      count_merged_load(c, pattern, 1);
    }
  } else if (block().is_constant(request)) {
    ++c.constant_requests;
    c.constant_passes += pattern.distinct;
  } else {
    const GlobalCost& cost = pattern.global_cost;
    const bool load = action == Action::read;
    (load ? c.global_load_requests : c.global_store_requests) += cost.requests;
    (load ? c.global_load_sectors : c.global_store_sectors) += cost.sectors;
    (load ? c.global_load_transactions : c.global_store_transactions) += cost.transactions;
    (load ? c.global_load_bytes : c.global_store_bytes) += cost.bytes;
    (load ? c.global_load_lane_bytes : c.global_store_lane_bytes) +=
        access.lanes() * request.site.bytes();
    if (partition_bytes_) count_partition_bytes(request);
  }
}

void Counting::count_atomic(const Access& access, Counters& c) {
  const Request& request = access.request;
  ++c.atomic_requests;
  if (access.pattern.shared) {
    const SharedCost& cost = access.pattern.shared_cost;
    c.shared_atomic_requests += cost.requests;
    c.shared_atomic_wavefronts += cost.wavefronts;
    c.shared_bank_conflicts += cost.conflicts;
    merging_.separate(request.warp);
    return;
  }
  const GlobalCost& cost = access.pattern.global_cost;
  c.global_atomic_requests += cost.requests;
  c.global_atomic_sectors += cost.sectors;
  c.global_atomic_transactions += cost.transactions;
  c.global_atomic_bytes += cost.bytes;
  c.global_atomic_lane_bytes += access.lanes() * request.site.bytes();
  c.global_atomic_passes += access.pattern.most_alike;
  if (partition_bytes_) count_partition_bytes(request);
}

void Counting::count_partition_bytes(const Request& request) {
  const Action action = request.site.action();
  LaneAddresses addresses{request.lanes, request.site.bytes(), action == Action::read, {}};
  std::copy_n(request.places, 32, addresses.at);
  if (action != Action::write) add_partition_bytes(addresses, partition_bytes_->loads);
  if (action != Action::read) add_partition_bytes(addresses, partition_bytes_->stores);
}

void Counting::warp_operation(unsigned warp, WarpOperation operation) {
  if (operation == WarpOperation::shuffle) ++of_warps_.shuffles;
  if (operation == WarpOperation::barrier) merging_.separate(warp);
}

void Counting::product(const WarpProduct& product) {
  using Numbers = WarpProduct::Numbers;
  ++of_warps_.tensor_instructions;
  std::uint64_t& products = product.numbers == Numbers::half   ? of_warps_.tensor_half_products
                            : product.numbers == Numbers::tf32 ? of_warps_.tensor_tf32_products
                            : product.numbers == Numbers::double_real
                                ? of_warps_.tensor_double_products
                                : of_warps_.tensor_integer_products;
  products += product.multiply_adds;
}

Counting::Counted Counting::take() {
  Counted counted;
  for (const auto& site : sites_) {
    if (site) counted.sites.emplace_back(site->site, std::exchange(site->counters, {}));
  }
  counted.of_warps = std::exchange(of_warps_, {});
  return counted;
}

void Counting::finish_block() {
  if (!sees_accesses_ || (!samples_ && !partition_bytes_)) return;
  LaunchCounts& counts = launch_counts();
  const std::uint64_t number = block().number();
  const std::lock_guard lock(counts.mutex);
  if (samples_) counts.blocks.emplace(number, take());
  if (!partition_bytes_) return;
  counts.partitions_by_run.resize(divide_up(counts.grid_blocks, counts.blocks_a_run));
  PartitionBytes& run = counts.partitions_by_run[number / counts.blocks_a_run];
  add_up(run.loads, partition_bytes_->loads);
  add_up(run.stores, partition_bytes_->stores);
  partition_bytes_.emplace();
}

void Counting::finish() {
  if (!sees_accesses_ || samples_) return;
  const std::lock_guard lock(launch_counts().mutex);
  launch_counts().threads.push_back(take());
}

void Counting::end_launch(const LaunchResults& results) {
  if (results.profile == nullptr) return;
  const LaunchCounts& counts = launch_counts();
  Total total;
  for (const Counted& thread : counts.threads) total.add(thread, 1);
  for (const auto& [block, weight] : results.weights) total.add(counts.blocks.at(block), weight);
  KernelProfile& profile = *results.profile;
  total.fill(profile, results.code);
  profile.partition_bytes = total_of(counts.partitions_by_run);
  profile.partitions_by_run = counts.partitions_by_run;
  profile.blocks_a_run = counts.blocks_a_run;
}

}  // namespace tilewise::simt
