// These tests check that kernels split at their barriers compute exactly what fibers compute.
#include "grading/check/split_kernels.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "common/process/command.hpp"
#include "common/process/sandbox.hpp"
#include "grading/builder/layout.hpp"
#include "grading/check/program_build.hpp"

namespace tilewise::grading {
namespace {

namespace fs = std::filesystem;
using testing::AnyOf;
using testing::HasSubstr;
using testing::IsEmpty;

TEST(TablesOfKernels, AreReadAndTold) {
  const ScratchDirectory scratch;
  std::ofstream(scratch.path() / "report") << "sum\t\nscan<4>\tit calls f()\nsum\t\n";
  const std::vector<SplitNote> kernels = read_split_report(scratch.path() / "report");
  ASSERT_EQ(kernels.size(), 2u) << "a kernel of two files is one";
  EXPECT_EQ(in_words(kernels),
            "tilewise: 1 of 2 kernels are split at their barriers\n"
            "tilewise: scan<4> is not: it calls f()\n");
  EXPECT_THAT(read_split_report(scratch.path() / "nothing"), IsEmpty());
}

/// Compares the output of a program that one compiler builds with and without splitting its
/// kernels.
class SplitPrograms : public testing::Test {
 protected:
  void SetUp() override {
    tools_ = split_tools();
    if (!tools_) GTEST_SKIP() << "this build has no pass, or no clang loads it";
    std::string compiler;
    for (const std::string& word : tools_->compiler) compiler += word + " ";
    setenv("CXX", compiler.c_str(), 1);  // for both builds
  }

  ProgramBuild build(const CompilerWords& words, const std::optional<SplitTools>& tools) {
    const fs::path folder = scratch_.path() / (tools ? "split" : "fibers");
    fs::create_directories(folder);
    ProgramBuild built = build_program(words, Flavour::fast, folder, tools);
    EXPECT_TRUE(built.ok) << built.messages;
    return built;
  }

  CommandResult run(const ProgramBuild& built) {
    Command command;
    command.arguments = {built.result.string()};
    command.environment = {{"TILEWISE_FAST", "1"}};
    command.time_limit_s = 100;
    return run_command(std::move(command));
  }

  void expect_the_same(const ProgramBuild& split, const ProgramBuild& fibers) {
    std::istringstream by_rows(run(split).output), by_fibers(run(fibers).output);
    std::string row, fiber;
    std::size_t lines = 0;
    for (; std::getline(by_fibers, fiber); ++lines) {
      std::getline(by_rows, row);
      EXPECT_EQ(row, fiber);
    }
    EXPECT_FALSE(std::getline(by_rows, row)) << row;
    EXPECT_GT(lines, 0u);
  }

  fs::path testdata(const char* name) const {
    return layout().root / "common" / "simt" / "split" / "testdata" / name;
  }
  const std::optional<SplitTools>& tools() const { return tools_; }
  fs::path folder() const { return scratch_.path(); }

