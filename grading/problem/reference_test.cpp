#include "grading/problem/reference.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace tilewise::grading {
namespace {

TEST(Reference, MultipliesMatricesOfAnyShape) {
  struct Shape {
    int m, n, k;
  };
  Random random = seeded_random(3, "");
  for (const Shape s : {Shape{1, 1, 1}, Shape{2, 3, 4}, Shape{17, 5, 11}}) {
    const Matrix<float> A = random_matrix(s.m, s.k, random);
    const Matrix<float> B = random_matrix(s.k, s.n, random);
    const ReferenceProduct reference = multiply(A, B);
    ASSERT_EQ(reference.product.rows, s.m);
    ASSERT_EQ(reference.product.cols, s.n);
    EXPECT_EQ(reference.summation_length, s.k);
    for (int row = 0; row < s.m; ++row) {
      for (int col = 0; col < s.n; ++col) {
        double product = 0;
        double magnitude = 0;
        for (int k = 0; k < s.k; ++k) {
          product += double(A(row, k)) * B(k, col);
          magnitude += std::abs(double(A(row, k)) * B(k, col));
        }
        EXPECT_NEAR(reference.product(row, col), product, 1e-14 * magnitude);
        EXPECT_NEAR(reference.magnitude(row, col), magnitude, 1e-14 * magnitude);
      }
    }
  }
}

TEST(Reference, RowsAreRowsOfTheWholeProduct) {
  Random random = seeded_random(4, "");
  const Matrix<float> A = random_matrix(9, 6, random);
  const Matrix<float> B = random_matrix(6, 7, random);
  const ReferenceProduct whole = multiply(A, B);
  const ReferenceProduct part = multiply_rows(A, B, {2, 5, 8});
  for (int i = 0; i < 3; ++i) {
    for (int col = 0; col < 7; ++col) {
      EXPECT_NEAR(part.product(i, col), whole.product(part.rows[i], col), 1e-14);
    }
  }
}

TEST(Reference, OfOrderZeroIsEmpty) {
  EXPECT_TRUE(multiply(Matrix<float>(0, 0), Matrix<float>(0, 0)).product.values.empty());
}

TEST(Reference, SampleIsAscendingAndHoldsBothEnds) {
  Random random = seeded_random(5, "");
  const std::vector<int> sample = sample_rows(1000, 16, random);
  ASSERT_EQ(sample.size(), 16U);
  EXPECT_EQ(sample.front(), 0);
  EXPECT_EQ(sample.back(), 999);
  for (std::size_t i = 1; i < sample.size(); ++i) EXPECT_LT(sample[i - 1], sample[i]);
  EXPECT_EQ(sample_rows(3, 16, random), (std::vector<int>{0, 1, 2}));
}

}  // namespace
}  // namespace tilewise::grading
