#include "grading/repair/fault_numbers.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "grading/repair/mistaken_solution.hpp"

namespace tilewise::grading {
namespace {

using core::ThreadOfGrid;
using testing::HasSubstr;
using testing::IsEmpty;

/// A stage's solution with one mistake, and the simulator's finding in a call of it.
struct Case {
  std::string name, stage, file, given, mistake;
  std::string call, kind, message, array;
  ThreadOfGrid place;
  std::string other = {};  ///< words on the line of a race's other access
  std::string line = {};   ///< words on the line of the access; empty: `mistake`
  std::string gpu = core::default_gpu;
  testing::Matcher<std::string> told = IsEmpty();
};

class FaultNumbers : public testing::TestWithParam<Case> {};

TEST_P(FaultNumbers, AreOfTheElementThatIsNamed) {
  const Case& tested = GetParam();
  const MistakenSolution solution(tested.stage, tested.file, tested.given, tested.mistake);
  core::Finding finding{.kind = tested.kind, .message = tested.message, .file = tested.file};
  finding.line = solution.line_of(tested.line.empty() ? tested.mistake : tested.line);
  finding.place = tested.place;
  finding.call = tested.call;
  finding.array = tested.array;
  if (!tested.other.empty()) {
    finding.other_file = tested.file;
    finding.other_line = solution.line_of(tested.other);
  }
  EXPECT_THAT(numbers_of(finding, solution.request(tested.gpu)), tested.told);
}

/// A mistake in stage 3, for n = 9 in tiles of 8.
Case shared(std::string name, std::string given, std::string mistake) {
  return {.name = std::move(name),
          .stage = "03_shared_memory",
          .file = "matmul_shared.cu",
          .given = std::move(given),
          .mistake = std::move(mistake),
          .call = "matmul_shared(n=9, tile=8)",
          .kind = "out-of-bounds",
          .message = "",
          .array = "",
          .place = {{0, 0, 0}, {0, 1, 0}}};
}

Case grid(std::string name, std::string message) {
  return {.name = std::move(name),
          .stage = "02_multi_block_grid",
          .file = "matmul_grid.cu",
          .given = "a[k]",
          .mistake = "a[k + n]",
          .call = "matmul_grid(n=5, block=4x4)",
          .kind = "out-of-bounds",
          .message = std::move(message),
          .array = "A",
          .place = {{0, 1, 0}, {1, 0, 0}}};
}

std::vector<Case> cases() {
  Case matrix = grid("APointerIntoAMatrix", "thread (1, 0, 0) of block (0, 1, 0) reads A[5][0]");
  matrix.told =
      " On line 22 thread (1, 0, 0) of block (0, 1, 0) has k + n = 5, k = 0, n = 5, row = 4, col = "
      "1.";
  const Case other =
      grid("NoneOfAnotherElement", "thread (1, 0, 0) of block (0, 1, 0) reads A[7][0]");
  Case large = grid("NoneOfALargeCall", "thread (1, 0, 0) of block (0, 1, 0) reads A[5][0]");
  large.call = "matmul_grid(n=2048, block=4x4)";
  Case launch = grid("NoneOfAnotherKind", "the kernel was not launched");
  launch.kind = "launch";

  Case pointer = shared("WhatAPointerLeadsTo", "whole + ty < n ? *b", "whole + tx < n ? *b");
  pointer.message = "thread (0, 1, 0) of block (0, 0, 0) reads B[9][0], past the end of B (9 x 9)";
  pointer.array = "B";
  pointer.told =
      HasSubstr("thread (0, 1, 0) of block (0, 0, 0) has b - B = 81, ty = 1, n = 9, col = 0");

  Case race = shared("BothThreadsOfARace", "sum += As[ty][k] * Bs[k][tx];",
                     "sum += As[ty][k] * Bs[k][tx]; As[ty][tx] = sum;");
  race.kind = "race";
  race.message =
      "race on shared As[0][1]: thread (1, 0, 0) of block (0, 0, 0) writes it on line 24";
  race.array = "As";
  race.place = {{0, 0, 0}, {1, 0, 0}};
  race.other = "As[ty][tx] = *a;";
  race.told = HasSubstr("has ty = 0, tx = 1.");

  Case unfilled =
      shared("ATile", "sum += As[ty][k] * Bs[k][tx];", "sum += As[ty][k + 1] * Bs[k][tx];");
  unfilled.message =
      "As[1][8] is outside float As[8][8] (thread (0, 1, 0) of block (0, 0, 0) reads it)";
  unfilled.array = "As";
  unfilled.told = HasSubstr("has k + 1 = 8, ty = 1, k = 7");
  const Case of_pointers = {
      .name = "AnArrayOfPointers",
      .stage = "05_work_2x2",
      .file = "matmul_2x2.cu",
      .given = "min(row0 + i * Tile + ty, n - 1)",
      .mistake = "(min(row0 + ty, n - 1) + i * Tile)",
      .call = "matmul_2x2(n=1, tile=8)",
      .kind = "out-of-bounds",
      .message = "thread (0, 0, 0) of block (0, 0, 0) reads A[8][0], past the end of A (1 x 1)",
      .array = "A",
      .place = {{0, 0, 0}, {0, 0, 0}},
      .line = "*a[i] : 0.0f",
      .told = HasSubstr("i = 1, row0 = 0, ty = 0, n = 1")};
  const Case handed_on = {
      .name = "WhatIsHandedOn",
      .stage = "11_warp_tiles",
      .file = "matmul_warp_tiles.cu",
      .given = "next_a += exist;",
      .mistake = "next_a += T::depth;",
      .call = "matmul_async(n=15)",
      .kind = "out-of-bounds",
      .message = "thread (7, 0, 0) of block (0, 0, 0) reads A[15][0], past the end of A (15 x 15)",
      .array = "A",
      .place = {{0, 0, 0}, {7, 0, 0}},
      .line = "exists ? next_a + to_row[i] : A",
      .gpu = "h200",  // copies are asynchronous since compute capability 8.0
      .told = HasSubstr("has next_a - A = 15")};
  return {of_pointers, handed_on, matrix, other, large, launch, pointer, race, unfilled};
}

INSTANTIATE_TEST_SUITE_P(Cases, FaultNumbers, testing::ValuesIn(cases()),
                         [](const testing::TestParamInfo<Case>& each) { return each.param.name; });

}  // namespace
}  // namespace tilewise::grading