 private:
  std::optional<SplitTools> tools_;
  ScratchDirectory scratch_;
};

class SplitTables : public SplitPrograms {};

TEST_F(SplitTables, OfSmallKernelsAreComputedAlike) {
  CompilerWords words;
  words.sources = {testdata("kernels.cu")};
  const ProgramBuild split = build(words, tools());
  const std::map<std::string, std::string> as_fibers = {
      {"two_atomic_sums", "its result depends on the order of atomic operations"},
      {"a_barrier_for_some", "depends on more than blockIdx, threadIdx.y and the kernel's"},
      {"a_counting_barrier", "it calls __syncthreads_count()"},
      {"a_shuffle", "it calls __activemask()"},
      {"a_recursion", "it "},
      {"a_pointer", "it calls by a pointer"}};
  std::size_t found = 0;
  for (const SplitNote& kernel : split.kernels) {
    const auto expected = as_fibers.find(kernel.kernel);
    found += expected != as_fibers.end();
    EXPECT_THAT(kernel.why_not,
                expected == as_fibers.end() ? HasSubstr("") : HasSubstr(expected->second));
    EXPECT_EQ(kernel.why_not.empty(), expected == as_fibers.end())
        << kernel.kernel << ": " << kernel.why_not;
  }
  EXPECT_EQ(found, as_fibers.size());
  expect_the_same(split, build(words, std::nullopt));
}

TEST_F(SplitTables, HideNoFault) {
  const struct {
    const char* body;
    const char* says;
  } cases[] = {{"if (threadIdx.y == 0) {\n__syncthreads();\n} else {\n__syncthreads();\n}",
                "fault.cu:5: barrier: "},
               {"x[blockDim.y << 28] = 1;", "in fault"},
               {"__shared__ float s[20000]; s[threadIdx.x] = *x; __syncthreads(); *x = s[0];",
                "fault declares 80000 bytes of shared memory"}};
  for (const auto& fault : cases) {
    std::ofstream(folder() / "fault.cu")
        << "__global__ void fault(float* x) {\n"
        << fault.body << "\n}\n"
        << "int main() {\n  float* x;\n  cudaMalloc(&x, 4);\n"
        << "  fault<<<1, dim3(16, 2)>>>(x);\n  return cudaDeviceSynchronize() == cudaSuccess;\n}\n";
    CompilerWords words;
    words.sources = {folder() / "fault.cu"};
    const ProgramBuild split = build(words, tools());
    ASSERT_EQ(split.kernels.size(), 1u);
    EXPECT_EQ(split.kernels.front().why_not, "");
    const CommandResult by_rows = run(split), by_fibers = run(build(words, std::nullopt));
    EXPECT_THAT(by_rows.output, HasSubstr(fault.says));
    EXPECT_THAT(by_fibers.output, HasSubstr(fault.says));
    EXPECT_EQ(by_rows.ending, by_fibers.ending);
    EXPECT_EQ(by_rows.status, by_fibers.status);
  }
}

/// A stage's solution, and the kernels of it that run as fibers.
struct Solution {
  const char* stage;
  const char* file;
  std::vector<std::string> as_fibers = {};
};

class SplitStage : public SplitPrograms, public testing::WithParamInterface<Solution> {};

TEST_P(SplitStage, IsComputedAlike) {
  const fs::path root = layout().root;
  const Solution& solution = GetParam();
  CompilerWords words;
  words.sources = {testdata("stages.cu"), root / "solutions" / solution.stage / solution.file};
  words.include_folders = {root / "labs" / solution.stage};
  const ProgramBuild split = build(words, tools());
  EXPECT_THAT(split.kernels, testing::Not(IsEmpty()));
  for (const SplitNote& kernel : split.kernels) {
    const bool expected =
        std::ranges::find(solution.as_fibers, kernel.kernel) != solution.as_fibers.end();
    EXPECT_EQ(!kernel.why_not.empty(), expected) << kernel.kernel << ": " << kernel.why_not;
  }
  expect_the_same(split, build(words, std::nullopt));
}

INSTANTIATE_TEST_SUITE_P(Solutions, SplitStage,
                         testing::Values(Solution{"01_single_block", "matmul_single_block.cu"},
                                         Solution{"02_multi_block_grid", "matmul_grid.cu"},
                                         Solution{"03_shared_memory", "matmul_shared.cu"},
                                         Solution{"04_prefetch", "matmul_prefetch.cu"},
                                         Solution{"05_work_2x2", "matmul_2x2.cu"},
                                         Solution{"07_transpose", "transpose.cu"},
                                         Solution{"08_dgemm_dtrsm", "dgemm.cu"},
                                         Solution{"09_rank1_update",
                                                  "matmul_rank1.cu",
                                                  {"rank1_kernel<64, 4, 16, 16>"}}),
                         [](const auto& info) { return std::string(info.param.stage).substr(3); });

}  // namespace
}  // namespace tilewise::grading
