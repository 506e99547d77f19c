#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "common/process/sandbox.hpp"
#include "grading/builder/compiler_warnings.hpp"

namespace tilewise::grading {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::MatchesRegex;

struct Case {
  const char* what;
  const char* kernel;
  testing::Matcher<std::vector<std::string>> warnings;
};

class CompilerWarnings : public testing::TestWithParam<Case> {};

TEST_P(CompilerWarnings, TellWhatMayBeWhyAResultIsWrong) {
  const ScratchDirectory scratch;
  const fs::path folder = scratch.path() / "labs" / "02_multi_block_grid";
  fs::create_directories(folder);
  std::ofstream(folder / "matmul_grid.cu") << R"(#include "matmul_grid.hpp"
template <int Unused>
__global__ void product(const float* A, const float* B, float* C, int n) {
  const int row = blockIdx.y * blockDim.y + threadIdx.y;
  const int col = blockIdx.x * blockDim.x + threadIdx.x;
  )" << GetParam().kernel << R"(
}
cudaError_t matmul_grid(const float* A, const float* B, float* C, int n, dim3 block) {
  product<1><<<dim3(n, n), block>>>(A, B, C, n);
  product<2><<<dim3(n, n), block>>>(A, B, C, n);
  return cudaGetLastError();
}
)";
  EXPECT_THAT(compiler_warnings("02_multi_block_grid", folder), GetParam().warnings);
}

INSTANTIATE_TEST_SUITE_P(
    Cases, CompilerWarnings,
    testing::Values(
        Case{"NothingOdd", "if (row < n && col < n) C[row * n + col] = A[row] * B[col];",
             IsEmpty()},
        Case{"ASumThatStartsAnywhere",
             "float sum; for (int k = 0; k < n; ++k) sum += A[k] * B[k]; C[row * n + col] = sum;",
             ElementsAre(MatchesRegex(
                 "labs/02_multi_block_grid/matmul_grid.cu:6: .*sum.* uninitialized.*"))},
        Case{"AStepThatIsNotTaken", "for (int k = row; k < n; k + 1) C[k * n + col] = 0;",
             ElementsAre(MatchesRegex("labs/02_multi_block_grid/matmul_grid.cu:6: .*"))},
        // Other warnings say nothing about a result.
        Case{"AVariableWithoutUse", "int unused = 1; C[row * n + col] = 0;", IsEmpty()},
        Case{"WhatDoesNotCompile", "C[row * n + col] = nowhere;", IsEmpty()}),
    [](const auto& info) { return std::string(info.param.what); });

}  // namespace
}  // namespace tilewise::grading
