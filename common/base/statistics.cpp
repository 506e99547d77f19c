#include "common/base/statistics.hpp"

#include <algorithm>
#include <stdexcept>

namespace tilewise::core {
namespace {

double median_of_sorted(const std::vector<double>& sorted) {
  const std::size_t middle = sorted.size() / 2;
  return sorted.size() % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

// The number of values that may be left out at either end so that the interval between the rest
// holds the true median with a probability of 95%: the most k for which fewer than k of n tosses of
// a coin show heads in at most 2.5% of all cases.
std::size_t dispensable(std::size_t n) {
  double probability = 1;  // the probability of exactly `heads` heads
  for (std::size_t i = 0; i < n; ++i) probability /= 2;
  double tail = probability;
  std::size_t heads = 0;
  while (tail <= 0.025 && heads < n) {
    ++heads;
    probability *= double(n - heads + 1) / double(heads);
    tail += probability;
  }
  return heads == 0 ? 0 : heads - 1;
}

}  // namespace

Interval median_with_interval(std::vector<double> values) {
  if (values.empty()) throw std::logic_error("there is no median of nothing");
  std::ranges::sort(values);
  const std::size_t out = dispensable(values.size());
  return {values[out], median_of_sorted(values), values[values.size() - 1 - out]};
}

void InterleavedTiming::add_round(const std::vector<double>& own_ms,
                                  const std::vector<double>& reference_ms) {
  own_.push_back(median(own_ms));
  if (reference_ms.empty()) return;
  reference_.push_back(median(reference_ms));
  speeds_.push_back(reference_.back() / own_.back());
}

double InterleavedTiming::fastest_ms() const { return std::ranges::min(own_); }

double InterleavedTiming::highest_speed_of_reference() const {
  return std::ranges::max(reference_) / fastest_ms();
}

bool InterleavedTiming::steady() const {
  // Fewer rounds may agree by chance.
  constexpr std::size_t fewest_rounds = 6;
  constexpr double tolerated = 0.01;
  if (rounds() < fewest_rounds) return false;
  return (has_reference() ? speed_of_reference() : own_ms()).relative_error() <= tolerated;
}

bool InterleavedTiming::decided(double least_speed) const {
  constexpr std::size_t fewest_rounds = 3;
  // A clock that follows the load changes by less than this between two turns of one round.
  constexpr double far = 1.25;
  if (speeds_.size() < fewest_rounds) return false;
  return std::ranges::min(speeds_) >= far * least_speed ||
         far * highest_speed_of_reference() <= least_speed;
}

}  // namespace tilewise::core
