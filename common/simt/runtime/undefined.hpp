#pragma once

#include <cstdint>
#include <string>

#include "common/base/finding.hpp"

namespace tilewise::simt {

/// Arithmetic of a kernel whose result C++ leaves undefined, kept until it can be reported.
struct DoubtfulArithmetic {
  enum class What { division_by_zero, shift, conversion };
  What what;
  /// The address of a division's instruction, otherwise of the compiler's data about the place.
  std::uintptr_t place;
  unsigned thread = 0;  ///< number within the block
  /// For a shift its distance, for a conversion the number to be converted, as a double.
  std::uint64_t bits = 0;
};

/// Returns a finding that describes the arithmetic, and where it is done.
/// @param who "block (0, 0, 0), thread (1, 0, 0)"
core::Finding finding_of(const DoubtfulArithmetic& arithmetic, const std::string& who);

}  // namespace tilewise::simt
