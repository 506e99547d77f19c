#include "grading/problem/compare.hpp"

#include <cmath>

namespace tilewise::grading {
namespace {

// Of k roundings, relative to the magnitude; see compare.hpp.
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
  return compare_all(C, reference, roundings == Roundings::any ? certain_tolerance : tolerance);
}

Comparison compare(const Matrix<double>& C, const ReferenceProduct& reference,
                   Roundings roundings) {
  return compare_all(C, reference,
                     roundings == Roundings::any ? certain_tolerance_double : tolerance_double);
}

}  // namespace tilewise::grading
