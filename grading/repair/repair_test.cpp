#include "grading/repair/repair.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "grading/repair/mistaken_solution.hpp"

namespace tilewise::grading {
namespace {

/// One line of a stage's solution, and the mistaken text that replaces it.
struct Mistake {
  std::string stage, file, given, mistake;
};

/// What the search reports about a mistake, and the last source that it asked to confirm.
struct Told {
  std::string words, source;
  int confirmations = 0;
  std::string right;  ///< the solution's source
  int line = 0;       ///< the line of the mistake
};

enum class Fault { of_results, of_memory };

/// @param calls_of_others calls that go wrong in every source but the solution; empty: every change
/// is confirmed
Told told_of(const Mistake& made, const std::vector<std::string>& calls, const std::string& blamed,
             const std::vector<std::string>& calls_of_others = {},
             Fault fault = Fault::of_results) {
  const MistakenSolution solution(made.stage, made.file, made.given, made.mistake);
  Told told{.words = "", .source = "", .right = solution.right(), .line = solution.line()};
  RepairRequest request = solution.request(core::default_gpu);
  request.gpu = simulated_gpu(request.stage, request.gpu);
  request.calls = calls;
  request.file = blamed;
  request.lines = {told.line};
  request.is_of_memory = fault == Fault::of_memory;
  request.confirm = [&](const std::filesystem::path& folder) {
    ++told.confirmations;
    told.source = core::text_of(folder / made.file);
    const bool is_it = calls_of_others.empty() || told.source == told.right;
    return is_it ? Confirmation{Mended::wholly} : Confirmation{Mended::no, calls_of_others};
  };
  const auto found = find_repair(request);
  if (found) told.words = found->words;
  return told;
}

// A solve goes wrong because a product that it calls, in another source, is wrong.
TEST(Repair, ChangesTheSourceThatIsBlamed) {
  const Told told =
      told_of({"08_dgemm_dtrsm", "dgemm.cu", "alpha * sum + beta * *c", "alpha * sum - beta * *c"},
              {"dtrsm_blocked(m=70, n=3, alpha=0.5, lda=70, ldb=3)",
               "dgemm_global(m=7, n=5, k=3, alpha=1, lda=3, ldb=5, beta=2, ldc=5)"},
              "dgemm.cu");
  EXPECT_THAT(told.words, testing::HasSubstr("on line " + std::to_string(told.line)));
  EXPECT_EQ(told.source, told.right);
}

// The product accesses wrong elements, because it is handed a part with a wrong leading dimension.
TEST(Repair, ChangesTheSourceThatCallsWhatIsBlamed) {
  const Told told = told_of({"08_dgemm_dtrsm", "dtrsm.cu", "A21, lda, ", "A21, upper, "},
                            {"dtrsm_recursive(m=150, n=5, alpha=0.5, lda=150, ldb=5)"}, "dgemm.cu");
  EXPECT_THAT(told.words, testing::HasSubstr("on line " + std::to_string(told.line)));
  EXPECT_EQ(told.source, told.right);
}

// All results would come right, too, if the wide kernel were never launched.
TEST(Repair, StopsNothingThatRan) {
  const Told told = told_of(
      {"07_transpose", "transpose.cu", "rows % wide_tile != 0 || cols % wide_tile != 0",
       "rows % wide_tile != 0 && cols % wide_tile != 0"},
      {"transpose_padded(rows=64, cols=96)", "transpose_padded(rows=96, cols=64)"}, "transpose.cu");
  EXPECT_THAT(told.words, testing::HasSubstr("on line " + std::to_string(told.line)));
  EXPECT_EQ(told.source, told.right);
}

// Several other names in the first condition come right for one shape. Once one of them is refused,
// the calls that went wrong with it refuse the others.
TEST(Repair, LearnsFromWhatIsRefused) {
  const Told told =
      told_of({"07_transpose", "transpose.cu", "rows % wide_tile != 0 || cols % wide_tile != 0",
               "rows % wide_tile != 0 && cols % wide_tile != 0"},
              {"transpose_padded(rows=64, cols=96)"}, "transpose.cu",
              {"transpose_padded(rows=96, cols=64)", "transpose_padded(rows=64, cols=64)"});
  EXPECT_EQ(told.source, told.right);
  EXPECT_LE(told.confirmations, 3);
}

// A sum that starts anew with every tile is right in a call of one tile. Without optimisation,
// another kernel of that source seems to read memory that nothing has stored.
TEST(Repair, TriesCallsThatGoWrong) {
  const Told told = told_of({"12_tensor_cores", "matmul_tensor.cu",
                             "sum[i][j][e] += partial[i][j][e]", "sum[i][j][e] = partial[i][j][e]"},
                            {"matmul_3xtf32(n=128)"}, "matmul_tensor.cu");
  EXPECT_EQ(told.source, told.right);
}

// All results are right, but the padding adds a row to the tile rather than a column.
TEST(Repair, MendsWhatLosesInMemory) {
  const Told told =
      told_of({"07_transpose", "transpose.cu", "elements[wide_tile][wide_tile + 1]",
               "elements[wide_tile + 1][wide_tile]"},
              {"transpose_padded(rows=128, cols=192)"}, "transpose.cu", {}, Fault::of_memory);
  EXPECT_EQ(told.source, told.right);
}

// A program that wastes no memory accesses is slow for another reason, so no change is reported.
TEST(Repair, LeavesMemoryAloneThatLosesNothing) {
  const Told told =
      told_of({"07_transpose", "transpose.cu", "cols % wide_tile != 0) return",
               "cols % wide_tile != 0 || rows < 0) return"},
              {"transpose_padded(rows=128, cols=192)"}, "transpose.cu", {}, Fault::of_memory);
  EXPECT_EQ(told.words, "");
  EXPECT_EQ(told.confirmations, 0);
}

// Without optimisation, the checks miss the store of the structure that make_float2() returns, and
// so do not see that it is misaligned.
TEST(Repair, TriesWhatIsWrongOnlyWhereItIsOptimised) {
  const Told told = told_of(
      {"05_work_2x2", "matmul_2x2.cu",
       "if (row < n && col < n) C[std::size_t(row) * n + col] = sum[i][j];",
       "float* const to = C + std::size_t(row) * n + col; if (j == 0 && row < n && col + 1 < n) "
       "*reinterpret_cast<float2*>(to) = make_float2(sum[i][0], sum[i][1]); "
       "else if (row < n && col < n) *to = sum[i][j];"},
      {"matmul_2x2(n=17, tile=8)"}, "matmul_2x2.cu");
  EXPECT_THAT(told.words, testing::HasSubstr("n % 2 == 0"));
}

// The skeleton gives block.y * block.z. With block.y there, all results would come right as well,
// and no change of one place elsewhere mends the mistake.
TEST(Repair, LeavesWhatIsGivenAsItIs) {
  const Told told = told_of({"02_multi_block_grid", "matmul_grid.cu", "<<<grid, flat_block>>>",
                             "<<<grid, dim3(block.x, block.y, block.z)>>>"},
                            {"matmul_grid(n=16, block=8x4x2)", "matmul_grid(n=33, block=8x4x2)"},
                            "matmul_grid.cu");
  EXPECT_THAT(told.words, testing::Not(testing::HasSubstr("flat_block(block.x")));
}

}  // namespace
}  // namespace tilewise::grading
