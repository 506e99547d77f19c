#include "grading/bench/turns.hpp"

#include <algorithm>

#include "common/core/statistics.hpp"

namespace tilewise::grading {
namespace {

bool is_steady(const std::vector<double>& medians_ms) {
  constexpr double tolerated = 0.01;
  return medians_ms.empty() || core::median_with_interval(medians_ms).relative_error() <= tolerated;
}

}  // namespace

std::vector<TurnsTaken> take_turns(
    std::size_t contenders, std::chrono::duration<double> budget,
    const std::function<Turn(std::size_t contender, int round)>& take) {
  // Fewer rounds agree by chance.
  constexpr int fewest_rounds = 6, most_rounds = 20;
  const auto start = std::chrono::steady_clock::now();
  std::vector<TurnsTaken> taken(contenders);
  std::vector<std::vector<double>> medians_ms(contenders);
  for (int round = 0; round < most_rounds; ++round) {
    for (std::size_t i = 0; i < contenders; ++i) {
      if (!taken[i].problem.empty()) continue;
      const Turn turn = take(i, round);
      taken[i].problem = turn.problem;
      if (turn.problem.empty()) {
        medians_ms[i].push_back(core::median(turn.times_ms));
      } else {
        medians_ms[i].clear();
      }
    }
    if (std::chrono::steady_clock::now() - start >= budget) break;
    if (round + 1 >= fewest_rounds && std::ranges::all_of(medians_ms, is_steady)) break;
  }
  for (std::size_t i = 0; i < contenders; ++i) {
    if (taken[i].problem.empty()) taken[i].ms = core::median(medians_ms[i]);
  }
  return taken;
}

}  // namespace tilewise::grading
