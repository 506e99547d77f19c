#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>

#include "common/simt/watch.hpp"

namespace tilewise::grading {

/// A counter and its name in messages and files.
struct NamedCounter {
  const char* name;
  std::uint64_t simt::Counters::*value;
};

/// All counters of the simulator.
inline constexpr NamedCounter all_counters[] = {
    {"global_load_requests", &simt::Counters::global_load_requests},
    {"global_load_sectors", &simt::Counters::global_load_sectors},
    {"global_load_transactions", &simt::Counters::global_load_transactions},
    {"global_load_bytes", &simt::Counters::global_load_bytes},
    {"global_load_lane_bytes", &simt::Counters::global_load_lane_bytes},
    {"global_store_requests", &simt::Counters::global_store_requests},
    {"global_store_sectors", &simt::Counters::global_store_sectors},
    {"global_store_transactions", &simt::Counters::global_store_transactions},
    {"global_store_bytes", &simt::Counters::global_store_bytes},
    {"global_store_lane_bytes", &simt::Counters::global_store_lane_bytes},
    {"shared_load_requests", &simt::Counters::shared_load_requests},
    {"shared_load_wavefronts", &simt::Counters::shared_load_wavefronts},
    {"shared_load_requests_merged", &simt::Counters::shared_load_requests_merged},
    {"shared_load_wavefronts_merged", &simt::Counters::shared_load_wavefronts_merged},
    {"shared_store_requests", &simt::Counters::shared_store_requests},
    {"shared_store_wavefronts", &simt::Counters::shared_store_wavefronts},
    {"shared_bank_conflicts", &simt::Counters::shared_bank_conflicts},
    {"atomic_requests", &simt::Counters::atomic_requests},
    {"global_atomic_requests", &simt::Counters::global_atomic_requests},
    {"global_atomic_sectors", &simt::Counters::global_atomic_sectors},
    {"global_atomic_transactions", &simt::Counters::global_atomic_transactions},
    {"global_atomic_bytes", &simt::Counters::global_atomic_bytes},
    {"global_atomic_lane_bytes", &simt::Counters::global_atomic_lane_bytes},
    {"global_atomic_passes", &simt::Counters::global_atomic_passes},
    {"shared_atomic_requests", &simt::Counters::shared_atomic_requests},
    {"shared_atomic_wavefronts", &simt::Counters::shared_atomic_wavefronts},
    {"constant_requests", &simt::Counters::constant_requests},
    {"constant_passes", &simt::Counters::constant_passes},
    {"divergent_requests", &simt::Counters::divergent_requests},
    {"barriers", &simt::Counters::barriers},
    {"shuffles", &simt::Counters::shuffles},
};
static_assert(sizeof(simt::Counters) == std::size(all_counters) * sizeof(std::uint64_t),
              "a counter is missing here");

/// Adds counter by counter.
inline simt::Counters& add(simt::Counters& sum, const simt::Counters& counters) {
  for (const NamedCounter& counter : all_counters) sum.*counter.value += counters.*counter.value;
  return sum;
}

}  // namespace tilewise::grading
