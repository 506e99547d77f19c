#pragma once

#include <vector>

#include "grading/problem/inputs.hpp"
#include "grading/problem/matrix.hpp"

namespace tilewise::grading {

/// A * B in double precision, or some rows of it.
struct ReferenceProduct {
  std::vector<int> rows;     ///< rows of the product that were computed, ascending
  Matrix<double> product;    ///< (rows.size(), n), row i is row rows[i] of A * B
  Matrix<double> magnitude;  ///< |A| * |B|, of the same shape: what rounding errors scale with
  int summation_length = 0;  ///< terms in each element
};

/// All rows of A * B; A: (m, k), B: (k, n).
ReferenceProduct multiply(const Matrix<float>& A, const Matrix<float>& B);

/// The given rows of A * B only: large products are checked by a sample.
ReferenceProduct multiply_rows(const Matrix<float>& A, const Matrix<float>& B,
                               std::vector<int> rows);

/// The sum of all elements in double precision.
double sum_of(const Matrix<float>& x);

/// `count` different rows out of `rows`, ascending, the first and the last among them; all of them
/// if there are no more than that.
std::vector<int> sample_rows(int rows, int count, Random& random);

}  // namespace tilewise::grading
