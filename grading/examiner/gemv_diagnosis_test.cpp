#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "grading/examiner/diagnosis.hpp"
#include "grading/problem/inputs.hpp"

namespace tilewise::grading {
namespace {

using ::testing::HasSubstr;

/// y = A * x in single precision, with column `col` multiplied by factor(x, col).
std::vector<double> product(const Matrix<float>& A, const Matrix<float>& x,
                            const std::function<float(const Matrix<float>&, int)>& factor) {
  std::vector<double> y;
  for (int row = 0; row < A.rows; ++row) {
    float sum = 0;
    for (int col = 0; col < A.cols; ++col) sum += A(row, col) * factor(x, col);
    y.push_back(sum);
  }
  return y;
}

TEST(GemvDiagnosis, TellsWhatColumnsWereMultipliedBy) {
  constexpr int m = 70, n = 64;
  Random random = seeded_random(71, "");
  const Matrix<float> A = random_matrix(m, n, random), x = random_matrix(n, 1, random);
  const struct {
    const char* what;  // nullptr: no diagnosis
    std::function<float(const Matrix<float>&, int)> factor;
  } cases[] = {
      {nullptr, [](const auto& of, int col) { return of.values[col]; }},
      {"column 32 of A is multiplied by x[0], where it should be by x[32]; 32 columns are wrong",
       [](const auto& of, int col) { return of.values[col % 32]; }},
      {"column 63 of A does not get into the sums; all other columns are right",
       [](const auto& of, int col) { return col < 63 ? of.values[col] : 0.0F; }},
      {"column 0 of A is added twice; all other columns are right",
       [](const auto& of, int col) { return (col == 0 ? 2 : 1) * of.values[col]; }},
      {nullptr, [](const auto& of, int col) { return of.values[col] + 3; }},
  };
  for (const auto& c : cases) {
    const auto diagnosis = recognise_factors_of_columns(A, x, product(A, x, c.factor));
    ASSERT_EQ(diagnosis.has_value(), c.what != nullptr);
    if (!diagnosis) continue;
    EXPECT_THAT(diagnosis->what, HasSubstr(c.what));
  }
  const Matrix<float> flat = random_matrix(8, n, random);
  EXPECT_FALSE(recognise_factors_of_columns(flat, x, std::vector<double>(8)));
}

}  // namespace
}  // namespace tilewise::grading
