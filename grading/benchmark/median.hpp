#pragma once

#include <algorithm>
#include <vector>

namespace tilewise::benchmark {

/// The middle one of an odd number of values, at least one.
inline double median(std::vector<double> values) {
  std::ranges::sort(values);
  return values[values.size() / 2];
}

}  // namespace tilewise::benchmark
