#include "grading/problem/reference.hpp"

#include <cblas.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>
#include <utility>

#include "common/base/processors.hpp"

namespace tilewise::grading {

ReferencesWithoutThreads::ReferencesWithoutThreads() : threads_before_(openblas_get_num_threads()) {
  openblas_set_num_threads(1);
}

ReferencesWithoutThreads::~ReferencesWithoutThreads() { openblas_set_num_threads(threads_before_); }

namespace {

Matrix<double> product_of(const Matrix<double>& A, const Matrix<double>& B) {
  Matrix<double> C(A.rows, B.cols);
  if (C.values.empty() || A.cols == 0) return C;
  cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, A.rows, B.cols, A.cols, 1.0,
              A.values.data(), A.cols, B.values.data(), B.cols, 0.0, C.values.data(), C.cols);
  return C;
}

Matrix<double> widened(const Matrix<float>& A) {
  Matrix<double> result(A.rows, A.cols);
  std::ranges::copy(A.values, result.values.begin());
  return result;
}

/// Adds the given rows of A * B to the product and those of |A| * |B| to the magnitude. A large B
/// is read once, as it is, which takes less time than BLAS and the copies that BLAS wants.
template <typename T>
void add_rows_of_product(const Matrix<T>& A, const Matrix<T>& B, ReferenceProduct& sum) {
  constexpr std::size_t stretch = 256;  // columns whose sums in 16 rows stay in a cache
  core::by_all_processors(std::size_t(B.cols), stretch, [&](std::size_t first, std::size_t end) {
    for (int k = 0; k < A.cols; ++k) {
      const T* const b = &B.values[std::size_t(k) * B.cols];
      for (int i = 0; i < sum.product.rows; ++i) {
        const double a = A(sum.rows[i], k), size = std::abs(a);
        double* const product = &sum.product.values[std::size_t(i) * B.cols];
        double* const magnitude = &sum.magnitude.values[std::size_t(i) * B.cols];
        for (std::size_t col = first; col < end; ++col) {
          product[col] += a * double{b[col]};
          magnitude[col] += size * std::abs(double{b[col]});
        }
      }
    }
  });
}

std::vector<int> first_integers(int count) {
  std::vector<int> integers(count);
  std::iota(integers.begin(), integers.end(), 0);
  return integers;
}

}  // namespace

ReferenceProduct multiply(const Matrix<float>& A, const Matrix<float>& B) {
  Matrix<double> wide_A = widened(A), wide_B = widened(B);
  ReferenceProduct reference;
  reference.rows = first_integers(A.rows);
  reference.summation_length = A.cols;
  reference.product = product_of(wide_A, wide_B);
  make_absolute(wide_A);
  make_absolute(wide_B);
  reference.magnitude = product_of(wide_A, wide_B);
  return reference;
}

ReferenceProduct multiply_rows(const Matrix<float>& A, const Matrix<float>& B,
                               std::vector<int> rows) {
  ReferenceProduct reference;
  reference.rows = std::move(rows);
  reference.summation_length = A.cols;
  const int count = static_cast<int>(reference.rows.size());
  reference.product = reference.magnitude = Matrix<double>(count, B.cols);
  add_rows_of_product(A, B, reference);
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

// Bounds the error of k roundings, relative to the magnitude; see reference.hpp.
double relative_error(double k, double unit_roundoff) {
  // Honest sums stay below 1.3, whatever their length and signs. Half precision reaches 8000 for a
  // single term, 30 for 500 terms and still 4 for 4096.
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

// Stores the result in place of C. Operands that a factor of 0 leaves out are not read.
void multiply_add(double alpha, const Matrix<double>& A, const Matrix<double>& B, double beta,
                  Matrix<double>& C) {
  for (double& value : C.values) value = beta == 0 ? 0 : beta * value;
  if (alpha == 0 || A.cols == 0 || C.values.empty()) return;
  cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, A.rows, B.cols, A.cols, alpha,
              A.values.data(), A.cols, B.values.data(), B.cols, 1.0, C.values.data(), C.cols);
}

}  // namespace

ReferenceProduct multiply_add(const GemmInputs& inputs) {
  Matrix<double> A = inputs.A, B = inputs.B;
  ReferenceProduct reference;
  reference.rows = first_integers(inputs.C.rows);
  reference.summation_length = inputs.alpha == 0 ? 0 : A.cols;
  reference.product = reference.magnitude = inputs.C;
  multiply_add(inputs.alpha, A, B, inputs.beta, reference.product);
  for (Matrix<double>* matrix : {&A, &B, &reference.magnitude}) make_absolute(*matrix);
  multiply_add(std::abs(inputs.alpha), A, B, std::abs(inputs.beta), reference.magnitude);
  return reference;
}

