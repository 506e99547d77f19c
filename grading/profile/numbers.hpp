#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string>

namespace tilewise::grading {

/// 1234567 as "1,234,567".
inline std::string with_commas(std::uint64_t number) {
  std::string digits = std::to_string(number);
  for (std::ptrdiff_t at = std::ssize(digits) - 3; at > 0; at -= 3) {
    digits.insert(static_cast<std::size_t>(at), ",");
  }
  return digits;
}

}  // namespace tilewise::grading
