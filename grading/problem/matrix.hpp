#pragma once

#include <cmath>
#include <cstddef>
#include <vector>

namespace tilewise::grading {

/// Row-major matrix on the host.
template <typename T>
struct Matrix {
  int rows = 0;
  int cols = 0;
  std::vector<T> values;  ///< (rows, cols)

  Matrix() = default;
  Matrix(int rows_, int cols_, T value = T{})
      : rows(rows_), cols(cols_), values(std::size_t(rows_) * cols_, value) {}

  T& operator()(int row, int col) { return values[std::size_t(row) * cols + col]; }
  const T& operator()(int row, int col) const { return values[std::size_t(row) * cols + col]; }
};

inline void make_absolute(Matrix<double>& matrix) {
  for (double& value : matrix.values) value = std::abs(value);
}

template <typename T>
Matrix<T> transposed(const Matrix<T>& matrix) {
  Matrix<T> result(matrix.cols, matrix.rows);
  for (int row = 0; row < matrix.rows; ++row) {
    for (int col = 0; col < matrix.cols; ++col) result(col, row) = matrix(row, col);
  }
  return result;
}

}  // namespace tilewise::grading
