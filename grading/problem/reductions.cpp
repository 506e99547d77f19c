#include "grading/problem/reductions.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

namespace tilewise::grading {
namespace {

constexpr double smallest_normal = 0x1p-126;

bool is_empty(std::span<const float> row) {
  return std::ranges::all_of(
      row, [](float value) { return value == -std::numeric_limits<float>::infinity(); });
}

std::span<const float> row_of(const Matrix<float>& matrix, int row) {
  return std::span(matrix.values).subspan(std::size_t(row) * matrix.cols, matrix.cols);
}

}  // namespace

ReferenceProduct multiply_add(const GemvInputs& inputs) {
  const bool reads_A = inputs.alpha != 0 && inputs.A.cols > 0;
  const int m = inputs.y.rows;
  ReferenceProduct reference = reads_A
                                   ? multiply(inputs.A, inputs.x)
                                   : multiply(Matrix<float>(m, 1), Matrix<float>(1, 1));  // zeros
  reference.summation_length = inputs.A.cols + 2;
  const double alpha = inputs.alpha, beta = inputs.A.cols == 0 ? 1 : inputs.beta;
  for (int row = 0; row < m; ++row) {
    double& product = reference.product(row, 0);
    double& magnitude = reference.magnitude(row, 0);
    product *= alpha;
    magnitude *= std::abs(alpha);
    if (beta == 0) continue;
    product += beta * double(inputs.y(row, 0));
    magnitude += std::abs(beta * double(inputs.y(row, 0)));
  }
  return reference;
}

Matrix<double> softmax_of(const Matrix<float>& in) {
  Matrix<double> out(in.rows, in.cols);
  for (int r = 0; r < in.rows; ++r) {
    const std::span<const float> row = row_of(in, r);
    const double largest = *std::ranges::max_element(row);
    double sum = 0;
    for (const float value : row) sum += std::exp(double(value) - largest);
    for (int c = 0; c < in.cols; ++c) out(r, c) = std::exp(double(row[c]) - largest) / sum;
  }
  return out;
}

Comparison compare_softmax(const Matrix<float>& in, const Matrix<float>& out) {
  // The first term is for the element's own computation, the second for the sum of the whole row.
  const double relative = 0x1p-14 + tolerance(in.cols, 1);
  const Matrix<double> reference = softmax_of(in);
  Comparison comparison;
  comparison.compared = out.values.size();
  comparison.is_wrong.resize(comparison.compared);
  for (int row = 0; row < in.rows; ++row) {
    const bool may_be_anything = is_empty(row_of(in, row));
    for (int col = 0; col < in.cols; ++col) {
      const float found = out(row, col);
      const double expected = reference(row, col);
      const double allowed = relative * expected + smallest_normal;
      const bool right = may_be_anything ? !is_unwritten(found)
                                         : std::abs(found - expected) <= allowed;  // false for NaN
      if (right) continue;
      comparison.is_wrong[std::size_t(row) * in.cols + col] = true;
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

}  // namespace tilewise::grading
