#include "grading/examiner/rates.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "common/core/median.hpp"

namespace tilewise::grading {
namespace {

std::string minimum_in_words(const TimedRate& rate, const RateGoal& goal) {
  if (rate.reference) {
    return fmt::format("minimum {:.0f}: {:.0f}% of the reference solution's {:.0f} on this device",
                       *rate.minimum, 100 * goal.minimum.of_reference, *rate.reference);
  }
  return fmt::format("minimum {:.0f}: {:.1f}% of this device's {}", *rate.minimum,
                     100 * goal.minimum.of_peak, goal.of);
}

Finding impossible(const TimedRate& rate, const RateGoal& goal) {
  return {.message = fmt::format("{:.0f} {} at {} are more than this device can do ({:.0f}): the "
                                 "timed calls did not do all the work.",
                                 rate.own, goal.unit, goal.at, *goal.ceiling),
          .hint = goal.advice_if_beyond};
}

// How certain it is that the submission is too slow.
bool certainly_too_slow(const InterleavedTiming& timing, const TimedRate& rate, double work,
                        const RateGoal& goal) {
  if (rate.reference) return timing.speed_of_reference().high < goal.minimum.of_reference;
  return rate_of({timing.own_ms().low}, work) < *rate.minimum;
}

}  // namespace

double rate_of(const std::vector<double>& times_ms, double work) {
  return work / (core::median(times_ms) * 1e6);
}

TimedRate timed_rate(const InterleavedTiming& timing, double work, const RateGoal& goal) {
  TimedRate rate{.own = rate_of({timing.own_ms().median}, work), .reference = {}, .minimum = {}};
  if (timing.has_reference()) {
    rate.reference = rate.own / timing.speed_of_reference().median;
    rate.minimum = goal.minimum.of_reference * *rate.reference;
  } else if (goal.peak) {
    rate.minimum = goal.minimum.of_peak * *goal.peak;
  }
  return rate;
}

std::optional<Finding> shortfall(const InterleavedTiming& timing, double work, const RateGoal& goal,
                                 const std::vector<std::string>& disturbances) {
  const TimedRate rate = timed_rate(timing, work, goal);
  if (goal.ceiling && rate.own > *goal.ceiling) return impossible(rate, goal);
  if (!rate.minimum) {
    return Finding{
        .message = fmt::format("{:.0f} {} at {}. The driver does not tell enough of this "
                               "device for a minimum, and the reference solution could "
                               "not be timed beside.",
                               rate.own, goal.unit, goal.at),
        .status = Status::inconclusive};
  }
  if (rate.own >= *rate.minimum) return std::nullopt;
  const std::string found = fmt::format("{:.0f} {} at {}, {}", rate.own, goal.unit, goal.at,
                                        minimum_in_words(rate, goal));
  if (!disturbances.empty()) {
    return Finding{.message = fmt::format("{}; but {}.", found, fmt::join(disturbances, ", and ")),
                   .hint = "Grade again while nothing else uses the GPU and it runs at full speed.",
                   .status = Status::inconclusive};
  }
  if (!certainly_too_slow(timing, rate, work, goal)) {
    return Finding{.message = fmt::format("{}; but {} rounds differ too much to be sure.", found,
                                          timing.rounds()),
                   .hint = "Grade again while nothing else uses the GPU.",
                   .status = Status::inconclusive};
  }
  return Finding{.message = found + ".", .hint = goal.advice};
}

}  // namespace tilewise::grading
