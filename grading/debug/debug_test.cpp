#include "grading/debug/debug.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "common/process/command.hpp"
#include "common/process/sandbox.hpp"
#include "grading/builder/layout.hpp"
#include "grading/cli/test/temporary_submission.hpp"

// These tests run `lab debug` as a user does; gdb reads its commands from standard input.
namespace tilewise::grading {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

/// A kernel that multiplies without tiles. `fault` is a statement on line 7; `extra` is added to
/// each element of C.
std::string kernel(const std::string& fault, const std::string& extra) {
  return fmt::format(R"(#include "matmul_shared.hpp"

__global__ void product(const float* A, const float* B, float* C, int n) {{
  __shared__ float spare[2];
  const int row = blockIdx.y * blockDim.y + threadIdx.y;
  const int col = blockIdx.x * blockDim.x + threadIdx.x;
  {}
  __syncthreads();
  float sum = 0;
  if (row >= n || col >= n) return;
  for (int k = 0; k < n; ++k) sum += A[row * n + k] * B[k * n + col];
  C[row * n + col] = sum + {};
}}

cudaError_t matmul_shared(const float* A, const float* B, float* C, int n, int tile) {{
  if (n < 0 || (n > 0 && (!A || !B || !C))) return cudaErrorInvalidValue;
  if (tile != 8 && tile != 16 && tile != 22 && tile != 32) return cudaErrorInvalidValue;
  if (n == 0) return cudaSuccess;
  const int tiles = (n + tile - 1) / tile;
  product<<<dim3(tiles, tiles), dim3(tile, tile)>>>(A, B, C, n);
  return cudaGetLastError();
}}
)",
                     fault, extra);
}

class Debug : public testing::Test {
 protected:
  void SetUp() override {
    if (find_program("gdb").empty()) GTEST_SKIP() << "gdb is not installed";
    if (!may_trace()) GTEST_SKIP() << "programs may not trace others here";
  }

  CommandResult debug(const std::vector<std::string>& arguments,
                      const std::vector<std::string>& gdb_commands) {
    std::ofstream input(scratch.path() / "input");
    for (const std::string& command : gdb_commands) input << command << "\n";
    input.close();
    Command command;
    command.arguments = {"sh",
                         "-c",
                         R"(input=$1; shift; exec "$@" <"$input")",
                         "sh",
                         scratch.path() / "input",
                         tool("tilewise"),
                         "debug",
                         "3",
                         "--submission",
                         submission.root()};
    command.arguments.insert(command.arguments.end(), arguments.begin(), arguments.end());
    command.time_limit_s = 100;
    return run_command(command);
  }

  ScratchDirectory scratch;
  TemporarySubmission submission{"03_shared_memory"};
};

/// What is wrong with a kernel, and where gdb must stop.
struct Case {
  const char* what;
  std::string fault, extra;
  std::vector<std::string> says;
};

class DebugWhere : public Debug, public testing::WithParamInterface<Case> {};

TEST_P(DebugWhere, StopsInTheThreadAtFault) {
  submission.put("matmul_shared.cu", kernel(GetParam().fault, GetParam().extra));
  const CommandResult run = debug({}, {"tw-where", "print n"});
  EXPECT_EQ(run.status, 0) << run.output;
  for (const std::string& text : GetParam().says) EXPECT_THAT(run.output, HasSubstr(text));
}

INSTANTIATE_TEST_SUITE_P(
    Cases, DebugWhere,
    testing::Values(Case{"AnElementIsWrong",
                         "",
                         "(row == 5 && col == 9 ? 1.0f : 0.0f)",
                         {"It writes C[5][9], which is wrong.",
                          "(gdb) matmul_shared.cu:4, block (1, 0, 0), thread (1, 5, 0)"}},
                    Case{"AnAccessIsOutOfBounds",
                         "if (row == 3 && col == 1) spare[0] = A[n * n];",
                         "0",
                         {"IsFreeOfRacesAndStrayAccesses failed", "It is at fault on line 7.",
                          "(gdb) matmul_shared.cu:4, block (0, 0, 0), thread (1, 3, 0)"}},
                    Case{"TwoThreadsRace",
                         "if (row == 0 && col == 1) spare[0] = n; if (row == 4 && col == 0) "
                         "spare[1] = spare[0];",
                         "0",
                         {"IsFreeOfRacesAndStrayAccesses failed", "race on shared spare",
                          "It is at fault on line 7.",
                          "(gdb) matmul_shared.cu:4, block (0, 0, 0), thread (0, 4, 0)"}},
                    Case{"AThreadCrashes",
                         "if (row == 2 && col == 6) *static_cast<volatile float*>(nullptr) = 0;",
                         "0",
                         {"It is at fault on line 7.",
                          "(gdb) matmul_shared.cu:4, block (0, 0, 0), thread (6, 2, 0)"}}),
    [](const auto& info) { return std::string(info.param.what); });

