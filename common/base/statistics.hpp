#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace tilewise::core {

/// The middle one of the values, of which there is at least one; for an even number of values, the
/// upper one of the two in the middle.
inline double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::ranges::nth_element(values, middle);
  return *middle;
}

/// A figure with an interval for its error.
struct Interval {
  double low = 0;
  double median = 0;
  double high = 0;

  /// Half of the interval's width, relative to the median.
  double relative_error() const { return (high - low) / (2 * median); }
};

/// The median of repeated measurements, with an interval that holds the true median in at least 95%
/// of all cases, whatever their distribution. That takes at least six measurements; for fewer, the
/// interval spans all of them. Source: order statistics, since each measurement lies below the true
/// median with probability 1/2.
/// `values`: at least one, positive.
Interval median_with_interval(std::vector<double> values);

/// Times of a submission and of a reference that took turns on one device, so that anything that
/// slows the device down for a while slows down both.
class InterleavedTiming {
 public:
  /// Adds the milliseconds of each repetition of one turn; `reference_ms` is empty if there is no
  /// reference.
  void add_round(const std::vector<double>& own_ms, const std::vector<double>& reference_ms);

  std::size_t rounds() const { return own_.size(); }

  /// The submission's milliseconds.
  Interval own_ms() const { return median_with_interval(own_); }

  /// How fast the submission is, relative to the reference's speed of 1. Requires a reference.
  Interval speed_of_reference() const { return median_with_interval(speeds_); }
  bool has_reference() const { return !speeds_.empty(); }

  /// The reference's milliseconds. Requires a reference.
  Interval reference_ms() const { return median_with_interval(reference_); }

  /// The fastest turn of the submission, in milliseconds.
  double fastest_ms() const;

  /// An upper bound on speed_of_reference() if any of the turns were disturbed: the speed of the
  /// submission's fastest turn relative to the reference's slowest.
  double highest_speed_of_reference() const;

  /// Whether more rounds would hardly change the figure on which the verdict rests.
  bool steady() const;

  /// Whether all of a few rounds agree by a wide margin on whether the submission reaches
  /// `least_speed`, relative to the reference's speed of 1. False without a reference.
  bool decided(double least_speed) const;

 private:
  std::vector<double> own_;        ///< medians of the rounds
  std::vector<double> reference_;  ///< the same for the reference
  std::vector<double> speeds_;     ///< reference's time over own time, for each round
};

}  // namespace tilewise::core
