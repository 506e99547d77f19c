#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "grading/problem/inputs.hpp"
#include "grading/problem/reference.hpp"

namespace tilewise::grading {
namespace {

constexpr int block = 32;

TriangularSystem random_system(int m, int n, double alpha, Random& random) {
  return {.alpha = alpha,
          .A = random_lower_triangle(m, random),
          .B = random_double_matrix(m, n, random)};
}

// Solves rows [first, last) of X by substitution within them.
template <typename Real>
void substitute(const Matrix<double>& A, Matrix<double>& X, int first, int last) {
  for (int col = 0; col < X.cols; ++col) {
    for (int row = first; row < last; ++row) {
      Real sum = static_cast<Real>(X(row, col));
      for (int k = first; k < row; ++k) {
        sum -= static_cast<Real>(A(row, k)) * static_cast<Real>(X(k, col));
      }
      X(row, col) = sum / static_cast<Real>(A(row, row));
    }
  }
}

// Subtracts from rows [first, last) what the rows [from, first) of X contribute.
void update(const Matrix<double>& A, Matrix<double>& X, int from, int first, int last) {
  for (int row = first; row < last; ++row) {
    for (int col = 0; col < X.cols; ++col) {
      double sum = 0;
      for (int k = from; k < first; ++k) sum = std::fma(A(row, k), X(k, col), sum);
      X(row, col) -= sum;
    }
  }
}

void solve_recursively(const Matrix<double>& A, Matrix<double>& X, int first, int last) {
  if (last - first <= block) return substitute<double>(A, X, first, last);
  const int middle = first + (last - first) / 2;
  solve_recursively(A, X, first, middle);
  update(A, X, first, middle, last);
  solve_recursively(A, X, middle, last);
}

// Multiplies by the inverse of the block, which substitution gives for each unit vector.
void multiply_by_inverse(const Matrix<double>& A, Matrix<double>& X, int first, int last) {
  Matrix<double> inverse(A.rows, last - first);
  for (int i = first; i < last; ++i) inverse(i, i - first) = 1;
  substitute<double>(A, inverse, first, last);
  const Matrix<double> right = X;
  for (int row = first; row < last; ++row) {
    for (int col = 0; col < X.cols; ++col) {
      double sum = 0;
      for (int k = first; k < last; ++k) sum += inverse(row, k - first) * right(k, col);
      X(row, col) = sum;
    }
  }
}

using Solver = std::function<void(const Matrix<double>& A, Matrix<double>& X)>;

void by_blocks(const Matrix<double>& A, Matrix<double>& X,
               void (*solve_block)(const Matrix<double>&, Matrix<double>&, int, int)) {
  for (int first = 0; first < A.rows; first += block) {
    const int last = std::min(first + block, A.rows);
    update(A, X, 0, first, last);
    solve_block(A, X, first, last);
  }
}

struct NamedSolver {
  const char* name;
  Solver solver;
};

const NamedSolver honest[] = {
    {"substitution", [](const auto& A, auto& X) { substitute<double>(A, X, 0, A.rows); }},
    {"in blocks", [](const auto& A, auto& X) { by_blocks(A, X, substitute<double>); }},
    {"recursively", [](const auto& A, auto& X) { solve_recursively(A, X, 0, A.rows); }},
    {"with inverted blocks", [](const auto& A, auto& X) { by_blocks(A, X, multiply_by_inverse); }},
};

Comparison check(const TriangularSystem& system, const Solver& solver) {
  Matrix<double> X = system.B;
  for (double& value : X.values) value *= system.alpha;
  solver(system.A, X);
  return check_solution(system, X);
}

constexpr int orders[] = {1, 2, 31, 32, 33, 64, 100, 257};

TEST(DtrsmReference, SolvesTheSystem) {
  Random random = seeded_random(31, "");
  const TriangularSystem system = random_system(37, 5, -2, random);
  const Matrix<double> X = solve(system);
  for (int row = 0; row < 37; ++row) {
    for (int col = 0; col < 5; ++col) {
      double sum = 0;
      for (int k = 0; k <= row; ++k) sum += system.A(row, k) * X(k, col);
      EXPECT_NEAR(sum, -2 * system.B(row, col), 1e-12);
    }
  }
  EXPECT_TRUE(solve(random_system(0, 5, 1, random)).values.empty());
  EXPECT_TRUE(solve(random_system(5, 0, 1, random)).values.empty());
}

TEST(CheckSolution, AcceptsEveryHonestSolver) {
  Random random = seeded_random(32, "");
  for (const int m : orders) {
    for (const double alpha : {1.0, -0.3}) {
      const TriangularSystem system = random_system(m, 17, alpha, random);
      EXPECT_TRUE(check_solution(system, solve(system)).all_right()) << "OpenBLAS, m = " << m;
      for (const auto& [name, solver] : honest) {
        EXPECT_TRUE(check(system, solver).all_right()) << name << ", m = " << m;
      }
    }
  }
}

TEST(CheckSolution, DoesNotLookAboveTheDiagonal) {
  Random random = seeded_random(33, "");
  TriangularSystem system = random_system(40, 7, 1, random);
  const Matrix<double> X = solve(system);
  for (int row = 0; row < 40; ++row) {
    for (int col = row + 1; col < 40; ++col) {
      system.A(row, col) = std::numeric_limits<double>::quiet_NaN();
    }
  }
  EXPECT_TRUE(check_solution(system, X).all_right());
}

TEST(CheckSolution, RefusesSinglePrecision) {
  const NamedSolver dishonest[] = {
      {"substitution in float", [](const auto& A, auto& X) { substitute<float>(A, X, 0, A.rows); }},
      {"blocks in float", [](const auto& A, auto& X) { by_blocks(A, X, substitute<float>); }},
      {"result in float",
       [](const auto& A, auto& X) {
         substitute<double>(A, X, 0, A.rows);
         for (double& value : X.values) value = static_cast<float>(value);
       }},
  };
  Random random = seeded_random(34, "");
  for (const int m : orders) {
    const TriangularSystem system = random_system(m, 17, 0.7, random);
    for (const auto& [name, solver] : dishonest) {
      const Comparison comparison = check(system, solver);
      EXPECT_GT(comparison.wrong, comparison.compared / 2) << name << ", m = " << m;
    }
  }
}

TEST(CheckSolution, NamesTheElementThatIsWrong) {
  Random random = seeded_random(35, "");
  const TriangularSystem system = random_system(70, 9, 1, random);
  const Matrix<double> right = solve(system);
  const double wrong_values[] = {right(40, 3) + 1e-9, 0, 1e300,
                                 std::numeric_limits<double>::infinity(),
                                 std::numeric_limits<double>::quiet_NaN()};
  for (const double wrong : wrong_values) {
    SCOPED_TRACE(wrong);
    Matrix<double> X = right;
    X(40, 3) = wrong;
    const Comparison comparison = check_solution(system, X);
    EXPECT_EQ(comparison.wrong, 1U) << "the rows below are right in themselves";
    EXPECT_EQ(comparison.row, 40);
    EXPECT_EQ(comparison.col, 3);
    EXPECT_EQ(comparison.expected, right(40, 3));
    EXPECT_TRUE(comparison.is_wrong[40 * 9 + 3]);
    EXPECT_LT(comparison.tolerance, 1e-10);
  }
}

TEST(CheckSolution, WantsExactZerosForAlphaZero) {
  Random random = seeded_random(36, "");
  const TriangularSystem system = random_system(33, 4, 0, random);
  EXPECT_TRUE(check_solution(system, Matrix<double>(33, 4)).all_right());
  Matrix<double> X(33, 4);
  X(5, 1) = 1e-200;
  const Comparison comparison = check_solution(system, X);
  EXPECT_EQ(comparison.row, 5);
  EXPECT_EQ(comparison.col, 1);
  EXPECT_EQ(comparison.wrong, 1U);
}

TEST(CheckSolution, OfNothingIsRight) {
  Random random = seeded_random(37, "");
  EXPECT_TRUE(check_solution(random_system(0, 3, 1, random), Matrix<double>(0, 3)).all_right());
  EXPECT_TRUE(check_solution(random_system(3, 0, 1, random), Matrix<double>(3, 0)).all_right());
}

TEST(SolvesRoughly, TellsSinglePrecisionFromMistakes) {
  Random random = seeded_random(38, "");
  const TriangularSystem system = random_system(64, 5, 1, random);
  Matrix<double> X = system.B;
  substitute<float>(system.A, X, 0, 64);
  EXPECT_TRUE(solves_roughly(system, X, 0x1p-18));
  X(63, 4) *= 1.001;
  EXPECT_FALSE(solves_roughly(system, X, 0x1p-18));
}

}  // namespace
}  // namespace tilewise::grading
