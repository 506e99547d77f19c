#include "grading/problem/reference.hpp"

#include <cblas.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>
#include <utility>

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

namespace {

// Of k roundings, relative to the magnitude; see reference.hpp.
double relative_error(double k, double unit_roundoff) {
  // Honest sums stay below 1.3, whatever their length and signs. Half precision reaches 8000 for a
  // single term, 30 for 500 and still 4 for 4096.
  constexpr double lambda = 3;
  const double exponent = lambda * std::sqrt(k) * unit_roundoff +
                          k * unit_roundoff * unit_roundoff / (1 - unit_roundoff);
  return std::expm1(exponent);
}

// The classical bound, Higham's gamma_k.
double greatest_relative_error(double k, double unit_roundoff) {
  return k * unit_roundoff / (1 - k * unit_roundoff);
}

double certain_tolerance(int summation_length, double magnitude) {
  return greatest_relative_error(summation_length + 1.0, 0x1p-24) * magnitude;
}

double certain_tolerance_double(int summation_length, double magnitude) {
  return 2 * greatest_relative_error(summation_length + 3.0, 0x1p-53) * magnitude;
}

double tolerance_of_tensor_cores(int summation_length, double magnitude) {
  return tolerance(summation_length, magnitude) + 32 * 0x1p-24 * magnitude;
}

template <typename T>
Comparison compare_all(const Matrix<T>& C, const ReferenceProduct& reference,
                       double (*tolerance_of)(int, double)) {
  Comparison comparison;
  comparison.compared = reference.product.values.size();
  comparison.is_wrong.resize(comparison.compared);
  for (int i = 0; i < reference.product.rows; ++i) {
    const int row = reference.rows[i];
    for (int col = 0; col < reference.product.cols; ++col) {
      const double allowed = tolerance_of(reference.summation_length, reference.magnitude(i, col));
      const double expected = reference.product(i, col);
      const T found = C(row, col);
      // Written this way round so that NaN is wrong.
      if (std::abs(found - expected) <= allowed) continue;
      comparison.is_wrong[std::size_t(i) * reference.product.cols + col] = true;
      if (comparison.wrong++ > 0) continue;
      comparison.row = row;
      comparison.col = col;
      comparison.found = found;
      comparison.expected = expected;
      comparison.tolerance = allowed;
    }
  }
  return comparison;
}

}  // namespace

double tolerance(int summation_length, double magnitude) {
  return relative_error(summation_length, 0x1p-24) * magnitude;
}

double tolerance_double(int summation_length, double magnitude) {
  return 2 * relative_error(summation_length + 3.0, 0x1p-53) * magnitude;
}

Comparison compare(const Matrix<float>& C, const ReferenceProduct& reference, Roundings roundings) {
  switch (roundings) {
    case Roundings::any:
      return compare_all(C, reference, certain_tolerance);
    case Roundings::of_tensor_cores:
      return compare_all(C, reference, tolerance_of_tensor_cores);
    case Roundings::independent:
      break;
  }
  return compare_all(C, reference, tolerance);
}

Comparison compare(const Matrix<double>& C, const ReferenceProduct& reference,
                   Roundings roundings) {
  return compare_all(C, reference,
                     roundings == Roundings::any ? certain_tolerance_double : tolerance_double);
}

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
