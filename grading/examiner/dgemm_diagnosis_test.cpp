#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "grading/examiner/device_array.hpp"
#include "grading/examiner/diagnosis.hpp"

namespace tilewise::grading {
namespace {

using ::testing::HasSubstr;

constexpr int m = 21, n = 19, k = 13, lda = 16, ldb = 24, ldc = 20, tile = 8;

/// What a function under test gets, on the host. The matrices lie within guard bands and have gaps
/// between their rows, as on a device.
struct Arguments {
  double alpha;
  const double* A;
  const double* B;
  double beta;
  double* C;
};

/// One thread's work for element (row, col).
using Element = std::function<void(const Arguments& in, int row, int col)>;

Matrix<double> run(const Element& element, const GemmInputs& inputs, const Matrix<double>& before) {
  DeviceArray arrays[] = {{"A", Access::input, inputs.A, lda},
                          {"B", Access::input, inputs.B, ldb},
                          {"C", Access::in_out, before, ldc}};
  if (inputs.alpha == 0) {
    for (int i = 0; i < 2; ++i) arrays[i].let_read_only(Readable::nothing);
  }
  std::vector<std::byte> images[3];
  double* pointers[3] = {};
  for (int i = 0; i < 3; ++i) {
    images[i].resize(arrays[i].image_bytes());
    arrays[i].store(images[i]);
    pointers[i] = reinterpret_cast<double*>(images[i].data() + arrays[i].payload_offset());
  }
  for (int row = 0; row < m; ++row) {
    for (int col = 0; col < n; ++col) {
      element({inputs.alpha, pointers[0], pointers[1], inputs.beta, pointers[2]}, row, col);
    }
  }
  arrays[2].load(images[2]);
  return arrays[2].contents_double();
}

double dot(const Arguments& in, int row, int col, int first = 0, int last = k) {
  double sum = 0;
  for (int i = first; i < last; ++i) sum += in.A[row * lda + i] * in.B[i * ldb + col];
  return sum;
}

void right(const Arguments& in, int row, int col) {
  double& c = in.C[row * ldc + col];
  const double product = in.alpha == 0 ? 0 : in.alpha * dot(in, row, col);
  c = in.beta == 0 ? product : product + in.beta * c;
}

struct Case {
  const char* name;
  Pattern pattern;
  const char* what;
  double alpha, beta;
  Element element;
};

const Case cases[] = {
    {"nothing stored", Pattern::never_written, "no element of C", 1, 0,
     [](const Arguments&, int, int) {}},
    {"nothing stored, C in use", Pattern::never_written, "what it held before", 1, 0.5,
     [](const Arguments&, int, int) {}},
    {"alpha left out in half of the columns", Pattern::other_factors,
     "in these alone, where col % 2 = 1, C holds A * B + beta * C: alpha is left out", 3, 0,
     [](const Arguments& in, int row, int col) {
       in.C[row * ldc + col] = (col % 2 == 1 ? 1 : in.alpha) * dot(in, row, col);
     }},
    {"nothing added", Pattern::all_zero, "zero everywhere", 1, 0,
     [](const Arguments& in, int row, int col) { in.C[row * ldc + col] = 0; }},
    {"C read for beta = 0", Pattern::accumulates, "although beta is 0", 2, 0,
     [](const Arguments& in, int row, int col) {
       double& c = in.C[row * ldc + col];
       c = in.alpha * dot(in, row, col) + in.beta * c;
     }},
    {"A and B read for alpha = 0", Pattern::reads_outside, "although alpha is 0", 0, 2,
     [](const Arguments& in, int row, int col) {
       double& c = in.C[row * ldc + col];
       c = in.alpha * dot(in, row, col) + in.beta * c;
     }},
    {"k runs past the edge", Pattern::reads_outside, "in the gaps between their rows", 1, 0,
     [](const Arguments& in, int row, int col) {
       in.C[row * ldc + col] = dot(in, row, col, 0, lda);
     }},
    {"lda taken for k", Pattern::reads_outside, "in the gaps between their rows", 1, 0,
     [](const Arguments& in, int row, int col) {
       double sum = 0;
       for (int i = 0; i < k; ++i) sum += in.A[row * k + i] * in.B[i * ldb + col];
       in.C[row * ldc + col] = sum;
     }},
    {"uninitialised", Pattern::not_a_number, "NaN among the results", 1, 0,
     [](const Arguments& in, int row, int col) {
       in.C[row * ldc + col] = std::nan("1") + dot(in, row, col);
     }},
    {"alpha left out", Pattern::other_factors, "alpha is left out", 3, 0.5,
     [](const Arguments& in, int row, int col) {
       double& c = in.C[row * ldc + col];
       c = dot(in, row, col) + in.beta * c;
     }},
    {"C left out", Pattern::other_factors, "beta * C is left out", 3, 0.5,
     [](const Arguments& in, int row, int col) {
       in.C[row * ldc + col] = in.alpha * dot(in, row, col);
     }},
    {"product left out", Pattern::other_factors, "nothing was added to it", 3, 0.5,
     [](const Arguments& in, int row, int col) { in.C[row * ldc + col] *= in.beta; }},
    {"beta left out", Pattern::other_factors, "beta is left out", 3, 0.5,
     [](const Arguments& in, int row, int col) {
       in.C[row * ldc + col] += in.alpha * dot(in, row, col);
     }},
    {"alpha times all", Pattern::other_factors, "alpha multiplies C, too", 3, 0.5,
     [](const Arguments& in, int row, int col) {
       double& c = in.C[row * ldc + col];
       c = in.alpha * (dot(in, row, col) + in.beta * c);
     }},
    {"alpha and beta swapped", Pattern::other_factors, "changed places", 3, 0.5,
     [](const Arguments& in, int row, int col) {
       double& c = in.C[row * ldc + col];
       c = in.beta * dot(in, row, col) + in.alpha * c;
     }},
    {"beta times all", Pattern::other_factors, "C holds alpha * beta * A * B + beta * C, and", 3,
     0.5,
     [](const Arguments& in, int row, int col) {
       double& c = in.C[row * ldc + col];
       c = in.beta * (in.alpha * dot(in, row, col) + c);
     }},
    {"beta for alpha", Pattern::other_factors, "C holds beta * A * B + beta * C, and", 3, 0.5,
     [](const Arguments& in, int row, int col) {
       double& c = in.C[row * ldc + col];
       c = in.beta * dot(in, row, col) + in.beta * c;
     }},
    {"neither of them", Pattern::other_factors, "C holds A * B, and", 3, 0.5,
     [](const Arguments& in, int row, int col) { in.C[row * ldc + col] = dot(in, row, col); }},
    {"beta without C", Pattern::other_factors, "C holds alpha * A * B + beta, and", 3, 0.5,
     [](const Arguments& in, int row, int col) {
       in.C[row * ldc + col] = in.alpha * dot(in, row, col) + in.beta;
     }},
    {"last partial tile of k left out", Pattern::sum_cut_short,
     "first 8 products instead of all 13", -1, 0.5,
     [](const Arguments& in, int row, int col) {
       double& c = in.C[row * ldc + col];
       c = in.alpha * dot(in, row, col, 0, k / tile * tile) + in.beta * c;
     }},
    {"sum reset", Pattern::sum_starts_late, "lacks the first 8 of its 13", 1, 0,
     [](const Arguments& in, int row, int col) {
       in.C[row * ldc + col] = dot(in, row, col, tile, k);
     }},
    {"last partial tile of k not cleared", Pattern::term_repeated,
     "the products with k = 5 to 7 are added twice", -1, 0.5,
     [](const Arguments& in, int row, int col) {
       double& c = in.C[row * ldc + col];
       c = in.alpha * (dot(in, row, col) + dot(in, row, col, 5, 8)) + in.beta * c;
     }},
    {"last product added again", Pattern::term_repeated, "the product with k = 12 is added twice",
     1, 0,
     [](const Arguments& in, int row, int col) {
       in.C[row * ldc + col] = dot(in, row, col) + dot(in, row, col, k - 1, k);
     }},
    {"left alone for alpha = 0", Pattern::never_written, "even where there are no products", 0, 0.5,
     [](const Arguments&, int, int) {}},
    {"left alone for alpha = beta = 0", Pattern::never_written, "even where there are no products",
     0, 0, [](const Arguments&, int, int) {}},
    {"C read for alpha = beta = 0", Pattern::accumulates, "although beta is 0", 0, 0,
     [](const Arguments& in, int row, int col) { in.C[row * ldc + col] *= in.beta; }},
    {"in float", Pattern::imprecise, "less precise than double", 1.5, 0.5,
     [](const Arguments& in, int row, int col) {
       double& c = in.C[row * ldc + col];
       float sum = 0;
       for (int i = 0; i < k; ++i) sum += float(in.A[row * lda + i]) * float(in.B[i * ldb + col]);
       c = in.alpha * double(sum) + in.beta * c;
     }},
    {"edges left out", Pattern::edges_only, "right and lower edge are missing", 1, 0,
     [](const Arguments& in, int row, int col) {
       if (row < m / tile * tile && col < n / tile * tile) right(in, row, col);
     }},
    {"first tile alone", Pattern::first_tile_only, "first 8x8 tile", 1, 0,
     [](const Arguments& in, int row, int col) {
       if (row < tile && col < tile) right(in, row, col);
     }},
    {"a row of A for another one", Pattern::misplaced, "row 8 of C is what row 1 should be", 1, 0,
     [](const Arguments& in, int row, int col) {
       in.C[row * ldc + col] = in.alpha * dot(in, row < 8 ? row : row - 7, col);
     }},
    {"a column of B for another one", Pattern::misplaced,
     "column 3 of C is what column 2 should be", 1, 0,
     [](const Arguments& in, int row, int col) {
       in.C[row * ldc + col] = in.alpha * dot(in, row, col == 3 ? 2 : col);
     }},
    {"results of a fragment exchanged", Pattern::misplaced,
     "C[0][1] is what C[8][0] should be; all of the wrong elements are right ones of other places",
     1, 0,
     [](const Arguments& in, int row, int col) {
       const bool is_upper = row < 8 && col % 2 == 1;
       const bool is_lower = row >= 8 && row < 16 && col % 2 == 0 && col + 1 < n;
       in.C[row * ldc + col] = is_upper   ? dot(in, row + 8, col - 1)
                               : is_lower ? dot(in, row - 8, col + 1)
                                          : dot(in, row, col);
     }},
    {"one row wrong", Pattern::submatrix, "all of them in row 3, columns 0 to 18", 1, 0,
     [](const Arguments& in, int row, int col) {
       right(in, row, col);
       if (row == 3) in.C[row * ldc + col] += col + 1;
     }},
};

GemmInputs random_inputs(double alpha, double beta, Random& random) {
  return {.alpha = alpha,
          .A = random_double_matrix(m, k, random),
          .B = random_double_matrix(k, n, random),
          .beta = beta,
          .C = random_double_matrix(m, n, random)};
}

Matrix<double> before_of(const GemmInputs& inputs) {
  if (inputs.beta != 0) return inputs.C;
  return DeviceArray("C", Access::output, m, n, n, ElementType::float64).contents_double();
}

TEST(DgemmDiagnosis, RecognisesEveryMistake) {
  Random random = seeded_random(51, "");
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    const GemmInputs inputs = random_inputs(c.alpha, c.beta, random);
    const Matrix<double> before = before_of(inputs);
    const DgemmRerun rerun = [&](const auto& other) { return run(c.element, inputs, other); };
    const Matrix<double> after = *rerun(before);
    const auto diagnosis = diagnose_dgemm(
        {.inputs = inputs, .before = before, .after = after, .tile = {tile, tile}}, true, rerun);
    ASSERT_TRUE(diagnosis);
    EXPECT_EQ(static_cast<int>(diagnosis->pattern), static_cast<int>(c.pattern)) << diagnosis->what;
    EXPECT_THAT(diagnosis->what, HasSubstr(c.what));
    EXPECT_FALSE(diagnosis->hint.empty());
  }
}

TEST(DgemmDiagnosis, KnowsTransposedFactorsOfSquareMatrices) {
  constexpr int order = 9;
  Random random = seeded_random(52, "");
  const GemmInputs inputs{.alpha = 1,
                          .A = random_double_matrix(order, order, random),
                          .B = random_double_matrix(order, order, random),
                          .beta = 0.5,
                          .C = random_double_matrix(order, order, random)};
  const struct {
    bool transpose_A;
    Pattern pattern;
  } cases_of_square[] = {{true, Pattern::first_factor_transposed},
                         {false, Pattern::second_factor_transposed}};
  for (const auto& [transpose_A, pattern] : cases_of_square) {
    GemmInputs other = inputs;
    Matrix<double>& factor = transpose_A ? other.A : other.B;
    factor = transposed(factor);
    const Matrix<double> after = multiply_add(other).product;
    const auto diagnosis =
        diagnose_dgemm({.inputs = inputs, .before = inputs.C, .after = after, .tile = {tile, tile}},
                       true, [](const auto&) { return std::nullopt; });
    ASSERT_TRUE(diagnosis);
    EXPECT_EQ(static_cast<int>(diagnosis->pattern), static_cast<int>(pattern));
  }
}

TEST(DgemmDiagnosis, SaysNothingOfARightResultOrOfNoise) {
  Random random = seeded_random(53, "");
  const GemmInputs inputs = random_inputs(2, -1, random);
  const DgemmRerun rerun = [&](const auto& before) { return run(right, inputs, before); };
  const Matrix<double> after = *rerun(inputs.C);
  EXPECT_FALSE(diagnose_dgemm(
      {.inputs = inputs, .before = inputs.C, .after = after, .tile = {tile, tile}}, true, rerun));
  const Matrix<double> noise = random_double_matrix(m, n, random);
  EXPECT_FALSE(diagnose_dgemm(
      {.inputs = inputs, .before = inputs.C, .after = noise, .tile = {tile, tile}}, true, rerun));
}

TEST(DgemmDiagnosis, BlamesEarlierCallsForWhatAFreshProcessDoesRight) {
  Random random = seeded_random(54, "");
  const GemmInputs inputs = random_inputs(2, -1, random);
  const DgemmRerun rerun = [&](const auto& before) { return run(right, inputs, before); };
  const Matrix<double> noise = random_double_matrix(m, n, random);
  const auto diagnosis = diagnose_dgemm(
      {.inputs = inputs, .before = inputs.C, .after = noise, .tile = {tile, tile}}, false, rerun);
  ASSERT_TRUE(diagnosis);
  EXPECT_EQ(static_cast<int>(diagnosis->pattern), static_cast<int>(Pattern::stale));
}

}  // namespace
}  // namespace tilewise::grading
