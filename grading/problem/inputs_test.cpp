#include "grading/problem/inputs.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <set>

namespace tilewise::grading {
namespace {

TEST(Inputs, AreTheSameForTheSameSeedAndTestOnly) {
  const auto first_number = [](std::uint64_t seed, const char* test) {
    return seeded_random(seed, test)();
  };
  EXPECT_EQ(first_number(7, "MatmulGrid.A"), first_number(7, "MatmulGrid.A"));
  EXPECT_NE(first_number(7, "MatmulGrid.A"), first_number(7, "MatmulGrid.B"));
  EXPECT_NE(first_number(7, "MatmulGrid.A"), first_number(8, "MatmulGrid.A"));
  EXPECT_NE(first_number(7, "MatmulGrid.A"), first_number(7 + (1ULL << 32), "MatmulGrid.A"));
}

TEST(Inputs, RandomMatrixKeepsAwayFromZeroAndUsesBothSigns) {
  Random random = seeded_random(1, "");
  const Matrix<float> matrix = random_matrix(40, 50, random);
  int negative = 0;
  for (const float value : matrix.values) {
    EXPECT_GE(std::abs(value), 0.25F);
    EXPECT_LE(std::abs(value), 1.0F);
    negative += value < 0;
  }
  EXPECT_GT(negative, 800);
  EXPECT_LT(negative, 1200);
}

TEST(Inputs, RandomMatrixUsesBitsThatHalfPrecisionHasNot) {
  Random random = seeded_random(2, "");
  const Matrix<float> matrix = random_matrix(10, 10, random);
  int inexact_in_half = 0;
  for (const float value : matrix.values) {
    std::uint32_t bits = 0;
    std::memcpy(&bits, &value, sizeof bits);
    inexact_in_half += (bits & 0x1FFF) != 0;  // half keeps 10 of the 23 bits of the fraction
  }
  EXPECT_GT(inexact_in_half, 95);
}

TEST(Inputs, IndexCodeTellsThePlace) {
  const Matrix<float> code = index_coded_matrix(3, 4);
  EXPECT_EQ(code(0, 0), 13.0F);
  EXPECT_EQ(code(2, 1), 22.0F);
  EXPECT_GT(2 * code(0, 0), code(2, 3)) << "a multiple of a code is no code";
}

TEST(Inputs, IdentityHasOnesOnTheDiagonal) {
  const Matrix<float> identity = identity_matrix(3);
  for (int row = 0; row < 3; ++row) {
    for (int col = 0; col < 3; ++col) EXPECT_EQ(identity(row, col), row == col ? 1.0F : 0.0F);
  }
}

TEST(Inputs, DoublesUseBitsThatFloatHasNot) {
  Random random = seeded_random(7, "");
  const Matrix<double> matrix = random_double_matrix(30, 30, random);
  int inexact_in_float = 0;
  for (const double value : matrix.values) {
    EXPECT_GE(std::abs(value), 0.25);
    EXPECT_LE(std::abs(value), 1.0);
    inexact_in_float += static_cast<double>(static_cast<float>(value)) != value;
  }
  EXPECT_EQ(inexact_in_float, 900);
}

TEST(Inputs, TrianglesHaveADominantDiagonalOfBothSigns) {
  Random random = seeded_random(8, "");
  const Matrix<double> matrix = random_lower_triangle(100, random);
  int negative = 0;
  for (int row = 0; row < 100; ++row) {
    for (int col = 0; col < 100; ++col) {
      const double magnitude = std::abs(matrix(row, col));
      if (col != row) {
        EXPECT_LE(magnitude, col > row ? 0 : 0.1);
        continue;
      }
      EXPECT_GE(magnitude, 1);
      EXPECT_LT(magnitude, 2);
      negative += matrix(row, col) < 0;
    }
  }
  EXPECT_GT(negative, 25);
  EXPECT_LT(negative, 75);
  EXPECT_TRUE(random_lower_triangle(0, random).values.empty());
}

TEST(Inputs, DistinctMatricesHoldFiniteNumbersThatDiffer) {
  Random random = seeded_random(9, "");
  const Matrix<float> matrix = distinct_matrix(300, 400, random);
  const std::set<float> values(matrix.values.begin(), matrix.values.end());
  EXPECT_EQ(values.size(), matrix.values.size());
  EXPECT_TRUE(std::isfinite(*values.begin()));
  EXPECT_TRUE(std::isfinite(*values.rbegin()));
  EXPECT_LT(*values.begin(), 0);
  EXPECT_NE(matrix.values, distinct_matrix(300, 400, random).values);
}

TEST(WholeNumbers, AddUpExactlyInAnyOrder) {
  for (const int count : {1, 7, 100'000, 1 << 23}) {
    Random random = seeded_random(1, "sum");
    const Matrix<float> x = whole_numbers(count, random);
    double magnitude = 0;
    for (const float value : x.values) {
      EXPECT_TRUE(value != 0 && value == std::trunc(value)) << value;
      magnitude += std::abs(value);
    }
    EXPECT_LE(magnitude, 1 << 24) << count;
  }
}

}  // namespace
}  // namespace tilewise::grading
