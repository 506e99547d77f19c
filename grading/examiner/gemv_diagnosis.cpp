// Works out which elements of x a matrix-vector product has used, from its results alone.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "common/base/language.hpp"
#include "grading/examiner/diagnosis.hpp"

namespace tilewise::grading {
namespace {

constexpr int most_columns = 256;  // work grows with the third power
constexpr double near = 0x1p-8;    // tolerance for numbers between -1 and 1 from single precision

/// Solves A * x = y for x, from as many of the first rows as A has columns. Empty if these rows do
/// not determine x.
std::vector<double> solve(const Matrix<float>& A, const std::vector<double>& y) {
  const int n = A.cols;
  Matrix<double> rest(n, n + 1);
  for (int row = 0; row < n; ++row) {
    for (int col = 0; col < n; ++col) rest(row, col) = A(row, col);
    rest(row, n) = y[row];
  }
  for (int step = 0; step < n; ++step) {
    int pivot = step;
    for (int row = step + 1; row < n; ++row) {
      if (std::abs(rest(row, step)) > std::abs(rest(pivot, step))) pivot = row;
    }
    if (!(std::abs(rest(pivot, step)) > near * near)) return {};
    for (int col = 0; col <= n; ++col) std::swap(rest(step, col), rest(pivot, col));
    for (int row = 0; row < n; ++row) {
      if (row == step) continue;
      const double factor = rest(row, step) / rest(step, step);
      for (int col = step; col <= n; ++col) rest(row, col) -= factor * rest(step, col);
    }
  }
  std::vector<double> x(n);
  for (int i = 0; i < n; ++i) x[i] = rest(i, n) / rest(i, i);
  return x;
}

/// Returns the index of the element of x that is nearest to a number, if it is near.
std::optional<int> place_of(double value, const Matrix<float>& x) {
  int best = 0;
  const auto distance = [&](int i) { return std::abs(value - x.values[i]); };
  for (int i = 1; i < static_cast<int>(x.values.size()); ++i) {
    if (distance(i) < distance(best)) best = i;
  }
  return distance(best) < near ? std::optional(best) : std::nullopt;
}

}  // namespace

std::optional<Diagnosis> recognise_factors_of_columns(const Matrix<float>& A,
                                                      const Matrix<float>& x,
                                                      const std::vector<double>& y) {
  if (A.cols < 2 || A.cols > most_columns || A.rows < A.cols) return std::nullopt;
  if (!std::ranges::all_of(y, [](double value) { return std::isfinite(value); })) {
    return std::nullopt;
  }
  const std::vector<double> factors = solve(A, y);
  int wrong = 0, first = -1;
  for (std::size_t col = 0; col < factors.size(); ++col) {
    if (std::abs(factors[col] - x.values[col]) < near) continue;
    const bool is_explained = std::abs(factors[col]) < near || place_of(factors[col], x) ||
                              std::abs(factors[col] - 2 * x.values[col]) < near;
    if (!is_explained) return std::nullopt;
    ++wrong;
    if (first < 0) first = static_cast<int>(col);
  }
  if (wrong == 0) return std::nullopt;
  const std::string in_all =
      wrong == 1 ? tr("all other columns are right") : tr("{} columns are wrong in all", wrong);
  if (std::abs(factors[first]) < near) {
    return Diagnosis{Pattern::term_left_out,
                     tr("column {} of A does not get into the sums; {}", first, in_all),
                     tr("Work out which thread is to take column {}, and in which turn of its "
                        "loop.",
                        first)};
  }
  if (const auto other = place_of(factors[first], x)) {
    return Diagnosis{
        Pattern::misplaced,
        tr("column {0} of A is multiplied by x[{1}], where it should be by x[{0}]; {2}", first,
           *other, in_all),
        tr("The index of x is the column, as in A: compare the two where they are loaded."), "x"};
  }
  return Diagnosis{
      Pattern::term_repeated, tr("column {} of A is added twice; {}", first, in_all),
      tr("Work out which threads take column {}, and in which turns of their loops.", first)};
}

}  // namespace tilewise::grading
