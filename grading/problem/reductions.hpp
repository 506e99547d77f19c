#pragma once

#include "grading/problem/matrix.hpp"
#include "grading/problem/reference.hpp"

namespace tilewise::grading {

/// What y = alpha * A * x + beta * y is computed from.
struct GemvInputs {
  float alpha = 1;
  Matrix<float> A;  ///< (m, n)
  Matrix<float> x;  ///< (n, 1)
  float beta = 0;
  Matrix<float> y;  ///< (m, 1), before
};

/// alpha * A * x + beta * y by BLAS's rules, (m, 1): A and x may hold NaN where alpha is 0, y where
/// beta is 0. Without columns of A it is y as it was.
ReferenceProduct multiply_add(const GemvInputs& inputs);

/// Compares out with the softmax of each row of `in`, both (rows, cols). Of a row that holds -inf
/// alone each element is right that was written; elsewhere NaN is wrong.
///
/// An element may be off by a relative 2^-14, besides what the sum of its row may round, and by as
/// much as the smallest normal number: exponentials of single precision that are computed fast, as
/// by `__expf()`, are off by 2^-21 and, for differences down to where they vanish, by 2^-17, while
/// half precision rounds to 2^-12.
Comparison compare_softmax(const Matrix<float>& in, const Matrix<float>& out);

/// The softmax of each row in double precision; (rows, cols).
Matrix<double> softmax_of(const Matrix<float>& in);

}  // namespace tilewise::grading
