#include "grading/examiner/memory_limits.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "common/base/language.hpp"
#include "grading/profile/memory_use.hpp"
#include "grading/profile/numbers.hpp"

namespace tilewise::grading {
namespace {

double ratio(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

/// Returns the line with the largest measure; if there are no lines, returns one of unknown place.
template <typename Measure>
simt::LineCounters worst_by(const MemoryUse& use, Measure measure) {
  const auto worst = std::ranges::max_element(
      use.lines, {}, [&](const simt::LineCounters& line) { return measure(line.counters); });
  return worst == use.lines.end() ? simt::LineCounters{} : *worst;
}

/// Whether the call loads and stores the same number of bytes and stores nothing in shared memory.
/// Then, whatever order its threads take, what lies together on one side is scattered on the other.
bool only_moves_elements(const simt::Counters& total) {
  return total.global_load_bytes == total.global_store_bytes && total.shared_store_requests == 0;
}

std::string compare_with_theory(const CountedCall& call, const AccessKind& kind,
                                const TrafficTheory& theory) {
  if (call.use.total.*kind.requests <= theory.requests) {
    return tr("{}: its {} of global memory take {} sectors of 32 bytes; {} suffice, since {}.",
              call.text, core::in_language(kind.name), with_commas(call.use.total.*kind.sectors),
              with_commas(theory.sectors), theory.reason);
  }
  return tr(
      "{}: its {} of global memory take {} requests of a warp and {} sectors of 32 bytes; {} and "
      "{} suffice, since {}.",
      call.text, core::in_language(kind.name), with_commas(call.use.total.*kind.requests),
      with_commas(call.use.total.*kind.sectors), with_commas(theory.requests),
      with_commas(theory.sectors), theory.reason);
}

Finding at(const simt::LineCounters& line, std::string message, std::string hint) {
  return {
      .message = std::move(message), .hint = std::move(hint), .file = line.file, .line = line.line};
}

simt::LineCounters most_scattered(const MemoryUse& use, const AccessKind& kind) {
  return worst_by(
      use, [&](const simt::Counters& counters) { return scattered_sectors(counters, kind); });
}

/// Says what the line's requests move; `what` is the sentence before it.
Finding scattered_by(const simt::LineCounters& line, const CountedCall& call,
                     const AccessKind& kind, const std::string& what) {
  return at(line,
            tr("{} Line {} scatters them: a request there moves {:.1f} sectors where "
               "{:.1f} would do, and {:.1f}% of what they bring is used.",
               what, line.line, sectors_per_request(line.counters, kind),
               ratio(fewest_sectors(line.counters, kind), line.counters.*kind.requests),
               efficiency_pct(line.counters, kind)),
            only_moves_elements(call.use.total)
                ? tr("To turn the threads round would scatter the other side: bring a tile into "
                     "shared memory by rows, and take it out by columns.")
                : tr("Neighbouring threads must touch neighbouring elements: let threadIdx.x run "
                     "along a row, and threadIdx.y down a column."));
}

/// Writes "partition 3" or "partitions 0, 1 and 2".
std::string name_partitions(const std::vector<int>& partitions) {
  if (partitions.size() == 1) return tr("partition {}", partitions.front());
  return tr("partitions {} and {}", fmt::join(partitions.begin(), partitions.end() - 1, ", "),
            partitions.back());
}

/// Describes the group of blocks, on the GPU at the same time, that shares the partitions worst.
std::string worst_group(const PartitionUse& use, std::uint64_t blocks, bool are_stores) {
  const std::string group = tr("blocks {} to {}", with_commas(use.first_block),
                               with_commas(use.first_block + blocks - 1));
  if (use.partitions.size() < simt::dram_partitions) {
    const std::string partitions = name_partitions(use.partitions);
    return are_stores ? tr("{} store to {} only", group, partitions)
                      : tr("{} load from {} only", group, partitions);
  }
  return tr("of what {} move, {:.0f}% lies in partition {}", group, 100 * use.busiest_share,
            use.busiest);
}

/// One of the two ways of using memory, and how blocks then use the partitions.
struct Direction {
  const char* name;
  PartitionUse PartitionSpread::*use;
};

constexpr Direction directions[] = {{marked("loads"), &PartitionSpread::loads},
                                    {marked("stores"), &PartitionSpread::stores}};

std::optional<Finding> camping(const std::string& call, const LaunchInfo& launch,
                               const PartitionSpread& spread, const Direction& direction) {
  // In a matrix whose sides are 1,024 or more, blocks that take tiles of any shape along diagonals
  // of any kind keep 4.7 or more of 8 partitions busy; blocks that take tiles by rows or by columns
  // keep 1.9 at most.
  constexpr double fewest = 3;
  const PartitionUse& use = spread.*direction.use;
  if (use.busy >= fewest) return std::nullopt;
  const std::string message =
      tr("{}: its {} keep {:.1f} of {} DRAM partitions busy. {} of its blocks are on the card at a "
         "time, and {}: there they wait for each other.",
         call, core::in_language(direction.name), use.busy, simt::dram_partitions,
         with_commas(spread.blocks_at_a_time),
         worst_group(use, spread.blocks_at_a_time, direction.use == &PartitionSpread::stores));
  return Finding{
      .message = message,
      .hint =
          tr("Blocks start in the order of their numbers, and the partitions take turns every 256 "
             "bytes: give neighbouring blocks tiles in other rows and other columns, so that "
             "what they load and what they store both go through all partitions."),
      .file = launch.file,
      .line = launch.line};
}

}  // namespace

std::optional<Finding> excess_traffic(const CountedCall& call, const AccessKind& kind,
                                      const TrafficTheory& theory, double slack,
                                      const std::string& advice) {
  const simt::Counters& total = call.use.total;
  const auto exceeds = [slack](std::uint64_t counted, std::uint64_t allowed) {
    return static_cast<double>(counted) > slack * static_cast<double>(allowed);
  };
  if (exceeds(total.*kind.requests, theory.requests) ||
      exceeds(fewest_sectors(total, kind), theory.sectors)) {
    const auto line = worst_by(call.use, [&](const simt::Counters& counters) {
      return std::max(counters.*kind.requests, fewest_sectors(counters, kind));
    });
    return at(line,
              tr("{} Line {} makes {} of the requests.", compare_with_theory(call, kind, theory),
                 line.line, with_commas(line.counters.*kind.requests)),
              advice);
  }
  if (!exceeds(total.*kind.sectors, theory.sectors)) return std::nullopt;
  return scattered_by(most_scattered(call.use, kind), call, kind,
                      compare_with_theory(call, kind, theory));
}

std::optional<Finding> scattered_line(const CountedCall& call, const AccessKind& kind) {
  // Runs of four elements, half a sector, which begin where sectors do, take twice as many sectors
  // as neighbours. A twentieth leaves out what is fetched once, before or after a loop.
  constexpr double slack = 3, least_part = 0.05;
  const simt::LineCounters line = most_scattered(call.use, kind);
  const double fewest = static_cast<double>(fewest_sectors(line.counters, kind));
  if (static_cast<double>(line.counters.*kind.sectors) <= slack * fewest) return std::nullopt;
  if (ratio(line.counters.*kind.requests, call.use.total.*kind.requests) < least_part) {
    return std::nullopt;
  }
  return scattered_by(
      line, call, kind,
      tr("{}: not all its {} of global memory join.", call.text, core::in_language(kind.name)));
}

namespace {

/// Returns how long the rows of threads are in all launches of a call; 0 if they differ.
int threads_in_a_row(const CountedCall& call) {
  const auto of = [](const KernelProfile& profile) { return int(profile.launch.block[0]); };
  const bool are_alike =
      !call.launches.empty() && std::ranges::all_of(call.launches, [&](const auto& launch) {
        return of(launch) == of(call.launches.front());
      });
  return are_alike ? of(call.launches.front()) : 0;
}

/// Returns what to do about a line whose requests take this many wavefronts where one would do.
std::string advise_on_conflicts(double wavefronts, int threads_in_a_row, int lanes) {
  const bool has_several_rows = threads_in_a_row > 1 && threads_in_a_row < lanes;
  if (has_several_rows && wavefronts <= double(lanes) / threads_in_a_row) {
    return tr(
        "The blocks are {0} threads wide, so that the {1} lanes of a request are {2} rows of "
        "threads. The lanes of one row may find different banks, and those of the next row the "
        "same ones again; one more element between the rows of a tile does not help there. Let "
        "blocks be {1} threads wide, and fewer high.",
        threads_in_a_row, lanes, lanes / threads_in_a_row);
  }
  return tr(
      "The threads of a warp should find their elements in different banks (neighbouring words "
      "do): let threadIdx.x run along the rows of a tile, or make its rows one element longer.");
}

}  // namespace

std::optional<Finding> excess_bank_conflicts(const CountedCall& call, int lanes) {
  constexpr double allowed = 0.1;
  const auto wavefronts = [](const simt::Counters& counters) {
    return counters.shared_load_wavefronts + counters.shared_store_wavefronts;
  };
  const simt::Counters& total = call.use.total;
  if (ratio(total.shared_bank_conflicts, wavefronts(total)) <= allowed) return std::nullopt;
  const auto line = worst_by(
      call.use, [](const simt::Counters& counters) { return counters.shared_bank_conflicts; });
  const std::uint64_t requests =
      line.counters.shared_load_requests + line.counters.shared_store_requests;
  return at(line,
            tr("{}: {} of {} wavefronts of shared memory are bank conflicts. Line {} is "
               "the worst: a request of a warp there takes {:.1f} wavefronts where {:.1f} "
               "would do.",
               call.text, with_commas(total.shared_bank_conflicts), with_commas(wavefronts(total)),
               line.line, ratio(wavefronts(line.counters), requests),
               ratio(wavefronts(line.counters) - line.counters.shared_bank_conflicts, requests)),
            advise_on_conflicts(ratio(wavefronts(line.counters), requests), threads_in_a_row(call),
                                lanes));
}

std::optional<Finding> partition_camping(const CountedCall& call, const core::GpuProfile& gpu) {
  for (const KernelProfile& launch : call.launches) {
    const auto spread = spread_over_partitions(launch, gpu);
    if (!spread) continue;
    for (const Direction& direction : directions) {
      if (auto found = camping(call.text, launch.launch, *spread, direction)) return found;
    }
  }
  return std::nullopt;
}

}  // namespace tilewise::grading
