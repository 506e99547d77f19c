#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "grading/problem/reference.hpp"

namespace tilewise::grading {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

struct Size {
  int m, n, k;
};

GemmInputs random_inputs(Size size, double alpha, double beta, Random& random) {
  return {.alpha = alpha,
          .A = random_double_matrix(size.m, size.k, random),
          .B = random_double_matrix(size.k, size.n, random),
          .beta = beta,
          .C = random_double_matrix(size.m, size.n, random)};
}

TEST(DgemmReference, MultipliesAndAddsMatricesOfAnyShape) {
  Random random = seeded_random(3, "");
  for (const Size size : {Size{1, 1, 1}, Size{2, 3, 4}, Size{17, 5, 11}, Size{3, 4, 0}}) {
    const GemmInputs inputs = random_inputs(size, -1.5, 0.75, random);
    const ReferenceProduct reference = multiply_add(inputs);
    ASSERT_EQ(reference.product.rows, size.m);
    ASSERT_EQ(reference.product.cols, size.n);
    EXPECT_EQ(reference.summation_length, size.k);
    for (int row = 0; row < size.m; ++row) {
      for (int col = 0; col < size.n; ++col) {
        double product = 0.75 * inputs.C(row, col), magnitude = std::abs(product);
        for (int k = 0; k < size.k; ++k) {
          const double term = -1.5 * inputs.A(row, k) * inputs.B(k, col);
          product += term;
          magnitude += std::abs(term);
        }
        EXPECT_NEAR(reference.product(row, col), product, 1e-14 * magnitude);
        EXPECT_NEAR(reference.magnitude(row, col), magnitude, 1e-14 * magnitude);
      }
    }
  }
}

TEST(DgemmReference, FollowsBlasWhereAFactorIsZero) {
  Random random = seeded_random(4, "");
  GemmInputs inputs = random_inputs({3, 4, 5}, 0, 2, random);
  std::ranges::fill(inputs.A.values, nan);
  std::ranges::fill(inputs.B.values, nan);
  const ReferenceProduct scaled = multiply_add(inputs);
  EXPECT_EQ(scaled.product(2, 3), 2 * inputs.C(2, 3));
  EXPECT_EQ(scaled.summation_length, 0);

  inputs = random_inputs({3, 4, 5}, 1, 0, random);
  const ReferenceProduct product = multiply_add(inputs);
  std::ranges::fill(inputs.C.values, nan);
  EXPECT_EQ(multiply_add(inputs).product.values, product.product.values);
  EXPECT_EQ(multiply_add(inputs).magnitude.values, product.magnitude.values);

  inputs.alpha = 0;
  EXPECT_EQ(multiply_add(inputs).product.values, std::vector<double>(12, 0));
}

TEST(DgemmReference, RowsAreRowsOfTheWholeProduct) {
  Random random = seeded_random(5, "");
  const GemmInputs inputs = random_inputs({9, 7, 6}, 0.5, -1, random);
  const ReferenceProduct whole = multiply_add(inputs);
  const ReferenceProduct part = multiply_add_rows(inputs, {2, 5, 8});
  for (int i = 0; i < 3; ++i) {
    for (int col = 0; col < 7; ++col) {
      EXPECT_NEAR(part.product(i, col), whole.product(part.rows[i], col), 1e-14);
    }
  }
}

// A function under test: one element of C.
using Element = std::function<double(const GemmInputs& inputs, int row, int col)>;

struct Kernel {
  const char* name;
  Element element;
};

Comparison compare_row(const GemmInputs& inputs, const Element& element) {
  Matrix<double> C(inputs.C.rows, inputs.C.cols);
  for (int row = 0; row < C.rows; ++row) {
    for (int col = 0; col < C.cols; ++col) C(row, col) = element(inputs, row, col);
  }
  return compare(C, multiply_add(inputs));
}

// With beta = 0, C is not read, as BLAS requires.
double times_beta(const GemmInputs& in, int row, int col) {
  return in.beta == 0 ? 0 : in.beta * in.C(row, col);
}

const Kernel honest[] = {
    {"in order",
     [](const GemmInputs& in, int row, int col) {
       double sum = 0;
       for (int k = 0; k < in.A.cols; ++k) sum += in.A(row, k) * in.B(k, col);
       return in.alpha * sum + times_beta(in, row, col);
     }},
    {"fused, backwards",
     [](const GemmInputs& in, int row, int col) {
       double sum = 0;
       for (int k = in.A.cols - 1; k >= 0; --k) sum = std::fma(in.A(row, k), in.B(k, col), sum);
       return std::fma(in.alpha, sum, times_beta(in, row, col));
     }},
    {"alpha with every factor, starting from beta * C",
     [](const GemmInputs& in, int row, int col) {
       double sum = times_beta(in, row, col);
       for (int k = 0; k < in.A.cols; ++k) sum += (in.alpha * in.A(row, k)) * in.B(k, col);
       return sum;
     }},
    {"by tiles of 16",
     [](const GemmInputs& in, int row, int col) {
       double sum = 0;
       for (int first = 0; first < in.A.cols; first += 16) {
         double part = 0;
         for (int k = first; k < std::min(first + 16, in.A.cols); ++k) {
           part += in.A(row, k) * in.B(k, col);
         }
         sum += part;
       }
       return in.alpha * sum + times_beta(in, row, col);
     }},
};

const Kernel dishonest[] = {
    {"in float",
     [](const GemmInputs& in, int row, int col) {
       float sum = 0;
       for (int k = 0; k < in.A.cols; ++k) sum += float(in.A(row, k)) * float(in.B(k, col));
       return in.alpha * double(sum) + times_beta(in, row, col);
     }},
    {"one factor in float",
     [](const GemmInputs& in, int row, int col) {
       double sum = 0;
       for (int k = 0; k < in.A.cols; ++k) sum += double(float(in.A(row, k))) * in.B(k, col);
       return in.alpha * sum + times_beta(in, row, col);
     }},
    {"the sum in float",
     [](const GemmInputs& in, int row, int col) {
       float sum = 0;
       for (int k = 0; k < in.A.cols; ++k) sum = float(double(sum) + in.A(row, k) * in.B(k, col));
       return in.alpha * double(sum) + times_beta(in, row, col);
     }},
    {"the result in float", [](const GemmInputs& in, int row,
                               int col) { return double(float(honest[0].element(in, row, col))); }},
    {"without the last term",
     [](const GemmInputs& in, int row, int col) {
       return honest[0].element(in, row, col) -
              in.alpha * in.A(row, in.A.cols - 1) * in.B(in.A.cols - 1, col);
     }},
};

struct Factors {
  double alpha, beta;
};
constexpr Factors all_factors[] = {{1, 0}, {1, 1}, {-0.5, 2}, {1.0 / 3, -0.1}};

TEST(CompareDoubles, AcceptsEveryHonestWayToSum) {
  Random random = seeded_random(6, "");
  for (const int k : {1, 2, 3, 7, 37, 256, 1023, 4096}) {
    for (const auto& [alpha, beta] : all_factors) {
      for (const bool positive : {false, true}) {
        GemmInputs inputs = random_inputs({1, 64, k}, alpha, beta, random);
        if (positive) {
          for (double& value : inputs.A.values) value = std::abs(value);
          for (double& value : inputs.B.values) value = std::abs(value);
        }
        for (const Kernel& kernel : honest) {
          EXPECT_TRUE(compare_row(inputs, kernel.element).all_right())
              << kernel.name << ", k = " << k << ", alpha = " << alpha << ", beta = " << beta;
        }
      }
    }
  }
}

TEST(CompareDoubles, RefusesSinglePrecisionAndDroppedTermsInEveryElement) {
  Random random = seeded_random(7, "");
  for (const int k : {1, 2, 7, 37, 523, 4096}) {
    for (const auto& [alpha, beta] : all_factors) {
      const GemmInputs inputs = random_inputs({1, 256, k}, alpha, beta, random);
      for (const Kernel& kernel : dishonest) {
        const Comparison comparison = compare_row(inputs, kernel.element);
        // A few numbers are floats by chance, or nearly so.
        EXPECT_GT(comparison.wrong, comparison.compared * 9 / 10)
            << kernel.name << ", k = " << k << ", alpha = " << alpha << ", beta = " << beta;
      }
    }
  }
}

TEST(CompareDoubles, ScalingAloneIsComparedAsStrictly) {
  Random random = seeded_random(8, "");
  for (const Size size : {Size{4, 5, 0}, Size{4, 5, 6}}) {
    const GemmInputs inputs = random_inputs(size, size.k == 0 ? 1 : 0, 0.3, random);
    Matrix<double> C = inputs.C;
    for (double& value : C.values) value *= 0.3;
    EXPECT_TRUE(compare(C, multiply_add(inputs)).all_right());
    C(3, 2) = float(C(3, 2));
    const Comparison comparison = compare(C, multiply_add(inputs));
    EXPECT_EQ(comparison.wrong, 1U);
    EXPECT_EQ(comparison.row, 3);
    EXPECT_EQ(comparison.col, 2);
  }
}

TEST(CompareDoubles, RefusesWhatIsNotANumber) {
  Random random = seeded_random(9, "");
  const GemmInputs inputs = random_inputs({4, 4, 4}, 1, 1, random);
  const ReferenceProduct reference = multiply_add(inputs);
  for (const double bad :
       {nan, std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity()}) {
    Matrix<double> C = reference.product;
    C(2, 1) = bad;
    const Comparison comparison = compare(C, reference);
    EXPECT_EQ(comparison.wrong, 1U);
    EXPECT_EQ(comparison.row, 2);
    EXPECT_EQ(comparison.col, 1);
  }
}

}  // namespace
}  // namespace tilewise::grading
