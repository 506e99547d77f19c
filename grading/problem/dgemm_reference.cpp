#include "grading/problem/dgemm_reference.hpp"

#include <cblas.h>

#include <cmath>
#include <numeric>
#include <utility>

namespace tilewise::grading {
namespace {

Matrix<double> rows_of(const Matrix<double>& matrix, const std::vector<int>& rows) {
  Matrix<double> result(static_cast<int>(rows.size()), matrix.cols);
  for (int row = 0; row < result.rows; ++row) {
    for (int col = 0; col < result.cols; ++col) result(row, col) = matrix(rows[row], col);
  }
  return result;
}

// In place of C. What a factor of 0 leaves out is not read.
void multiply_add(double alpha, const Matrix<double>& A, const Matrix<double>& B, double beta,
                  Matrix<double>& C) {
  for (double& value : C.values) value = beta == 0 ? 0 : beta * value;
  if (alpha == 0 || A.cols == 0 || C.values.empty()) return;
  cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, A.rows, B.cols, A.cols, alpha,
              A.values.data(), A.cols, B.values.data(), B.cols, 1.0, C.values.data(), C.cols);
}

}  // namespace

ReferenceProduct multiply_add(const GemmInputs& inputs) {
  std::vector<int> rows(inputs.C.rows);
  std::iota(rows.begin(), rows.end(), 0);
  return multiply_add_rows(inputs, std::move(rows));
}

ReferenceProduct multiply_add_rows(const GemmInputs& inputs, std::vector<int> rows) {
  Matrix<double> A = rows_of(inputs.A, rows);
  Matrix<double> B = inputs.B;
  ReferenceProduct reference;
  reference.product = rows_of(inputs.C, rows);
  reference.magnitude = reference.product;
  reference.rows = std::move(rows);
  reference.summation_length = inputs.alpha == 0 ? 0 : A.cols;
  multiply_add(inputs.alpha, A, B, inputs.beta, reference.product);
  for (Matrix<double>* matrix : {&A, &B, &reference.magnitude}) make_absolute(*matrix);
  multiply_add(std::abs(inputs.alpha), A, B, std::abs(inputs.beta), reference.magnitude);
  return reference;
}

}  // namespace tilewise::grading
