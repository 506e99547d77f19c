#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

namespace tilewise::grading {

/// Formats 1234567 as "1,234,567".
inline std::string with_commas(std::uint64_t number) {
  std::string digits = std::to_string(number);
  for (std::ptrdiff_t at = std::ssize(digits) - 3; at > 0; at -= 3) {
    digits.insert(static_cast<std::size_t>(at), ",");
  }
  return digits;
}

/// Formats a number with at least four significant digits, and commas: 0.01235, 12.35, 1,235,
/// 123,457.
inline std::string significant(double value) {
  constexpr int digits = 4;
  if (!std::isfinite(value)) return "?";
  if (std::abs(value) >= 1000) return with_commas(static_cast<std::uint64_t>(std::llround(value)));
  if (value == 0) return "0";
  const int before_point = static_cast<int>(std::floor(std::log10(std::abs(value)))) + 1;
  return fmt::format("{:.{}f}", value, std::clamp(digits - before_point, 0, 9));
}

/// Reads a whole number, which must fill the text.
template <class Number>
std::optional<Number> number_in(std::string_view text) {
  Number number = 0;
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || rest != text.data() + text.size()) return std::nullopt;
  return number;
}

/// Reads "128", "128x1" or "8x8x4"; sides that are left out are 1.
inline std::optional<std::array<unsigned, 3>> extent_in(std::string_view text) {
  std::array<unsigned, 3> extent = {1, 1, 1};
  for (std::size_t i = 0; i < extent.size(); ++i) {
    const std::size_t cross = text.find('x');
    const auto side = number_in<unsigned>(text.substr(0, cross));
    if (!side) return std::nullopt;
    extent[i] = *side;
    if (cross == text.npos) return extent;
    text.remove_prefix(cross + 1);
  }
  return std::nullopt;
}

}  // namespace tilewise::grading
