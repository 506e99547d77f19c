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

}  // namespace tilewise::grading
