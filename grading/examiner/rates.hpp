#pragma once

#include <optional>
#include <string>
#include <vector>

#include "grading/examiner/outcome.hpp"

namespace tilewise::grading {

/// What timing a call gave.
struct Rate {
  double value = 0;   ///< of the median time, in GFLOPS or GB/s
  double spread = 1;  ///< slowest time over fastest
};

/// `work`: operations or bytes of one call.
Rate rate_of(const std::vector<double>& times_ms, double work);

/// What a rate is to reach.
struct RateGoal {
  const char* unit = "GFLOPS";
  std::string at;                ///< "n = 4096"
  double peak = 0;               ///< of the device
  const char* of = "peak";       ///< what of the device that is
  double fraction = 0;           ///< of the peak that is asked for
  double ceiling = 0;            ///< more than that is not possible
  std::string advice_if_beyond;  ///< the hint for a rate beyond the ceiling
  std::string advice;            ///< the hint for a rate below the minimum

  double minimum() const { return fraction * peak; }
};

/// Why the rate is not enough, or cannot be right. A timing that spreads too far to be trusted is
/// inconclusive rather than too slow.
std::optional<Finding> shortfall(const Rate& rate, const RateGoal& goal);

}  // namespace tilewise::grading
