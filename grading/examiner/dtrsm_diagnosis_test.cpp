#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "grading/examiner/device_array.hpp"
#include "grading/examiner/diagnosis.hpp"
#include "grading/problem/inputs.hpp"

namespace tilewise::grading {
namespace {

using ::testing::HasSubstr;

constexpr int m = 80, n = 12, block = 32;

/// A function under test on the host; A holds NaN above its diagonal.
using Solver = std::function<void(double alpha, const Matrix<double>& A, Matrix<double>& X)>;

// A solver by substitution. It asks row by row for the parts that can go wrong.
struct Parts {
  std::function<double(const Matrix<double>& A, int row)> divisor = [](const auto& A, int row) {
    return A(row, row);
  };
  std::function<double(const Matrix<double>& A, int row, int k)> factor =
      [](const auto& A, int row, int k) { return A(row, k); };
  int last_row = m;
};

Solver substitution(const Parts& parts) {
  return [=](double alpha, const Matrix<double>& A, Matrix<double>& X) {
    for (int row = 0; row < parts.last_row; ++row) {
      for (int col = 0; col < n; ++col) {
        double sum = alpha * X(row, col);
        for (int k = 0; k < row; ++k) sum -= parts.factor(A, row, k) * X(k, col);
        X(row, col) = sum / parts.divisor(A, row);
      }
    }
  };
}

struct Case {
  const char* name;
  Pattern pattern;
  const char* what;
  Solver solver;
};

const Case cases[] = {
    {"nothing done", Pattern::never_written, "what it held before",
     [](double, const auto&, auto&) {}},
    {"alpha left out", Pattern::other_system, "alpha is left out",
     [](double, const auto& A, auto& X) { substitution({})(1, A, X); }},
    {"alpha twice", Pattern::other_system, "applied twice",
     [](double alpha, const auto& A, auto& X) { substitution({})(alpha * alpha, A, X); }},
    {"not divided", Pattern::other_system, "ones on the diagonal",
     substitution({.divisor = [](const auto&, int) { return 1.0; }})},
    {"multiplied", Pattern::other_system, "where it should be divided",
     substitution({.divisor = [](const auto& A, int row) { return 1 / A(row, row); }})},
    {"stored undivided", Pattern::other_system, "what the rows below it were given is right",
     [](double alpha, const auto& A, auto& X) {
       substitution({})(alpha, A, X);
       for (int row = 0; row < m; ++row) {
         for (int col = 0; col < n; ++col) X(row, col) *= A(row, row);
       }
     }},
    {"divided beforehand", Pattern::other_system, "before the products are subtracted from it",
     substitution(
         {.factor = [](const auto& A, int row, int k) { return A(row, k) * A(row, row); }})},
    {"only divided", Pattern::other_system, "as if A were diagonal",
     substitution({.factor = [](const auto&, int, int) { return 0.0; }})},
    {"no updates between blocks", Pattern::other_system,
     "each block of 32 rows is solved by itself",
     substitution({.factor = [](const auto& A, int row,
                                int k) { return row / block == k / block ? A(row, k) : 0; }})},
    {"added", Pattern::other_system, "products are added",
     substitution({.factor = [](const auto& A, int row, int k) { return -A(row, k); }})},
    {"updates added", Pattern::other_system, "blocks of rows above contribute is added",
     substitution(
         {.factor = [](const auto& A, int row,
                       int k) { return row / block == k / block ? A(row, k) : -A(row, k); }})},
    {"reads above the diagonal", Pattern::reads_outside, "above the diagonal of A",
     substitution({.factor = [](const auto& A, int row, int k) { return A(k, row); }})},
    {"divides by zero", Pattern::not_a_number, "infinities",
     substitution({.divisor = [](const auto&, int) { return 0.0; }})},
    {"in float", Pattern::imprecise, "less precise than double",
     [](double alpha, const auto& A, auto& X) {
       substitution({})(alpha, A, X);
       for (double& value : X.values) value = float(value);
     }},
    {"last product of a row forgotten from row 40 on", Pattern::first_rows_only,
     "rows 0 to 39 are right, and from row 40 on",
     substitution({.factor = [](const auto& A, int row,
                                int k) { return row >= 40 && k == row - 1 ? 0 : A(row, k); }})},
    {"last block wrong", Pattern::first_rows_only, "rows 0 to 63 are right, and from row 64 on",
     substitution({.last_row = 64})},
    {"one column wrong", Pattern::submatrix, "all of them in rows 0 to 79, column 5",
     [](double alpha, const auto& A, auto& X) {
       substitution({})(alpha, A, X);
       for (int row = 0; row < m; ++row) X(row, 5) += row % 2 == 0 ? 1 : 0.5;
     }},
};

TEST(DtrsmDiagnosis, RecognisesEveryMistake) {
  Random random = seeded_random(61, "");
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    const TriangularSystem system{.alpha = 0.7,
                                  .A = random_lower_triangle(m, random),
                                  .B = random_double_matrix(m, n, random)};
    DeviceArray A("A", Access::input, system.A, m);
    A.let_read_only(Readable::lower_triangle);
    Matrix<double> X = system.B;
    c.solver(system.alpha, A.contents_double(), X);
    const auto diagnosis = diagnose_dtrsm({.system = system, .X = X, .tile = {block, block}}, true,
                                          [] { return std::nullopt; });
    ASSERT_TRUE(diagnosis);
    EXPECT_EQ(static_cast<int>(diagnosis->pattern), static_cast<int>(c.pattern)) << diagnosis->what;
    EXPECT_THAT(diagnosis->what, HasSubstr(c.what));
    EXPECT_FALSE(diagnosis->hint.empty());
  }
}

TEST(DtrsmDiagnosis, SaysNothingOfARightSolutionAndBlamesEarlierCalls) {
  Random random = seeded_random(62, "");
  const TriangularSystem system{
      .alpha = 1, .A = random_lower_triangle(m, random), .B = random_double_matrix(m, n, random)};
  const Matrix<double> right = solve(system);
  const DtrsmRerun rerun = [&] { return right; };
  EXPECT_FALSE(diagnose_dtrsm({.system = system, .X = right, .tile = {}}, false, rerun));
  const Matrix<double> noise = random_double_matrix(m, n, random);
  EXPECT_FALSE(diagnose_dtrsm({.system = system, .X = noise, .tile = {}}, true, rerun));
  const auto stale = diagnose_dtrsm({.system = system, .X = noise, .tile = {}}, false, rerun);
  ASSERT_TRUE(stale);
  EXPECT_EQ(static_cast<int>(stale->pattern), static_cast<int>(Pattern::stale));
}

}  // namespace
}  // namespace tilewise::grading
