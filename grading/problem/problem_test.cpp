#include "grading/problem/problem.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <iterator>
#include <limits>
#include <numeric>

#include "grading/profile/named_call.hpp"
#include "grading/stages/stage_contracts.hpp"

namespace tilewise::grading {
namespace {

/// A call's matrices in memory, as a worker finds them, and what it may do to them.
class Bench {
 public:
  Bench(const std::string& problem, const std::string& stage, const std::string& call)
      : call_(read_call(call, contracts_of(stage))),
        workload_(problem_called(problem).pose(call_, read_input_choice("random", 1), "")),
        memory_(bytes_in_memory(call_)),
        arguments_(workload_->place(call_, memory_)) {}

  const BufferArgument& matrix(const std::string& name) const {
    for (const Argument& argument : arguments_) {
      const auto* matrix = std::get_if<BufferArgument>(&argument);
      if (matrix != nullptr && matrix->name == name) return *matrix;
    }
    throw std::logic_error("no matrix " + name);
  }

  template <typename T>
  T* values(const std::string& name) {
    return reinterpret_cast<T*>(memory_.data() + matrix(name).offset);
  }

  std::optional<bool> judged(bool sampled) const {
    return workload_->is_right(arguments_, memory_, sampled);
  }

 private:
  NamedCall call_;
  std::unique_ptr<Workload> workload_;
  std::vector<std::byte> memory_;
  std::vector<Argument> arguments_;
};

template <typename T>
void multiply(Bench& bench, int n, int rows) {
  const T *A = bench.values<T>("A"), *B = bench.values<T>("B");
  T* C = bench.values<T>("C");
  for (int row = 0; row < rows; ++row) {
    for (int col = 0; col < n; ++col) {
      T sum = 0;
      for (int k = 0; k < n; ++k) sum += A[row * n + k] * B[k * n + col];
      C[row * n + col] = sum;
    }
  }
}

template <typename T>
void expect_judgement(Bench bench, int n) {
  EXPECT_EQ(bench.judged(false), false) << "nothing is written yet";
  EXPECT_EQ(bench.judged(true), false) << "nothing is written yet";
  multiply<T>(bench, n, n / 2);
  EXPECT_EQ(bench.judged(false), false) << "half of it is missing";
  EXPECT_EQ(bench.judged(true), true) << "what is there is right";
  multiply<T>(bench, n, n);
  EXPECT_EQ(bench.judged(false), true);
  T& last = bench.values<T>("C")[n * n - 1];
  const T right = last;
  last *= 1 + T(1e-3);
  EXPECT_EQ(bench.judged(false), false);
  EXPECT_EQ(bench.judged(true), false);
  last = std::numeric_limits<T>::quiet_NaN();
  EXPECT_EQ(bench.judged(true), false) << "NaN, but not the one that was there before";
  last = right;
  EXPECT_EQ(bench.judged(true), true);
}

TEST(ProblemTest, JudgesProducts) {
  expect_judgement<float>({"product", "03_shared_memory", "matmul_shared(n=24, tile=8)"}, 24);
}

TEST(ProblemTest, JudgesProductsInDoublePrecision) {
  expect_judgement<double>({"gemm", "08_dgemm_dtrsm", "dgemm_shared(m=24, n=24, k=24)"}, 24);
}

TEST(ProblemTest, JudgesTransposes) {
  constexpr int n = 9;
  Bench bench("transpose", "07_transpose", "transpose_naive(rows=9, cols=9)");
  EXPECT_EQ(bench.judged(false), false);
  EXPECT_EQ(bench.judged(true), false);
  const float* in = bench.values<float>("in");
  float* out = bench.values<float>("out");
  for (int row = 0; row < n; ++row) {
    for (int col = 0; col < n; ++col) out[col * n + row] = in[row * n + col];
    EXPECT_EQ(bench.judged(true), true) << row;
    EXPECT_EQ(bench.judged(false), row == n - 1) << row;
  }
  std::memcpy(out, in, n * n * sizeof(float));
  EXPECT_EQ(bench.judged(false), false) << "a copy";
}

TEST(ProblemTest, JudgesSolutionsOfSystems) {
  constexpr int m = 6, n = 5;
  Bench bench("triangular_solve", "08_dgemm_dtrsm", "dtrsm_blocked(m=6, n=5)");
  EXPECT_EQ(bench.judged(true), std::nullopt) << "nobody can tell what is solved";
  EXPECT_EQ(bench.judged(false), false);
  const double* A = bench.values<double>("A");
  double* B = bench.values<double>("B");
  for (int row = 0; row < m; ++row) {
    for (int col = 0; col < n; ++col) {
      for (int k = 0; k < row; ++k) B[row * n + col] -= A[row * m + k] * B[k * n + col];
      B[row * n + col] /= A[row * m + row];
    }
  }
  EXPECT_EQ(bench.judged(false), true);
  B[m * n - 1] *= 1.001;
  EXPECT_EQ(bench.judged(false), false);
}

/// A is (m, k) with rows 7 elements apart, B (k, n) with rows 6 apart, C (m, n) with rows 5 apart.
constexpr int m = 3, n = 4, k = 5, lda = 7, ldb = 6, ldc = 5;

Bench gemm(double alpha, double beta) {
  return {"gemm", "08_dgemm_dtrsm",
          "dgemm_shared(m=3, n=4, k=5, lda=7, ldb=6, ldc=5, alpha=" + std::to_string(alpha) +
              ", beta=" + std::to_string(beta) + ")"};
}

void multiply_add(Bench& bench, double alpha, double beta, int rows) {
  const double *A = bench.values<double>("A"), *B = bench.values<double>("B");
  double* C = bench.values<double>("C");
  for (int row = 0; row < rows; ++row) {
    for (int col = 0; col < n; ++col) {
      double sum = 0;
      for (int i = 0; i < k; ++i) sum += A[row * lda + i] * B[i * ldb + col];
      double& element = C[row * ldc + col];
      element = alpha * sum + (beta == 0 ? 0 : beta * element);
    }
  }
}

TEST(ProblemTest, JudgesProductsWithScalarsAndRowsThatLieApart) {
  for (const auto& [alpha, beta] : {std::pair(2.0, 0.0), {-1.5, 0.25}, {1.0, 1.0}, {0.0, 3.0}}) {
    Bench bench = gemm(alpha, beta);
    EXPECT_EQ(bench.judged(false), false) << alpha << ' ' << beta;
    multiply_add(bench, alpha, beta, m);
    EXPECT_EQ(bench.judged(false), true) << alpha << ' ' << beta;
    bench.values<double>("C")[(m - 1) * ldc + n - 1] += 1e-3;
    EXPECT_EQ(bench.judged(false), false) << alpha << ' ' << beta;
  }
}

TEST(ProblemTest, JudgesWhatSomeBlocksHaveComputedWhereTheRestIsBlank) {
  Bench blank = gemm(2, 0);
  EXPECT_EQ(blank.judged(true), false) << "nothing is written yet";
  multiply_add(blank, 2, 0, 1);
  EXPECT_EQ(blank.judged(true), true);
  EXPECT_EQ(gemm(2, 1).judged(true), std::nullopt) << "C held numbers before";
}

TEST(ProblemTest, LaysGuardsBetweenRowsThatLieApart) {
  Bench bench = gemm(1, 1);
  const double* A = bench.values<double>("A");
  for (int row = 0; row < m; ++row) {
    for (int col = 0; col < lda; ++col) {
      EXPECT_EQ(std::isnan(A[row * lda + col]), col >= k) << row << ' ' << col;
    }
  }
  EXPECT_TRUE(bench.matrix("C").read_only || !bench.matrix("C").uninitialised) << "beta reads C";
  EXPECT_TRUE(gemm(1, 0).matrix("C").uninitialised);
}

/// Returns a call of a contract that no stage has to have.
NamedCall call_of_sum(int n) {
  BufferArgument sum, x;
  sum.name = "sum";
  x.name = "x";
  x.read_only = true;
  sum.row_elements = 1;
  x.row_elements = static_cast<std::size_t>(n);
  for (BufferArgument* matrix : {&sum, &x}) {
    matrix->element_bytes = sizeof(float);
    matrix->image_bytes = matrix->payload_bytes = sizeof(float) * matrix->row_elements;
  }
  NamedCall call;
  call.function = "sum";
  call.text = "sum(n)";
  call.arguments = {sum, x, std::int64_t(n)};
  call.matrices = {{1, 1}, {1, n}};
  return call;
}

TEST(ProblemTest, JudgesSumsInAnyOrderOfTheAdditions) {
  for (const int length : {1, 2, 31, 1000, 100'003}) {
    const NamedCall call = call_of_sum(length);
    const auto workload = problem_called("sum").pose(call, {}, {});
    std::vector<std::byte> memory(bytes_in_memory(call));
    const auto arguments = workload->place(call, memory);
    const auto judged = [&](bool sampled) {
      return workload->is_right(arguments, memory, sampled);
    };
    EXPECT_EQ(judged(false), false) << "nothing is written yet";
    float* sum = reinterpret_cast<float*>(memory.data() + matrix_called("sum", arguments).offset);
    const auto* x =
        reinterpret_cast<const float*>(memory.data() + matrix_called("x", arguments).offset);
    *sum = std::accumulate(x, x + length, 0.0f);
    EXPECT_EQ(judged(false), true) << length;
    *sum = std::accumulate(std::reverse_iterator(x + length), std::reverse_iterator(x), 0.0f);
    EXPECT_EQ(judged(false), true) << length;
    EXPECT_EQ(judged(true), std::nullopt) << "some blocks' part of it may be any number";
    *sum -= x[length / 2];
    EXPECT_EQ(judged(false), false) << length << ", but one element";
    *sum = std::numeric_limits<float>::quiet_NaN();
    EXPECT_EQ(judged(false), false) << length;
  }
}

TEST(ProblemTest, JudgesProductsOfAMatrixAndAVector) {
  constexpr int m = 5, n = 7, lda = 9;
  const auto gemv = [](const std::string& rest) {
    return Bench("gemv", "10_reduction", "gemv(m=5, n=7, alpha=1.5" + rest + ")");
  };
  Bench bench = gemv(", lda=9");
  EXPECT_EQ(bench.judged(false), false) << "nothing is written yet";
  EXPECT_EQ(bench.judged(true), false) << "nothing is written yet";
  const float *A = bench.values<float>("A"), *x = bench.values<float>("x");
  float* y = bench.values<float>("y");
  for (int row = 0; row < m; ++row) {
    y[row] = 1.5f * std::inner_product(x, x + n, A + row * lda, 0.0f);
    EXPECT_EQ(bench.judged(true), true) << row;
    EXPECT_EQ(bench.judged(false), row == m - 1) << row;
  }
  y[2] *= 1.001f;
  EXPECT_EQ(bench.judged(true), false);
  EXPECT_EQ(gemv(", beta=0.5").judged(true), std::nullopt) << "y is no blank sheet";
  EXPECT_FALSE(gemv(", beta=0.5").matrix("y").uninitialised);
}

TEST(ProblemTest, JudgesSoftmaxOfRows) {
  Bench bench("softmax", "10_reduction", "softmax_rows(rows=4, cols=3)");
  EXPECT_EQ(bench.judged(false), false) << "nothing is written yet";
  EXPECT_EQ(bench.judged(true), false) << "nothing is written yet";
  const float* in = bench.values<float>("in");
  float* out = bench.values<float>("out");
  for (int row = 0; row < 4; ++row, in += 3, out += 3) {
    const float sum = std::exp(in[0]) + std::exp(in[1]) + std::exp(in[2]);
    for (int col = 0; col < 3; ++col) out[col] = std::exp(in[col]) / sum;
    EXPECT_EQ(bench.judged(true), true) << row;
    EXPECT_EQ(bench.judged(false), row == 3) << row;
  }
  out[-1] = std::numeric_limits<float>::quiet_NaN();
  EXPECT_EQ(bench.judged(true), false);
}

TEST(ProblemTest, OfAFunctionThatNothingIsKnownOfHasInputsAndNoJudgement) {
  Bench bench("", "03_shared_memory", "matmul_shared(n=8, tile=8)");
  EXPECT_EQ(bench.judged(false), std::nullopt);
  EXPECT_FALSE(bench.matrix("A").uninitialised);
  EXPECT_TRUE(bench.matrix("C").uninitialised);
}

TEST(ProblemTest, LaysMatricesOutWithoutOverlap) {
  Bench bench("product", "03_shared_memory", "matmul_shared(n=100, tile=8)");
  EXPECT_EQ(bench.matrix("A").offset, 0u);
  EXPECT_GE(bench.matrix("B").offset, 40'000u);
  EXPECT_GE(bench.matrix("C").offset, bench.matrix("B").offset + 40'000);
  for (const char* name : {"A", "B", "C"}) {
    EXPECT_FALSE(bench.matrix(name).device_only) << name;
    EXPECT_EQ(bench.matrix(name).uninitialised, *name == 'C') << name;
  }
}

TEST(ProblemTest, PosesSystemsOfRandomMatricesOnly) {
  const InputChoice linear{.kind = InputChoice::Kind::linear};
  EXPECT_EQ(problem_called("triangular_solve").obstacle_to({}), "");
  EXPECT_EQ(problem_called("product").obstacle_to(linear), "");
  EXPECT_NE(problem_called("triangular_solve").obstacle_to(linear), "");
}

}  // namespace
}  // namespace tilewise::grading