TEST_F(Debug, StaysInItsThread) {
  submission.put("matmul_shared.cu", kernel("spare[threadIdx.x % 2] = threadIdx.y;", "0"));
  const CommandResult run = debug(
      {"--call", "matmul_shared(n=20, tile=8)", "--block", "2,1", "--thread", "3,2"},
      {"tw-where", "next", "next", "next", "next", "tw-where", "next", "tw-where", "tw-tile spare",
       "next", "tw-where", "until 12", "tw-where", "print threadIdx", "continue"});
  EXPECT_EQ(run.status, 0) << run.output;
  for (const int line : {4, 8, 9, 10, 12}) {  // the barrier lies between 8 and 9
    EXPECT_THAT(run.output, HasSubstr(fmt::format(
                                "matmul_shared.cu:{}, block (2, 1, 0), thread (3, 2, 0)", line)));
  }
  EXPECT_THAT(run.output,
              AllOf(HasSubstr("{x = 3, y = 2, z = 0}"), HasSubstr("        7         7\n"),
                    HasSubstr("matmul_shared(n=20, tile=8) returned cudaSuccess")));
}

TEST_F(Debug, StopsInTheLaunchThatWritesTheElement) {
  std::string text = kernel("", "(row == 5 && col == 9 ? 1.0f : 0.0f)");
  const std::string launch = "  product<<<", function = "cudaError_t";
  text.insert(text.find(launch), "  clear<<<dim3(tiles, tiles), dim3(tile, tile)>>>(C, n);\n");
  text.insert(text.find(function), R"(__global__ void clear(float* C, int n) {
  const int row = blockIdx.y * blockDim.y + threadIdx.y;
  const int col = blockIdx.x * blockDim.x + threadIdx.x;
  if (row < n && col < n) C[row * n + col] = 0;
}

)");
  submission.put("matmul_shared.cu", text);
  const CommandResult run = debug({}, {"tw-where"});
  EXPECT_THAT(run.output, HasSubstr("launch 2, block (1, 0, 0), thread (1, 5, 0). It writes C[5]"));
  EXPECT_THAT(run.output, HasSubstr("(gdb) matmul_shared.cu:4, block (1, 0, 0), thread (1, 5, 0)"));
}

TEST_F(Debug, SaysThatThereIsNoSuchThread) {
  submission.put("matmul_shared.cu", kernel("", "0"));
  const CommandResult run =
      debug({"--call", "matmul_shared(n=20, tile=8)", "--block", "9"}, {"tw-where"});
  EXPECT_THAT(run.output, HasSubstr("No launch of the call has that block and thread."));
}

TEST_F(Debug, RefusesWhatItCannotDo) {
  submission.put("matmul_shared.cu", kernel("int x = ;", "0"));
  const CommandResult broken = debug({"--call", "matmul_shared(n=20, tile=8)"}, {});
  EXPECT_EQ(broken.status, 1);
  EXPECT_THAT(broken.output, HasSubstr("matmul_shared.cu:7"));
  const CommandResult no_index = debug({"--block", "1,x"}, {});
  EXPECT_EQ(no_index.status, 2);
  EXPECT_THAT(no_index.output, HasSubstr("--block '1,x': give it as --block 3,2,0"));
  const CommandResult no_call = debug({"--call", "matmul_shared(n=20)"}, {});
  EXPECT_EQ(no_call.status, 2);
  EXPECT_THAT(no_call.output, HasSubstr("the argument tile is missing"));
}

TEST_F(Debug, SaysHowToGetGdb) {
  Command command;
  command.arguments = {tool("tilewise"), "debug", "3", "--solutions"};
  command.environment = {{"PATH", scratch.path()}};
  const CommandResult run = run_command(command);
  EXPECT_EQ(run.status, 2);
  EXPECT_THAT(run.output, HasSubstr("sudo apt-get install gdb"));
}

}  // namespace
}  // namespace tilewise::grading
