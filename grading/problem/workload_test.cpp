#include "grading/problem/workload.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <limits>

#include "grading/profile/named_call.hpp"
#include "grading/stages/stage_contracts.hpp"

namespace tilewise::grading {
namespace {

/// A call's matrices in memory, as a worker finds them, and what it may do to them.
class Bench {
 public:
  Bench(Problem problem, const std::string& stage, const std::string& call)
      : call_(read_call(call, contracts_of(stage))),
        workload_(make_workload({problem, &call_, read_input_choice("random", 1), ""})),
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

TEST(WorkloadTest, JudgesProducts) {
  expect_judgement<float>({Problem::product, "03_shared_memory", "matmul_shared(n=24, tile=8)"},
                          24);
}

TEST(WorkloadTest, JudgesProductsInDoublePrecision) {
  expect_judgement<double>({Problem::product, "08_dgemm_dtrsm", "dgemm_shared(m=24, n=24, k=24)"},
                           24);
}

TEST(WorkloadTest, JudgesTransposes) {
  constexpr int n = 9;
  Bench bench(Problem::transpose, "07_transpose", "transpose_naive(rows=9, cols=9)");
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

TEST(WorkloadTest, JudgesSolutionsOfSystems) {
  constexpr int m = 6, n = 5;
  Bench bench(Problem::solve, "08_dgemm_dtrsm", "dtrsm_blocked(m=6, n=5)");
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

TEST(WorkloadTest, LaysMatricesOutWithoutOverlap) {
  Bench bench(Problem::product, "03_shared_memory", "matmul_shared(n=100, tile=8)");
  EXPECT_EQ(bench.matrix("A").offset, 0u);
  EXPECT_GE(bench.matrix("B").offset, 40'000u);
  EXPECT_GE(bench.matrix("C").offset, bench.matrix("B").offset + 40'000);
  for (const char* name : {"A", "B", "C"}) {
    EXPECT_FALSE(bench.matrix(name).device_only) << name;
    EXPECT_EQ(bench.matrix(name).uninitialised, *name == 'C') << name;
  }
}

TEST(WorkloadTest, PosesSystemsOfRandomMatricesOnly) {
  const InputChoice linear{.kind = InputChoice::Kind::linear};
  EXPECT_EQ(obstacle_to(Problem::solve, {}), "");
  EXPECT_EQ(obstacle_to(Problem::product, linear), "");
  EXPECT_NE(obstacle_to(Problem::solve, linear), "");
}

}  // namespace
}  // namespace tilewise::grading
