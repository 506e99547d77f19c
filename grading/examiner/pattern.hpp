#pragma once

#include <optional>
#include <string>

#include "grading/problem/compare.hpp"
#include "grading/problem/matrix.hpp"
#include "grading/problem/reference.hpp"

namespace tilewise::grading {

/// Part of C that one block computes at a time, in elements.
struct TileShape {
  int width = 1;   ///< along a row of C
  int height = 1;  ///< along a column of C
};

/// One wrong call of a function that is to compute C = A * B; all matrices (n, n).
struct Observation {
  const Matrix<float>& A;
  const Matrix<float>& B;
  const Matrix<float>& before;  ///< C as the function found it
  const Matrix<float>& after;   ///< C as the function left it
  const ReferenceProduct& expected;
  TileShape tile;
  /// C is cut into parts of so many elements, and each thread has its place in all of them.
  std::optional<TileShape> part = std::nullopt;
};

/// Mistakes that a wrong matrix gives away.
enum class Pattern {
  never_written,
  all_zero,
  reads_outside,
  not_a_number,
  accumulates,
  stale,
  transposed,
  factors_swapped,
  first_factor_transposed,
  second_factor_transposed,
  sum_cut_short,
  sum_starts_late,
  offset,
  scaled,
  imprecise,
  edges_only,
  first_tile_only,
  whole_parts,
  misplaced,
  term_left_out,
  term_repeated,
  part_unwritten,
  region,
  copied,
  wrong_stride,
  tiles_not_swapped,
  tiles_not_transposed,
  square_part_only,
  tiles_missing,
  other_factors,
  other_system,
  first_rows_only,
};

/// A recognised mistake in words for a student.
struct Diagnosis {
  Pattern pattern;
  std::string what;  ///< continues "... elements are wrong: "
  std::string hint;  ///< what to look at next; empty if the pattern suggests nothing special
};

/// Looks for the mistake behind a wrong result. Nothing if C is right or wrong in no known way.
std::optional<Diagnosis> recognise(const Observation& observation);

}  // namespace tilewise::grading
