#include "grading/problem/dtrsm_reference.hpp"

#include <cblas.h>

#include <algorithm>
#include <cmath>

namespace tilewise::grading {
namespace {

constexpr int block_order = 32;

Matrix<double> lower_triangle_of(const Matrix<double>& A) {
  Matrix<double> result(A.rows, A.cols);
  for (int row = 0; row < A.rows; ++row) {
    for (int col = 0; col <= row; ++col) result(row, col) = A(row, col);
  }
  return result;
}

Matrix<double> absolute(Matrix<double> matrix) {
  for (double& value : matrix.values) value = std::abs(value);
  return matrix;
}

Matrix<double> product(const Matrix<double>& A, const Matrix<double>& B) {
  Matrix<double> C(A.rows, B.cols);
  if (C.values.empty() || A.cols == 0) return C;
  cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, A.rows, B.cols, A.cols, 1.0,
              A.values.data(), A.cols, B.values.data(), B.cols, 0.0, C.values.data(), C.cols);
  return C;
}

Matrix<double> inverse(const Matrix<double>& A) {
  Matrix<double> identity(A.rows, A.rows);
  for (int i = 0; i < A.rows; ++i) identity(i, i) = 1;
  return solve({.alpha = 1, .A = A, .B = identity});
}

// (last - first, last - first): a block of the diagonal.
Matrix<double> diagonal_block(const Matrix<double>& A, int first, int last) {
  Matrix<double> block(last - first, last - first);
  for (int row = 0; row < block.rows; ++row) {
    for (int col = 0; col <= row; ++col) block(row, col) = A(first + row, first + col);
  }
  return block;
}

// |D| |D^-1| W, in place of W.
void amplify(const Matrix<double>& A, Matrix<double>& W) {
  for (int first = 0; first < A.rows; first += block_order) {
    const int last = std::min(first + block_order, A.rows);
    const Matrix<double> D = diagonal_block(A, first, last);
    Matrix<double> rows(last - first, W.cols);
    std::copy_n(W.values.begin() + std::ptrdiff_t(first) * W.cols, rows.values.size(),
                rows.values.begin());
    rows = product(absolute(D), product(absolute(inverse(D)), rows));
    std::copy(rows.values.begin(), rows.values.end(),
              W.values.begin() + std::ptrdiff_t(first) * W.cols);
  }
}

// |A| |X| + |alpha B|: what the residual's rounding errors scale with.
Matrix<double> magnitude(const TriangularSystem& system, const Matrix<double>& lower,
                         const Matrix<double>& X) {
  Matrix<double> result = product(absolute(lower), absolute(X));
  for (std::size_t i = 0; i < result.values.size(); ++i) {
    result.values[i] += std::abs(system.alpha * system.B.values[i]);
  }
  return result;
}

Matrix<double> bound(const TriangularSystem& system, const Matrix<double>& lower,
                     const Matrix<double>& X) {
  constexpr double unit_roundoff = 0x1p-53;
  Matrix<double> result = magnitude(system, lower, X);
  amplify(lower, result);
  for (double& value : result.values) value *= 3 * (lower.rows + block_order) * unit_roundoff;
  return result;
}

// |alpha B - A X|.
Matrix<double> residual(const TriangularSystem& system, const Matrix<double>& lower,
                        const Matrix<double>& X) {
  Matrix<double> result = product(lower, X);
  for (std::size_t i = 0; i < result.values.size(); ++i) {
    result.values[i] = std::abs(system.alpha * system.B.values[i] - result.values[i]);
  }
  return result;
}

bool all_within(const Matrix<double>& values, const Matrix<double>& limits) {
  for (std::size_t i = 0; i < values.values.size(); ++i) {
    if (!(values.values[i] <= limits.values[i])) return false;
  }
  return true;
}

// Elements of X whose errors are not within `allowed`.
Comparison compare_elements(const Matrix<double>& X, const Matrix<double>& expected,
                            const Matrix<double>& errors, const Matrix<double>& allowed) {
  Comparison comparison;
  comparison.compared = X.values.size();
  comparison.is_wrong.resize(comparison.compared);
  for (std::size_t i = 0; i < X.values.size(); ++i) {
    if (errors.values[i] <= allowed.values[i]) continue;
    comparison.is_wrong[i] = true;
    if (comparison.wrong++ > 0) continue;
    comparison.row = static_cast<int>(i / X.cols);
    comparison.col = static_cast<int>(i % X.cols);
    comparison.found = X.values[i];
    comparison.expected = expected.values[i];
    comparison.tolerance = allowed.values[i];
  }
  return comparison;
}

}  // namespace

Matrix<double> solve(const TriangularSystem& system) {
  Matrix<double> X = system.B;
  if (X.values.empty()) return X;
  cblas_dtrsm(CblasRowMajor, CblasLeft, CblasLower, CblasNoTrans, CblasNonUnit, X.rows, X.cols,
              system.alpha, system.A.values.data(), system.A.cols, X.values.data(), X.cols);
  return X;
}

Comparison check_solution(const TriangularSystem& system, const Matrix<double>& X) {
  const Matrix<double> lower = lower_triangle_of(system.A);
  const Matrix<double> R = residual(system, lower, X);
  const Matrix<double> allowed = bound(system, lower, X);
  if (all_within(R, allowed)) {
    Comparison right;
    right.compared = X.values.size();
    right.is_wrong.resize(right.compared);
    return right;
  }
  const Matrix<double> expected = solve(system);
  Matrix<double> tolerance = product(absolute(inverse(lower)), bound(system, lower, expected));
  for (double& value : tolerance.values) value *= 2;
  Matrix<double> errors = X;
  for (std::size_t i = 0; i < errors.values.size(); ++i) {
    errors.values[i] = std::abs(errors.values[i] - expected.values[i]);
  }
  const Comparison comparison = compare_elements(X, expected, errors, tolerance);
  // Just beyond the bound each element alone might be right.
  return comparison.all_right() ? compare_elements(X, expected, R, allowed) : comparison;
}

bool solves_roughly(const TriangularSystem& system, const Matrix<double>& X, double factor) {
  const Matrix<double> lower = lower_triangle_of(system.A);
  Matrix<double> limits = magnitude(system, lower, X);
  for (double& value : limits.values) value *= factor;
  return all_within(residual(system, lower, X), limits);
}

}  // namespace tilewise::grading
