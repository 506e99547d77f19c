#include "grading/examiner/rates.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "common/core/median.hpp"

namespace tilewise::grading {

Rate rate_of(const std::vector<double>& times_ms, double work) {
  const auto [fastest, slowest] = std::ranges::minmax(times_ms);
  return {.value = work / (core::median(times_ms) * 1e6), .spread = slowest / fastest};
}

std::optional<Finding> shortfall(const Rate& rate, const RateGoal& goal) {
  // Beyond this the device was shared, throttled or still waking up.
  constexpr double trusted_spread = 1.5;

  if (rate.value > goal.ceiling) {
    return Finding{.message = fmt::format("{:.0f} {} at {} are more than this device can do "
                                          "({:.0f}): the timed calls did not do all the work.",
                                          rate.value, goal.unit, goal.at, goal.ceiling),
                   .hint = goal.advice_if_beyond};
  }
  if (rate.value >= goal.minimum()) return std::nullopt;
  if (rate.spread > trusted_spread) {
    return Finding{
        .message = fmt::format("{:.0f} {} at {} are below the minimum of {:.0f}, but "
                               "the slowest run took {:.1f} times as long as the "
                               "fastest.",
                               rate.value, goal.unit, goal.at, goal.minimum(), rate.spread),
        .hint = "Grade again while nothing else uses the GPU.",
        .status = Status::inconclusive};
  }
  return Finding{.message = fmt::format("{:.0f} {} at {}, minimum {:.0f} ({:.1f}% of this device's "
                                        "{}).",
                                        rate.value, goal.unit, goal.at, goal.minimum(),
                                        100 * goal.fraction, goal.of),
                 .hint = goal.advice};
}

}  // namespace tilewise::grading
