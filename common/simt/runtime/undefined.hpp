#pragma once

#include <cstdint>
#include <string>

#include "common/base/finding.hpp"

namespace tilewise::simt {

/// Arithmetic of a kernel of whose result C++ says nothing, until it can be told.
struct DoubtfulArithmetic {
  enum class What { division_by_zero, shift, conversion };
  What what;
  /// Of a division its instruction, of others what the compiler has written of the place.
  std::uintptr_t place;
  unsigned thread = 0;     ///< of the block
  std::uint64_t bits = 0;  ///< by how much was shifted; what was converted, as a double
};

/// In words, where it is done.
/// @param who  "block (0, 0, 0), thread (1, 0, 0)"
core::Finding finding_of(const DoubtfulArithmetic& arithmetic, const std::string& who);

}  // namespace tilewise::simt
