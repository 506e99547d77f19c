#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace tilewise::core {

/// The middle one of at least one value, of an even number the upper of the two in the middle.
inline double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::ranges::nth_element(values, middle);
  return *middle;
}

/// A figure with what is known of its error.
struct Interval {
  double low = 0;
  double median = 0;
  double high = 0;

  /// Half of its width, relative to the median.
  double relative_error() const { return (high - low) / (2 * median); }
};

/// The median of repeated measurements, and an interval that holds the true one in 95% of all cases
/// or more, whatever their distribution, from six on; from fewer, all that was seen. Source: order
/// statistics, since each measurement lies below the true median with probability 1/2.
/// `values`: at least one, positive.
Interval median_with_interval(std::vector<double> values);

/// Times of a submission and of a reference that took turns on one device, so that whatever slows
/// the device down for a while slows down both.
class InterleavedTiming {
 public:
  /// Milliseconds of the repetitions of one turn; of the reference none where there is none.
  void add_round(const std::vector<double>& own_ms, const std::vector<double>& reference_ms);

  std::size_t rounds() const { return own_.size(); }

  /// Milliseconds of the submission.
  Interval own_ms() const { return median_with_interval(own_); }

  /// How fast the submission is, the reference being 1. Only with a reference.
  Interval speed_of_reference() const { return median_with_interval(speeds_); }
  bool has_reference() const { return !speeds_.empty(); }

  /// Milliseconds of the reference. Only with one.
  Interval reference_ms() const { return median_with_interval(reference_); }

  /// The fastest turn of the submission, in milliseconds.
  double fastest_ms() const;

  /// What speed_of_reference() is at most if some turns were disturbed, whichever: the submission's
  /// fastest turn beside the reference's slowest.
  double highest_speed_of_reference() const;

  /// Whether more rounds would hardly change the figure that the verdict rests on.
  bool steady() const;

  /// Whether all of a few rounds agree, by far, on which side of `least_speed` the submission is,
  /// the reference being 1. False without a reference.
  bool decided(double least_speed) const;

 private:
  std::vector<double> own_;        ///< median of each round
  std::vector<double> reference_;  ///< the same of the reference
  std::vector<double> speeds_;     ///< reference over own, of each round
};

}  // namespace tilewise::core
