#include "grading/examiner/memory_limits.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "grading/profile/numbers.hpp"

namespace tilewise::grading {
namespace {

double ratio(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

/// The line with the largest measure; one of unknown place where there are none.
template <typename Measure>
simt::LineCounters worst_by(const MemoryUse& use, Measure measure) {
  const auto worst = std::ranges::max_element(
      use.lines, {}, [&](const simt::LineCounters& line) { return measure(line.counters); });
  return worst == use.lines.end() ? simt::LineCounters{} : *worst;
}

std::string compare_with_theory(const CountedCall& call, const AccessKind& kind,
                                const TrafficTheory& theory) {
  return fmt::format(
      "{}: its {} of global memory take {} requests of a warp and {} sectors of 32 bytes; {} and "
      "{} suffice, since {}.",
      call.text, kind.name, with_commas(call.use.total.*kind.requests),
      with_commas(call.use.total.*kind.sectors), with_commas(theory.requests),
      with_commas(theory.sectors), theory.reason);
}

Finding at(const simt::LineCounters& line, std::string message, std::string hint) {
  return {
      .message = std::move(message), .hint = std::move(hint), .file = line.file, .line = line.line};
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
    return at(
        line,
        fmt::format("{} Line {} makes {} of the requests.", compare_with_theory(call, kind, theory),
                    line.line, with_commas(line.counters.*kind.requests)),
        advice);
  }
  if (!exceeds(total.*kind.sectors, theory.sectors)) return std::nullopt;
  const auto line = worst_by(
      call.use, [&](const simt::Counters& counters) { return scattered_sectors(counters, kind); });
  return at(line,
            fmt::format("{} Line {} scatters them: a request there moves {:.1f} sectors where "
                        "{:.1f} would do, and {:.1f}% of what they bring is used.",
                        compare_with_theory(call, kind, theory), line.line,
                        sectors_per_request(line.counters, kind),
                        ratio(fewest_sectors(line.counters, kind), line.counters.*kind.requests),
                        efficiency_pct(line.counters, kind)),
            "Neighbouring threads must touch neighbouring elements: let threadIdx.x run along a "
            "row, and threadIdx.y down a column.");
}

std::optional<Finding> excess_bank_conflicts(const CountedCall& call) {
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
  return at(
      line,
      fmt::format("{}: {} of {} wavefronts of shared memory are bank conflicts. Line {} is "
                  "the worst: a request of a warp there takes {:.1f} wavefronts where {:.1f} "
                  "would do.",
                  call.text, with_commas(total.shared_bank_conflicts),
                  with_commas(wavefronts(total)), line.line,
                  ratio(wavefronts(line.counters), requests),
                  ratio(wavefronts(line.counters) - line.counters.shared_bank_conflicts, requests)),
      "The threads of a warp should find their elements in different banks (neighbouring words "
      "do): let threadIdx.x run along the rows of a tile, or make its rows one "
      "element longer.");
}

}  // namespace tilewise::grading
