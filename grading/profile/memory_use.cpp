#include "grading/profile/memory_use.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "grading/worker/counters.hpp"

namespace tilewise::grading {

double efficiency_pct(const simt::Counters& counters, const AccessKind& kind) {
  const std::uint64_t sectors = counters.*kind.sectors;
  if (sectors == 0) return 100;
  return 100.0 * static_cast<double>(counters.*kind.bytes) /
         (static_cast<double>(sectors) * sector_bytes);
}

double sectors_per_request(const simt::Counters& counters, const AccessKind& kind) {
  const std::uint64_t requests = counters.*kind.requests;
  if (requests == 0) return 0;
  return static_cast<double>(counters.*kind.sectors) / static_cast<double>(requests);
}

std::uint64_t fewest_sectors(const simt::Counters& counters, const AccessKind& kind) {
  const std::uint64_t for_bytes = (counters.*kind.bytes + sector_bytes - 1) / sector_bytes;
  return std::max(counters.*kind.requests, for_bytes);
}

std::uint64_t scattered_sectors(const simt::Counters& counters, const AccessKind& kind) {
  const std::uint64_t fewest = fewest_sectors(counters, kind);
  return std::max(counters.*kind.sectors, fewest) - fewest;
}

MemoryUse add_up(const std::vector<KernelProfile>& profiles) {
  MemoryUse use;
  std::map<std::pair<std::string, int>, simt::Counters> by_line;
  for (const KernelProfile& profile : profiles) {
    add(use.total, profile.counters);
    for (const simt::LineCounters& line : profile.lines) {
      add(by_line[{line.file, line.line}], line.counters);
    }
  }
  for (const auto& [place, counters] : by_line) {
    use.lines.push_back({place.first, place.second, counters});
  }
  return use;
}

namespace {

void count_atomics_as_accesses(simt::Counters& c) {
  c.global_load_requests += c.global_atomic_requests;
  c.global_store_requests += c.global_atomic_requests;
  c.global_load_sectors += c.global_atomic_sectors;
  c.global_store_sectors += c.global_atomic_sectors;
  c.global_load_transactions += c.global_atomic_transactions;
  c.global_store_transactions += c.global_atomic_transactions;
  c.global_load_bytes += c.global_atomic_bytes;
  c.global_store_bytes += c.global_atomic_bytes;
  c.global_load_lane_bytes += c.global_atomic_lane_bytes;
  c.global_store_lane_bytes += c.global_atomic_lane_bytes;
  c.shared_load_requests += c.shared_atomic_requests;
  c.shared_load_requests_merged += c.shared_atomic_requests;
  c.shared_store_requests += c.shared_atomic_requests;
  c.shared_load_wavefronts += c.shared_atomic_wavefronts;
  c.shared_load_wavefronts_merged += c.shared_atomic_wavefronts;
  c.shared_store_wavefronts += c.shared_atomic_wavefronts;
}

}  // namespace

std::vector<KernelProfile> with_atomics_as_accesses(std::vector<KernelProfile> profiles) {
  for (KernelProfile& profile : profiles) {
    count_atomics_as_accesses(profile.counters);
    for (simt::LineCounters& line : profile.lines) count_atomics_as_accesses(line.counters);
  }
  return profiles;
}

std::vector<KernelUse> by_kernel(const std::vector<KernelProfile>& profiles) {
  std::vector<KernelUse> kernels;
  std::vector<std::vector<KernelProfile>> launches;  // of each
  for (const KernelProfile& profile : profiles) {
    auto known = std::ranges::find(kernels, profile.launch.kernel, &KernelUse::kernel);
    const auto place = static_cast<std::size_t>(known - kernels.begin());
    if (known == kernels.end()) {
      kernels.push_back({.kernel = profile.launch.kernel, .use = {}});
      launches.emplace_back();
    }
    KernelUse& kernel = kernels[place];
    ++kernel.launches;
    kernel.largest_shared_bytes =
        std::max(kernel.largest_shared_bytes,
                 profile.static_shared_bytes + profile.launch.dynamic_shared_bytes);
    launches[place].push_back(profile);
  }
  for (std::size_t i = 0; i < kernels.size(); ++i) kernels[i].use = add_up(launches[i]);
  return kernels;
}

}  // namespace tilewise::grading
