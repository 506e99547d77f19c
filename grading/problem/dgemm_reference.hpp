#pragma once

#include <vector>

#include "grading/problem/reference.hpp"

namespace tilewise::grading {

/// What C = alpha * A * B + beta * C is computed from; A: (m, k), B: (k, n), C: (m, n).
struct GemmInputs {
  double alpha = 1;
  Matrix<double> A;
  Matrix<double> B;
  double beta = 0;
  Matrix<double> C;  ///< before
};

/// alpha * A * B + beta * C by BLAS's rules: A and B may hold NaN where alpha is 0, C where beta is
/// 0. The magnitude is |alpha| * |A| * |B| + |beta| * |C|.
ReferenceProduct multiply_add(const GemmInputs& inputs);

/// The given rows of it only: large products are checked by a sample.
ReferenceProduct multiply_add_rows(const GemmInputs& inputs, std::vector<int> rows);

}  // namespace tilewise::grading
