#pragma once

#include <optional>

#include "grading/examiner/pattern.hpp"
#include "grading/problem/compare.hpp"
#include "grading/problem/matrix.hpp"

namespace tilewise::grading {

/// One call of a function that is to transpose.
struct TransposeObservation {
  const Matrix<float>& in;   ///< (rows, cols), no two elements equal
  const Matrix<float>& out;  ///< (cols, rows), as the function left it; unwritten before
  int tile = 32;  ///< side of the square tiles that in and out are thought to be cut into
};

/// Compares out with the transpose of in, bit for bit.
Comparison compare_transpose(const Matrix<float>& in, const Matrix<float>& out);

/// Looks for the mistake behind a wrong transpose. Nothing if out is right or wrong in no known
/// way.
std::optional<Diagnosis> recognise_transpose(const TransposeObservation& seen);

}  // namespace tilewise::grading
