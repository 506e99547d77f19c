#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>

#include "common/base/language.hpp"
#include "grading/profile/memory_use.hpp"
#include "grading/profile/profile_report.hpp"

namespace tilewise::grading {
namespace {

std::uint64_t wavefronts(const simt::Counters& counters) {
  return counters.shared_load_wavefronts + counters.shared_store_wavefronts +
         counters.shared_atomic_wavefronts;
}

/// Returns the cost of a line: the sectors moved plus the wavefronts, which take about as long.
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
  return tr("scattered: a request moves {:.1f} sectors where {:.1f} would do",
            sectors_per_request(counters, kind),
            ratio(fewest_sectors(counters, kind), counters.*kind.requests));
}

std::string describe_conflicts(const simt::Counters& counters) {
  const std::uint64_t requests = counters.shared_load_requests + counters.shared_store_requests +
                                 counters.shared_atomic_requests;
  return tr("bank conflicts: a request takes {:.1f} wavefronts where {:.1f} would do",
            ratio(wavefronts(counters), requests),
            ratio(wavefronts(counters) - counters.shared_bank_conflicts, requests));
}

/// A way in which a line wastes work.
struct Waste {
  std::uint64_t (*measure)(const simt::Counters&);
  double unavoidable;  ///< share of all work up to which waste is ignored
  std::string (*describe)(const simt::Counters&);
  const char* advice;
};

// Several harmless patterns look like scattered accesses: rows that begin inside a sector, lanes at
// an edge, and a line that loads one word for all lanes besides one word for each. Few harmless
// patterns look like bank conflicts.
constexpr Waste wastes[] = {
    {scattered, 1.0 / 3, describe_scatter,
     marked(
         "Let neighbouring threads, which differ in threadIdx.x, access neighbouring elements on "
         "line {}.")},
    {[](const simt::Counters& counters) { return counters.shared_bank_conflicts; }, 0.1,
     describe_conflicts,
     marked("The threads of a warp differ in threadIdx.x: let them access elements beside each "
            "other on line {}, or make the rows of the tile one element longer.")},
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
  WorstLine worst{busiest,
                  tr("busiest: {:.0f}% of all sectors and wavefronts",
                     100 * ratio(work(busiest.counters), all_work)),
                  ""};
  std::uint64_t most_wasted = 0;
  for (const Waste& waste : wastes) {
    const simt::LineCounters& line = largest(lines, waste.measure);
    const std::uint64_t wasted = waste.measure(line.counters);
    if (wasted <= most_wasted || ratio(wasted, all_work) <= waste.unavoidable) continue;
    most_wasted = wasted;
    worst = {line, waste.describe(line.counters),
             fmt::format(fmt::runtime(core::in_language(waste.advice)), line.line)};
  }
  return worst;
}

namespace {

struct Advice {
  std::string_view limiter;
  std::string_view text;
};

constexpr std::array<Advice, 16> all_advice = {{
    {marked("FP32 arithmetic"), marked("The arithmetic units are busy: only what a kernel does "
                                       "beside its products can be spared.")},
    {marked("FP64 arithmetic"), marked("The units for double precision are busy, of which this GPU "
                                       "has few: only what a kernel does "
                                       "beside its products can be spared.")},
    {marked("tensor cores"), marked("Tensor cores are busy: only products that are not needed, or "
                                    "numbers of fewer bits, can be "
                                    "spared.")},
    {marked("instruction issue"),
     marked(
         "Loads, stores and what leads up to them take the turns of the arithmetic: get more "
         "products "
         "out of each load, with tiles in shared memory, several results a thread or operands in "
         "registers.")},
    {marked("shared wavefronts"), marked("Shared memory is read too often: keep values in "
                                         "registers and use each for several results, "
                                         "and read without bank conflicts.")},
    {marked("warp shuffles"), marked("Shuffles take the way of loads from shared memory: keep "
                                     "values in registers and use each for "
                                     "several results.")},
    {marked("wavefronts of global accesses"),
     marked(
         "The inner loop reads global memory: bring tiles into shared memory, and let neighbouring "
         "threads read neighbouring elements.")},
    {marked("latency: too few warps"),
     marked("Warps wait for memory, or for their own last result, and too few others fill the gap: "
            "use "
            "fewer registers or less shared memory a block, load ahead of use, or compute several "
            "independent results a thread.")},
    {marked("waiting at barriers"), marked("Warps wait for each other: do more between two "
                                           "barriers, or let several smaller blocks share "
                                           "a multiprocessor.")},
    {marked("L2 bandwidth"),
     marked("Too much comes from the L2 cache: let neighbouring threads access neighbouring "
            "elements, and "
            "let a block keep in shared memory what its threads need more than once.")},
    {marked("DRAM bandwidth"),
     marked(
         "Memory is busy: move each element no more often than you must, and use all bytes of each "
         "32-byte sector.")},
    {marked("spilled registers"),
     marked(
         "The sums do not fit into registers, and each step brings them from memory and takes them "
         "back: "
         "let a thread compute fewer results.")},
    {marked("partition camping"), marked("Blocks that run together meet in few DRAM partitions: "
                                         "give blocks tiles in diagonal order.")},
    {marked("launch overhead"),
     marked("The kernels are too short: let fewer launches do more each.")},
    {marked("too few blocks"), marked("There are fewer blocks than multiprocessors: let each block "
                                      "compute less of the result.")},
    {marked("last wave partly empty"),
     marked(
         "The last blocks leave most multiprocessors idle: use smaller blocks, or more of them.")},
}};

}  // namespace

std::string limiter_advice(std::string_view limiter) {
  const auto found = std::ranges::find(all_advice, limiter, &Advice::limiter);
  return found == all_advice.end() ? "" : core::in_language(found->text);
}

}  // namespace tilewise::grading
