#pragma once

#include "grading/problem/matrix.hpp"
#include "grading/problem/reference.hpp"

namespace tilewise::grading {

/// The inputs of y = alpha * A * x + beta * y.
struct GemvInputs {
  float alpha = 1;
  Matrix<float> A;  ///< (m, n)
  Matrix<float> x;  ///< (n, 1)
  float beta = 0;
  Matrix<float> y;  ///< (m, 1), before the call
};

/// Computes alpha * A * x + beta * y by BLAS's rules, (m, 1): A and x may hold NaN where alpha is
/// 0, and y where beta is 0. If A has no columns, the result is y as it was.
ReferenceProduct multiply_add(const GemvInputs& inputs);

/// Compares out with the softmax of each row of `in`; both are (rows, cols). In a row that holds
/// only -inf, each element that was written is right; elsewhere NaN is wrong.
///
/// An element may be off by a relative 2^-14, in addition to what the sum of its row may round, and
/// by as much as the smallest normal number. Fast exponentials of single precision, such as
/// `__expf()`, are off by 2^-21 and, for differences down to where they vanish, by 2^-17, while
/// half precision rounds to 2^-12.
Comparison compare_softmax(const Matrix<float>& in, const Matrix<float>& out);

/// Returns the softmax of each row in double precision; (rows, cols).
Matrix<double> softmax_of(const Matrix<float>& in);

}  // namespace tilewise::grading
