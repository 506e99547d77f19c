#pragma once

#include <optional>
#include <vector>

#include "grading/examiner/pattern.hpp"

namespace tilewise::grading {

/// What messages call a matrix and the bounds of its rows and columns.
struct RegionWords {
  const char* matrix = "C";
  const char* bounds = "n";
};

/// Tells a mistake from where the wrong elements of C lie. `is_wrong`: (rows, cols); `unwritten`:
/// none of the wrong elements was written. Nothing if they lie all over C.
std::optional<Diagnosis> recognise_region(const std::vector<bool>& is_wrong, int rows, int cols,
                                          TileShape tile, bool unwritten,
                                          const RegionWords& words = {});

/// The same for a C of order n.
inline std::optional<Diagnosis> recognise_region(const std::vector<bool>& is_wrong, int n,
                                                 TileShape tile, bool unwritten) {
  return recognise_region(is_wrong, n, n, tile, unwritten);
}

/// Tells which parts of C are wrong, where some are right and the others wrong in all of their
/// elements. `is_wrong`: (n, n).
std::optional<Diagnosis> recognise_parts(const std::vector<bool>& is_wrong, int n, TileShape part);

}  // namespace tilewise::grading
