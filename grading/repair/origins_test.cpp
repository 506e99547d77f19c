#include "grading/repair/origins.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "grading/repair/mistaken_solution.hpp"

namespace tilewise::grading {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;

/// A stage's solution with one mistake, and the first wrong element in a call of it.
struct Case {
  std::string name, stage, file, given, mistake;
  std::string call, matrix;
  int row = 0, col = 0;
  testing::Matcher<std::string> told = IsEmpty();
  std::string gpu = core::default_gpu;
};

class Origins : public testing::TestWithParam<Case> {};

TEST_P(Origins, AreOfTheElementThatIsWrong) {
  const Case& tested = GetParam();
  const MistakenSolution solution(tested.stage, tested.file, tested.given, tested.mistake);
  core::Finding finding{.kind = "wrong-result"};
  finding.call = tested.call;
  finding.matrix = tested.matrix;
  finding.row = tested.row;
  finding.col = tested.col;
  EXPECT_THAT(origins_of(finding, solution.request(tested.gpu)).text, tested.told);
}

Case product(std::string name, std::string given, std::string mistake) {
  return {.name = std::move(name),
          .stage = "01_single_block",
          .file = "matmul_single_block.cu",
          .given = std::move(given),
          .mistake = std::move(mistake),
          .call = "matmul_single_block(n=3, block=2x2)",
          .matrix = "C",
          .row = 0,
          .col = 1};
}

std::vector<Case> cases() {
  Case row = product("ALoadFromAnotherRow", "std::size_t(row) * n;", "std::size_t(col) * n;");
  row.told =
      " C[0][1] is stored on line 21, by thread (1, 0, 0) of block (0, 0, 0). But what it has read "
      "makes C[1][1]. C[0][1] needs A[0][0], which that thread never reads. In its place it reads "
      "A[1][0] on line 19. On line 21 thread (1, 0, 0) of block (0, 0, 0) has row = 0, n = 3, col "
      "= 1. On line 19 thread (1, 0, 0) of block (0, 0, 0) has k = 0, col = 1, n = 3.";
  Case two = product("AStoreToAnotherPlace", "C[std::size_t(row) * n + col]",
                     "C[std::size_t(col) * n + row]");
  two.told = AllOf(HasSubstr("by thread (0, 1, 0) of block (0, 0, 0). But what it has read makes "
                             "C[1][0]."),
                   HasSubstr("C[0][1] needs A[0][0]"), HasSubstr("C[0][1] needs B[0][1]"));
  Case short_loop = product("ALoopThatEndsEarly", "k < n", "k < n - 1");
  short_loop.told = HasSubstr(
      "C[0][1] needs A[0][2], which that thread never reads. C[0][1] needs "
      "B[2][1], which that thread never reads.");
  const Case all = product("NoneIfAllIsRead", "float sum = 0.0f", "float sum = 1.0f");
  const Case tile = {
      .name = "ATileThatAnotherThreadFills",
      .stage = "03_shared_memory",
      .file = "matmul_shared.cu",
      .given = "Bs[ty][tx] = *b;",
      .mistake = "Bs[tx][ty] = *b;",
      .call = "matmul_shared(n=8, tile=8)",
      .matrix = "C",
      .row = 0,
      .col = 0,
      .told = HasSubstr("C[0][0] needs B[1][0], which that thread never reads. In its place it "
                        "reads B[0][1] on line 25, in Bs[1][0], for which thread (1, 0, 0) of "
                        "block (0, 0, 0) had loaded it on line 38. On line 38 thread (1, 0, 0) "
                        "of block (0, 0, 0) has b - B = 1, ty = 0, n = 8, col = 1. On line 25 "
                        "thread (0, 0, 0) of block (0, 0, 0) has k = 1, tx = 0.")};
  Case copied = {.name = "NoneOfAsynchronousCopies",
                 .stage = "11_warp_tiles",
                 .file = "matmul_warp_tiles.cu",
                 .given = "next_a += exist;",
                 .mistake = "next_a += exist - 1;",
                 .call = "matmul_async(n=16)",
                 .matrix = "C"};
  copied.gpu = "h200";  // copies are asynchronous since compute capability 8.0
  return {row, two, short_loop, all, tile, copied};
}

INSTANTIATE_TEST_SUITE_P(Cases, Origins, testing::ValuesIn(cases()),
                         [](const testing::TestParamInfo<Case>& each) { return each.param.name; });

}  // namespace
}  // namespace tilewise::grading