ReferenceProduct multiply_add_rows(const GemmInputs& inputs, std::vector<int> rows) {
  ReferenceProduct reference;
  reference.rows = std::move(rows);
  const int count = static_cast<int>(reference.rows.size());
  reference.product = reference.magnitude = Matrix<double>(count, inputs.C.cols);
  if (inputs.alpha != 0) {
    reference.summation_length = inputs.A.cols;
    add_rows_of_product(inputs.A, inputs.B, reference);
  }
  for (int i = 0; i < count; ++i) {
    for (int col = 0; col < inputs.C.cols; ++col) {
      double& product = reference.product(i, col);
      double& magnitude = reference.magnitude(i, col);
      // C is not read if a factor of 0 leaves it out.
      const double before = inputs.beta == 0 ? 0 : inputs.beta * inputs.C(reference.rows[i], col);
      product = inputs.alpha * product + before;
      magnitude = std::abs(inputs.alpha) * magnitude + std::abs(before);
    }
  }
  return reference;
}

namespace {

constexpr int block_order = 32;

Matrix<double> lower_triangle_of(const Matrix<double>& A) {
  Matrix<double> result(A.rows, A.cols);
  for (int row = 0; row < A.rows; ++row) {
    std::copy_n(&A.values[std::size_t(row) * A.cols], row + 1,
                &result.values[std::size_t(row) * A.cols]);
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

// Returns a block of the diagonal, (last - first, last - first).
Matrix<double> diagonal_block(const Matrix<double>& A, int first, int last) {
  Matrix<double> block(last - first, last - first);
  for (int row = 0; row < block.rows; ++row) {
    for (int col = 0; col <= row; ++col) block(row, col) = A(first + row, first + col);
  }
  return block;
}

// Computes |D| |D^-1| W, in place of W.
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

// Returns |A| |X| + |alpha B|, which the residual's rounding errors scale with. `size` is |A|.
Matrix<double> magnitude(const TriangularSystem& system, const Matrix<double>& size,
                         const Matrix<double>& X) {
  Matrix<double> result = product(size, absolute(X));
  for (std::size_t i = 0; i < result.values.size(); ++i) {
    result.values[i] += std::abs(system.alpha * system.B.values[i]);
  }
  return result;
}

Matrix<double> bound(const TriangularSystem& system, const Matrix<double>& size,
                     const Matrix<double>& X) {
  constexpr double unit_roundoff = 0x1p-53;
  Matrix<double> result = magnitude(system, size, X);
  amplify(system.A, result);
  for (double& value : result.values) value *= 3 * (size.rows + block_order) * unit_roundoff;
  return result;
}

// Returns |alpha B - A X|.
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

// Compares the elements of X; those whose errors are not within `allowed` are wrong.
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
  Matrix<double> triangle = lower_triangle_of(system.A);
  const Matrix<double> R = residual(system, triangle, X);
  make_absolute(triangle);
  const Matrix<double> allowed = bound(system, triangle, X);
  if (all_within(R, allowed)) {
    Comparison right;
    right.compared = X.values.size();
    right.is_wrong.resize(right.compared);
    return right;
  }
  const Matrix<double> expected = solve(system);
  Matrix<double> tolerance =
      product(absolute(inverse(lower_triangle_of(system.A))), bound(system, triangle, expected));
  for (double& value : tolerance.values) value *= 2;
  Matrix<double> errors = X;
  for (std::size_t i = 0; i < errors.values.size(); ++i) {
    errors.values[i] = std::abs(errors.values[i] - expected.values[i]);
  }
  const Comparison comparison = compare_elements(X, expected, errors, tolerance);
  // If residuals are just beyond the bound, each element by itself might still be right.
  return comparison.all_right() ? compare_elements(X, expected, R, allowed) : comparison;
}

bool solves_roughly(const TriangularSystem& system, const Matrix<double>& X, double factor) {
  Matrix<double> triangle = lower_triangle_of(system.A);
  const Matrix<double> R = residual(system, triangle, X);
  make_absolute(triangle);
  Matrix<double> limits = magnitude(system, triangle, X);
  for (double& value : limits.values) value *= factor;
  return all_within(R, limits);
}

}  // namespace tilewise::grading
