#include "grading/problem/reductions.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <initializer_list>
#include <limits>
#include <vector>

#include "grading/problem/inputs.hpp"

namespace tilewise::grading {
namespace {

constexpr float nan = std::numeric_limits<float>::quiet_NaN();
constexpr float infinity = std::numeric_limits<float>::infinity();

Matrix<float> row_of(std::initializer_list<float> values) {
  Matrix<float> row(1, static_cast<int>(values.size()));
  row.values = values;
  return row;
}

/// Computes softmax in single precision, as a kernel does.
Matrix<float> softmax_in_floats(const Matrix<float>& in) {
  Matrix<float> out(in.rows, in.cols);
  for (int row = 0; row < in.rows; ++row) {
    float max = in(row, 0), sum = 0;
    for (int col = 0; col < in.cols; ++col) max = std::fmax(max, in(row, col));
    for (int col = 0; col < in.cols; ++col) sum += std::exp(in(row, col) - max);
    for (int col = 0; col < in.cols; ++col) out(row, col) = std::exp(in(row, col) - max) / sum;
  }
  return out;
}

/// Rounds to 11 bits of a significand, as half precision has them.
float as_half(float value) {
  int exponent = 0;
  const float significand = std::frexp(value, &exponent);
  return std::ldexp(std::round(significand * 2048), exponent - 11);
}

TEST(Softmax, IsComparedAtAnyScale) {
  Random random = seeded_random(1, "softmax");
  for (const float shift : {0.0f, 100.0f, -1000.0f}) {
    for (const int cols : {1, 2, 37, 5000}) {
      Matrix<float> in = random_matrix(3, cols, random);
      for (float& value : in.values) value = 8 * value + shift;
      Matrix<float> out = softmax_in_floats(in);
      EXPECT_TRUE(compare_softmax(in, out).all_right()) << shift << ' ' << cols;
      if (cols == 1) continue;
      for (float& value : out.values) value = as_half(value);
      EXPECT_FALSE(compare_softmax(in, out).all_right()) << "half precision, " << cols;
    }
  }
}

TEST(Softmax, TellsTheFirstWrongElement) {
  const Matrix<float> in = row_of({1, 2, 3, 4});
  Matrix<float> out = softmax_in_floats(in);
  out(0, 2) = nan;
  out(0, 3) *= 1.001f;
  const Comparison comparison = compare_softmax(in, out);
  EXPECT_EQ(comparison.wrong, 2u);
  EXPECT_EQ(comparison.col, 2);
  EXPECT_TRUE(std::isnan(comparison.found));
  EXPECT_EQ(comparison.is_wrong, (std::vector<bool>{false, false, true, true}));
}

TEST(Softmax, OfHugeNumbersAndOfNone) {
  EXPECT_EQ(softmax_of(row_of({1e30f, -1e30f})).values, (std::vector<double>{1, 0}));
  EXPECT_EQ(softmax_of(row_of({-infinity, 5, -infinity})).values, (std::vector<double>{0, 1, 0}));
  EXPECT_EQ(softmax_of(row_of({3e38f, 3e38f})).values, (std::vector<double>{0.5, 0.5}));
  // Below the smallest normal number a result may be 0, or any number as small.
  const Matrix<float> in = row_of({0, -90});
  EXPECT_TRUE(compare_softmax(in, row_of({1, 0})).all_right());
  EXPECT_TRUE(compare_softmax(in, row_of({1, 8e-40f})).all_right());
  EXPECT_FALSE(compare_softmax(in, row_of({1, 1e-30f})).all_right());
}

TEST(Softmax, OfNothingMayBeAnythingThatWasWritten) {
  const Matrix<float> in = row_of({-infinity, -infinity});
  for (const float value : {0.0f, 0.5f, nan, infinity}) {
    EXPECT_TRUE(compare_softmax(in, row_of({value, value})).all_right()) << value;
  }
  const auto unwritten = std::bit_cast<float>(unwritten_bits);
  EXPECT_FALSE(compare_softmax(in, row_of({0, unwritten})).all_right());
}

TEST(Gemv, FollowsTheRulesOfBlas) {
  Random random = seeded_random(2, "gemv");
  constexpr int m = 5, n = 7;
  const GemvInputs inputs{.alpha = 1.5f,
                          .A = random_matrix(m, n, random),
                          .x = random_matrix(n, 1, random),
                          .beta = -0.5f,
                          .y = random_matrix(m, 1, random)};
  const ReferenceProduct reference = multiply_add(inputs);
  for (int row = 0; row < m; ++row) {
    double sum = 0, magnitude = 0.5 * std::abs(inputs.y(row, 0));
    for (int k = 0; k < n; ++k) {
      sum += double(inputs.A(row, k)) * inputs.x(k, 0);
      magnitude += 1.5 * std::abs(double(inputs.A(row, k)) * inputs.x(k, 0));
    }
    EXPECT_NEAR(reference.product(row, 0), 1.5 * sum - 0.5 * inputs.y(row, 0), 1e-14);
    EXPECT_NEAR(reference.magnitude(row, 0), magnitude, 1e-14);
  }
  GemvInputs other = inputs;
  other.beta = 0;
  other.y = Matrix<float>(m, 1, nan);
  EXPECT_FALSE(std::isnan(multiply_add(other).product(0, 0)));
  other = inputs;
  other.alpha = 0;
  other.A = Matrix<float>(m, n, nan);
  EXPECT_EQ(multiply_add(other).product(3, 0), -0.5 * double(inputs.y(3, 0)));
  other = inputs;
  other.A = Matrix<float>(m, 0);
  other.x = Matrix<float>(0, 1);
  EXPECT_EQ(multiply_add(other).product(4, 0), double(inputs.y(4, 0))) << "left alone";
}

}  // namespace
}  // namespace tilewise::grading
