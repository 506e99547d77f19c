#include "grading/problem/reference.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <thread>

namespace tilewise::grading {
namespace {

// Without ReferencesWithoutThreads, it would wait for ever at one of the first forks.
TEST(Reference, IsComputedWhileProcessesAreStarted) {
  constexpr int processes = 200;
  const ReferencesWithoutThreads without_threads;
  std::atomic<bool> all_started = false;
  std::jthread computing([&] {
    Random random = seeded_random(3, "");
    const Matrix<float> A = random_matrix(200, 200, random);
    while (!all_started) multiply(A, A);
  });
  for (int i = 0; i < processes; ++i) {
    const pid_t child = fork();
    if (child == 0) _exit(0);
    int status = -1;
    waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
  }
  all_started = true;
}

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

// Rounds to `bits` significant bits, as a narrower format would (its exponents suffice here).
float rounded_to(int bits, float value) {
  int exponent = 0;
  const float fraction = std::frexp(value, &exponent);
  return std::ldexp(std::nearbyint(std::ldexp(fraction, bits)), exponent - bits);
}

constexpr int half_bits = 11;  // also TF32
constexpr int bfloat16_bits = 8;

using Terms = std::function<float(int)>;
using Sum = std::function<float(int k, const Terms& a, const Terms& b)>;

float in_order(int k, const Terms& a, const Terms& b) {
  float sum = 0;
  for (int i = 0; i < k; ++i) sum += a(i) * b(i);
  return sum;
}

float pairwise(int first, int last, const Terms& a, const Terms& b) {
  if (last - first == 1) return a(first) * b(first);
  const int middle = (first + last) / 2;
  return pairwise(first, middle, a, b) + pairwise(middle, last, a, b);
}

struct Kernel {
  const char* name;
  Sum sum;
};

// Row 0 of C = A * B only: one row of a large product is as telling as all of them.
Comparison compare_row(int k, int cols, bool positive, const Sum& sum) {
  Random random = seeded_random(11, "");
  Matrix<float> A = random_matrix(1, k, random);
  Matrix<float> B = random_matrix(k, cols, random);
  if (positive) {
    for (float& value : A.values) value = std::abs(value);
    for (float& value : B.values) value = std::abs(value);
  }
  Matrix<float> C(1, cols);
  for (int col = 0; col < cols; ++col) {
    C(0, col) = sum(
        k, [&](int i) { return A(0, i); }, [&](int i) { return B(i, col); });
  }
  return compare(C, multiply(A, B));
}

TEST(Compare, AcceptsEveryHonestWayToSum) {
  const Kernel kernels[] = {
      {"in order", in_order},
      {"backwards",
       [](int k, const Terms& a, const Terms& b) {
         float sum = 0;
         for (int i = k - 1; i >= 0; --i) sum += a(i) * b(i);
         return sum;
       }},
      {"fused",
       [](int k, const Terms& a, const Terms& b) {
         float sum = 0;
         for (int i = 0; i < k; ++i) sum = std::fma(a(i), b(i), sum);
         return sum;
       }},
      {"pairwise", [](int k, const Terms& a, const Terms& b) { return pairwise(0, k, a, b); }},
      {"by tiles of 16",
       [](int k, const Terms& a, const Terms& b) {
         float sum = 0;
         for (int first = 0; first < k; first += 16) {
           float tile_sum = 0;
           for (int i = first; i < std::min(first + 16, k); ++i) tile_sum += a(i) * b(i);
           sum += tile_sum;
         }
         return sum;
       }},
      {"compensated",
       [](int k, const Terms& a, const Terms& b) {
         float sum = 0;
         float lost = 0;
         for (int i = 0; i < k; ++i) {
           const volatile float term = a(i) * b(i) - lost;
           const volatile float next = sum + term;
           lost = (next - sum) - term;
           sum = next;
         }
         return sum;
       }},
      {"in double",
       [](int k, const Terms& a, const Terms& b) {
         double sum = 0;
         for (int i = 0; i < k; ++i) sum += double(a(i)) * b(i);
         return static_cast<float>(sum);
       }},
  };
  for (const Kernel& kernel : kernels) {
    for (const int k : {1, 2, 3, 7, 37, 256, 1023, 4096}) {
      for (const bool positive : {false, true}) {
        EXPECT_TRUE(compare_row(k, 64, positive, kernel.sum).all_right())
            << kernel.name << ", k = " << k << ", positive " << positive;
      }
    }
  }
}

TEST(Compare, LeavesRoomAboveTheErrorsOfSinglePrecision) {
  // The worst honest case: everything positive, summed in order.
  constexpr int k = 4096;
  Random random = seeded_random(12, "");
  Matrix<float> A = random_matrix(1, k, random);
  Matrix<float> B = random_matrix(k, 256, random);
  for (float& value : A.values) value = std::abs(value);
  for (float& value : B.values) value = std::abs(value);
  const ReferenceProduct reference = multiply(A, B);
  for (int col = 0; col < B.cols; ++col) {
    const float found = in_order(
        k, [&](int i) { return A(0, i); }, [&](int i) { return B(i, col); });
    const double error = std::abs(found - reference.product(0, col));
    EXPECT_LT(error, 0.5 * tolerance(k, reference.magnitude(0, col)));
  }
}

TEST(Compare, AllowsForRoundingsThatAllGoTheSameWay) {
  // The same number is added time and again: as long as the sum's exponent stays, so does the
  // rounding.
  constexpr int k = 4096, cols = 4;
  Matrix<float> A(1, k), B(k, cols), C(1, cols);
  std::ranges::fill(A.values, 1.0f);
  std::ranges::fill(B.values, 0.1f);
  for (int col = 0; col < cols; ++col) {
    C(0, col) = in_order(
        k, [&](int i) { return A(0, i); }, [&](int i) { return B(i, col); });
  }
  const ReferenceProduct reference = multiply(A, B);
  EXPECT_FALSE(compare(C, reference).all_right()) << "else this test shows nothing";
  EXPECT_TRUE(compare(C, reference, Roundings::any).all_right());
  C(0, 3) *= 1.001f;
  EXPECT_EQ(compare(C, reference, Roundings::any).wrong, 1u);
}

// Three products in TF32 pass even if they are split in the worst way, which cuts off twice; one
// product or two do not.
TEST(Compare, TakesThreeProductsOfTf32ForOneOfFloats) {
  const auto cut_off = [](float x) {
    return std::bit_cast<float>(std::bit_cast<std::uint32_t>(x) & ~0x1fffU);
  };
  for (const int n : {1, 2, 7, 64}) {
    Random random = seeded_random(n, "three of tf32");
    const Matrix<float> A = random_matrix(n, n, random), B = random_matrix(n, n, random);
    Matrix<float> three(n, n), two(n, n), one(n, n);
    for (int row = 0; row < n; ++row) {
      for (int col = 0; col < n; ++col) {
        for (int k = 0; k < n; ++k) {
          const float a = cut_off(A(row, k)), b = cut_off(B(k, col));
          const float rest_a = cut_off(A(row, k) - a), rest_b = cut_off(B(k, col) - b);
          one(row, col) += a * b;
          two(row, col) += a * b + a * rest_b;
          three(row, col) += a * b + a * rest_b + rest_a * b;
        }
      }
    }
    const ReferenceProduct reference = multiply(A, B);
    EXPECT_TRUE(compare(three, reference, Roundings::of_tensor_cores).all_right()) << n;
    EXPECT_FALSE(compare(two, reference, Roundings::of_tensor_cores).all_right()) << n;
    EXPECT_FALSE(compare(one, reference, Roundings::of_tensor_cores).all_right()) << n;
  }
}

TEST(Compare, RefusesNarrowerArithmetic) {
  const Kernel kernels[] = {
      {"inputs in half precision or TF32",
       [](int k, const Terms& a, const Terms& b) {
         float sum = 0;
         for (int i = 0; i < k; ++i) {
           sum += rounded_to(half_bits, a(i)) * rounded_to(half_bits, b(i));
         }
         return sum;
       }},
      {"inputs in bfloat16",
       [](int k, const Terms& a, const Terms& b) {
         float sum = 0;
         for (int i = 0; i < k; ++i) {
           sum += rounded_to(bfloat16_bits, a(i)) * rounded_to(bfloat16_bits, b(i));
         }
         return sum;
       }},
      {"one input in half precision",
       [](int k, const Terms& a, const Terms& b) {
         float sum = 0;
         for (int i = 0; i < k; ++i) sum += rounded_to(half_bits, a(i)) * b(i);
         return sum;
       }},
      {"sum in half precision",
       [](int k, const Terms& a, const Terms& b) {
         float sum = 0;
         for (int i = 0; i < k; ++i) sum = rounded_to(half_bits, sum + a(i) * b(i));
         return sum;
       }},
      {"result in half precision",
       [](int k, const Terms& a, const Terms& b) {
         return rounded_to(half_bits, in_order(k, a, b));
       }},
  };
  for (const Kernel& kernel : kernels) {
    for (const int k : {1, 2, 7, 37, 128, 523}) {
      EXPECT_FALSE(compare_row(k, 256, false, kernel.sum).all_right())
          << kernel.name << ", k = " << k;
    }
  }
  // Timed products are larger, and are checked by only 16 of their rows.
  EXPECT_FALSE(compare_row(4096, 4096, false, kernels[0].sum).all_right());
}

TEST(Compare, RefusesADroppedTermInEveryElement) {
  const Sum all_but_the_last = [](int k, const Terms& a, const Terms& b) {
    return in_order(k - 1, a, b);
  };
  for (const int k : {1, 2, 37, 523, 4096}) {
    const Comparison comparison = compare_row(k, 64, false, all_but_the_last);
    EXPECT_EQ(comparison.wrong, comparison.compared) << "k = " << k;
  }
}

TEST(Compare, RefusesWhatIsNotANumber) {
  Random random = seeded_random(13, "");
  const Matrix<float> A = random_matrix(4, 4, random);
  const ReferenceProduct reference = multiply(A, A);
  Matrix<float> right(4, 4);
  for (std::size_t i = 0; i < 16; ++i) right.values[i] = float(reference.product.values[i]);
  ASSERT_TRUE(compare(right, reference).all_right());
  for (const float bad :
       {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity(),
        -std::numeric_limits<float>::infinity()}) {
    Matrix<float> C = right;
    C(2, 1) = bad;
    const Comparison comparison = compare(C, reference);
    EXPECT_EQ(comparison.wrong, 1U);
    EXPECT_EQ(comparison.row, 2);
    EXPECT_EQ(comparison.col, 1);
    EXPECT_TRUE(comparison.is_wrong[2 * 4 + 1]);
  }
}

TEST(Compare, ReportsTheFirstWrongElementOfSampledRows) {
  Random random = seeded_random(14, "");
  const Matrix<float> A = random_matrix(8, 8, random);
  const ReferenceProduct whole = multiply(A, A);
  Matrix<float> C(8, 8);
  for (std::size_t i = 0; i < 64; ++i) C.values[i] = float(whole.product.values[i]);
  C(1, 0) = 100;  // not sampled
  C(5, 6) = 100;
  C(5, 7) = 100;
  const Comparison comparison = compare(C, multiply_rows(A, A, {0, 5, 7}));
  EXPECT_EQ(comparison.compared, 24U);
  EXPECT_EQ(comparison.wrong, 2U);
  EXPECT_EQ(comparison.row, 5);
  EXPECT_EQ(comparison.col, 6);
  EXPECT_EQ(comparison.found, 100.0F);
  EXPECT_FLOAT_EQ(float(comparison.expected), float(whole.product(5, 6)));
}

}  // namespace
}  // namespace tilewise::grading
