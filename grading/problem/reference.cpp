#include "grading/problem/reference.hpp"

#include <cblas.h>

#include <algorithm>
#include <numeric>
#include <set>

namespace tilewise::grading {
namespace {

Matrix<double> product_of(const Matrix<double>& A, const Matrix<double>& B) {
  Matrix<double> C(A.rows, B.cols);
  if (C.values.empty() || A.cols == 0) return C;
  cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, A.rows, B.cols, A.cols, 1.0,
              A.values.data(), A.cols, B.values.data(), B.cols, 0.0, C.values.data(), C.cols);
  return C;
}

Matrix<double> rows_of(const Matrix<float>& A, const std::vector<int>& rows) {
  Matrix<double> result(static_cast<int>(rows.size()), A.cols);
  for (int row = 0; row < result.rows; ++row) {
    for (int col = 0; col < A.cols; ++col) result(row, col) = A(rows[row], col);
  }
  return result;
}

std::vector<int> first_integers(int count) {
  std::vector<int> integers(count);
  std::iota(integers.begin(), integers.end(), 0);
  return integers;
}

}  // namespace

ReferenceProduct multiply(const Matrix<float>& A, const Matrix<float>& B) {
  return multiply_rows(A, B, first_integers(A.rows));
}

ReferenceProduct multiply_rows(const Matrix<float>& A, const Matrix<float>& B,
                               std::vector<int> rows) {
  Matrix<double> sampled_A = rows_of(A, rows);
  Matrix<double> wide_B = rows_of(B, first_integers(B.rows));
  ReferenceProduct reference;
  reference.rows = std::move(rows);
  reference.summation_length = A.cols;
  reference.product = product_of(sampled_A, wide_B);
  make_absolute(sampled_A);
  make_absolute(wide_B);
  reference.magnitude = product_of(sampled_A, wide_B);
  return reference;
}

double sum_of(const Matrix<float>& x) {
  return std::accumulate(x.values.begin(), x.values.end(), 0.0);
}

std::vector<int> sample_rows(int rows, int count, Random& random) {
  if (count >= rows) return first_integers(rows);
  std::set<int> sample = {0, rows - 1};
  while (sample.size() < std::size_t(count)) sample.insert(static_cast<int>(random() % rows));
  return {sample.begin(), sample.end()};
}

}  // namespace tilewise::grading
