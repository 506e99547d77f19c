#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>

#include "grading/profile/numbers.hpp"

namespace tilewise::grading {

/// With four digits that count, and commas: 0.01235, 12.35, 1,235, 123,457.
inline std::string significant(double value) {
  constexpr int digits = 4;
  if (!std::isfinite(value)) return "?";
  if (std::abs(value) >= 1000) return with_commas(static_cast<std::uint64_t>(std::llround(value)));
  if (value == 0) return "0";
  const int before_point = static_cast<int>(std::floor(std::log10(std::abs(value)))) + 1;
  return fmt::format("{:.{}f}", value, std::clamp(digits - before_point, 0, 9));
}

}  // namespace tilewise::grading
