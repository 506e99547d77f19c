#include "grading/profile/worst_line.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

#include "grading/profile/memory_use.hpp"

namespace tilewise::grading {
namespace {

std::uint64_t wavefronts(const simt::Counters& counters) {
  return counters.shared_load_wavefronts + counters.shared_store_wavefronts +
         counters.shared_atomic_wavefronts;
}

/// What a line costs, in sectors moved and in wavefronts, which take about as long.
std::uint64_t work(const simt::Counters& counters) {
  return counters.global_load_sectors + counters.global_store_sectors +
         counters.global_atomic_sectors + wavefronts(counters);
}

std::uint64_t scattered(const simt::Counters& counters) {
  return scattered_sectors(counters, global_loads) + scattered_sectors(counters, global_stores);
}

double ratio(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

std::string describe_scatter(const simt::Counters& counters) {
  const AccessKind& kind =
      scattered_sectors(counters, global_stores) > scattered_sectors(counters, global_loads)
          ? global_stores
          : global_loads;
  return fmt::format("scattered: a request moves {:.1f} sectors where {:.1f} would do",
                     sectors_per_request(counters, kind),
                     ratio(fewest_sectors(counters, kind), counters.*kind.requests));
}

std::string describe_conflicts(const simt::Counters& counters) {
  const std::uint64_t requests = counters.shared_load_requests + counters.shared_store_requests +
                                 counters.shared_atomic_requests;
  return fmt::format("bank conflicts: a request takes {:.1f} wavefronts where {:.1f} would do",
                     ratio(wavefronts(counters), requests),
                     ratio(wavefronts(counters) - counters.shared_bank_conflicts, requests));
}

/// A way to waste work.
struct Waste {
  std::uint64_t (*measure)(const simt::Counters&);
  double unavoidable;  ///< share of all work that says nothing yet
  std::string (*describe)(const simt::Counters&);
};

// Rows that begin inside of a sector, lanes at an edge, and one word for all lanes beside one for
// each, on the same line, look like scattered accesses; few patterns look like bank conflicts.
constexpr Waste wastes[] = {
    {scattered, 1.0 / 3, describe_scatter},
    {[](const simt::Counters& counters) { return counters.shared_bank_conflicts; }, 0.1,
     describe_conflicts},
};

const simt::LineCounters& largest(const std::vector<simt::LineCounters>& lines,
                                  std::uint64_t (*measure)(const simt::Counters&)) {
  return *std::ranges::max_element(
      lines, {}, [measure](const simt::LineCounters& line) { return measure(line.counters); });
}

}  // namespace

std::optional<WorstLine> worst_line(const std::vector<simt::LineCounters>& lines) {
  if (lines.empty()) return std::nullopt;
  std::uint64_t all_work = 0;
  for (const simt::LineCounters& line : lines) all_work += work(line.counters);

  const simt::LineCounters& busiest = largest(lines, work);
  WorstLine worst{busiest, fmt::format("busiest: {:.0f}% of all sectors and wavefronts",
                                       100 * ratio(work(busiest.counters), all_work))};
  std::uint64_t most_wasted = 0;
  for (const Waste& waste : wastes) {
    const simt::LineCounters& line = largest(lines, waste.measure);
    const std::uint64_t wasted = waste.measure(line.counters);
    if (wasted <= most_wasted || ratio(wasted, all_work) <= waste.unavoidable) continue;
    most_wasted = wasted;
    worst = {line, waste.describe(line.counters)};
  }
  return worst;
}

}  // namespace tilewise::grading
