#include "grading/examiner/messages.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>

#include "grading/examiner/fault_advice.hpp"

namespace tilewise::grading {
namespace {

using ::testing::HasSubstr;

Comparison wrong_element(float found) {
  Comparison comparison;
  comparison.wrong = 37;
  comparison.compared = 1369;
  comparison.row = 35;
  comparison.col = 20;
  comparison.found = found;
  comparison.expected = 3.5;
  comparison.tolerance = 1e-5;
  return comparison;
}

constexpr Mapping grid{.tile = {16, 8}};
TEST(DoubtAboutLaunch, IsThatGridAndBlockHaveChangedPlacesOrTheBlockIsMissing) {
  const struct {
    std::array<unsigned, 3> grid, block;
    const char* doubt;  ///< empty: none
  } cases[] = {
      {{3, 3, 1}, {16, 16, 1}, ""},
      {{16, 16, 1}, {3, 3, 1}, "is it <<<block, grid>>>"},
      {{16, 16, 1}, {1, 1, 1}, "is it <<<block, grid>>>"},
      {{16, 16, 1}, {16, 16, 1}, ""},
      {{9, 1, 1}, {1, 1, 1}, "does it leave the block out"},
      {{3, 3, 1}, {256, 1, 1}, ""},  // a block in one row
      {{2, 2, 1}, {32, 32, 1}, ""},
      {{16, 16, 1}, {256, 1, 1}, ""},
  };
  for (const auto& [grid, block, doubt] : cases) {
    const LaunchInfo launch{"kernel", grid, block, 0, "x.cu", 44};
    const std::string told = doubt_about_launch(launch, {16, 16});
    EXPECT_EQ(told.empty(), std::string(doubt).empty()) << told;
    EXPECT_THAT(told, HasSubstr(doubt));
  }
}

constexpr Mapping single_block{.tile = {16, 8}, .single_block = true};

TEST(Messages, WrongResultNamesElementOwnerCountAndPattern) {
  const Diagnosis diagnosis{Pattern::transposed, "C holds the transpose", "Swap x and y."};
  const Finding finding =
      wrong_result("matmul(n=37)", wrong_element(1.25F), grid, diagnosis, "unused");
  EXPECT_EQ(finding.message,
            "matmul(n=37): C[35][20] is 1.25, expected 3.5 (allowed error 1e-05). It belongs to "
            "block (1, 4), thread (4, 3). 37 of 1369 elements are wrong: C holds the transpose.");
  EXPECT_EQ(finding.hint, "Swap x and y.");
  EXPECT_EQ(finding.call, "matmul(n=37)");
  EXPECT_EQ(finding.matrix, "C");
  EXPECT_EQ(finding.row, 35);
  EXPECT_EQ(finding.col, 20);
}

TEST(Messages, WrongResultOfNoKnownPatternGivesTheStagesAdvice) {
  const Finding finding = wrong_result("matmul(n=37)", wrong_element(1.25F), single_block,
                                       std::nullopt, "Check the barriers.");
  EXPECT_TRUE(finding.message.ends_with(
      "It belongs to tile (1, 4), thread (4, 3). 37 of 1369 elements are wrong."))
      << finding.message;
  EXPECT_EQ(finding.hint, "Check the barriers.");
}

TEST(Messages, WrongResultNamesItsOwnerAsFarAsTheContractLaysItDown) {
  struct Case {
    const char* what;
    Mapping mapping;
    const char* owner;
  };
  // Each case names the owner of C[35][20].
  const Case cases[] = {
      {"two columns and four rows a thread",
       {.tile = {16, 8}, .results = {2, 4}},
       ". It belongs to block (1, 4), thread (2, 0). 37 of"},
      {"two results a thread, two rows apart",
       {.tile = {16, 4}, .threads = TileShape{.width = 16, .height = 2}},
       ". It belongs to block (1, 8), thread (4, 1). 37 of"},
      {"one result in each part of 30 rows and 19 columns",
       {.tile = {16, 4}, .part = TileShape{.width = 19, .height = 30}},
       ". It belongs to block (0, 1), thread (1, 1). 37 of"},
      {"threads as they like",
       {.tile = {16, 8}, .known = Mapping::Known::block},
       ". It belongs to block (1, 4). 37 of"},
      {"blocks as they like, too",
       {.tile = {16, 8}, .known = Mapping::Known::nothing},
       "(allowed error 1e-05). 37 of"},
  };
  for (const auto& [what, mapping, owner] : cases) {
    EXPECT_THAT(wrong_result("f()", wrong_element(1), mapping, std::nullopt, "").message,
                HasSubstr(owner))
        << what;
  }
}

TEST(Messages, TellUnwrittenFromNotANumber) {
  const auto text = [](float found) {
    return wrong_result("f()", wrong_element(found), grid, std::nullopt, "").message;
  };
  EXPECT_THAT(text(std::bit_cast<float>(unwritten_bits)), HasSubstr("C[35][20] was never written"));
  EXPECT_THAT(text(std::nanf("")), HasSubstr("C[35][20] is NaN"));
}

TEST(Messages, DoNotCallASumWithNaNUnwritten) {
  const Diagnosis diagnosis{Pattern::accumulates, "the product was added", ""};
  const Finding finding =
      wrong_result("f()", wrong_element(std::bit_cast<float>(unwritten_bits)), grid, diagnosis, "");
  EXPECT_THAT(finding.message, HasSubstr("C[35][20] is NaN"));
}

TEST(Messages, CountOneElementAndAllOfThem) {
  Comparison one = wrong_element(0);
  one.wrong = one.compared = 1;
  EXPECT_TRUE(wrong_result("f()", one, grid, std::nullopt, "")
                  .message.ends_with("It is the only element."));
  Comparison all = wrong_element(0);
  all.wrong = all.compared;
  EXPECT_TRUE(wrong_result("f()", all, grid, std::nullopt, "")
                  .message.ends_with("All 1369 elements are wrong."));
}

TEST(Messages, ChangedInputGivesBothValues) {
  const DeviceArray A("A", Access::input, 4, 4);
  EXPECT_EQ(changed_input("f()", A, {.row = 1, .col = 2, .given = 0.5F, .found = 0}).message,
            "f() changed its input: A[1][2] was 0.5 and is now 0.");
}

TEST(Messages, WritesOutsideAreGivenAPlace) {
  const DeviceArray C("C", Access::output, 4, 5);
  EXPECT_EQ(
      written_outside("f()", C, {.elements = 3, .first = 22}, 5).message,
      "f() wrote 3 elements outside of C, the first one behind its end, where C[4][2] would be.");
  EXPECT_EQ(written_outside("f()", C, {.elements = 1, .first = -2}, 5).message,
            "f() wrote 1 element outside of C, the first one 2 elements before its start.");
}

TEST(Messages, WritesBetweenRowsAreGivenTheirRow) {
  const DeviceArray C("C", Access::in_out, 4, 5, 8, ElementType::float64);
  const Finding finding = written_outside(
      "f()", C, {.elements = 2, .first = 2 * 8 + 6, .between_rows = true}, 8, "Mind ldc.");
  EXPECT_EQ(finding.message,
            "f() wrote 2 elements outside of C, the first one behind the 5 elements of row 2, in "
            "the gap before the next row.");
  EXPECT_EQ(finding.hint, "Mind ldc.");
}

TEST(Messages, ChangedInputHasTheDigitsOfItsType) {
  const DeviceArray in("in", Access::input, 2, 2, 2, ElementType::float64);
  const Finding finding =
      changed_input("f()", in, {.row = 1, .col = 0, .given = 0.1, .found = 1.0 / 3}, "in is");
  EXPECT_EQ(finding.message,
            "f() changed its input: in[1][0] was 0.10000000000000001 and is now "
            "0.33333333333333331.");
  EXPECT_TRUE(finding.hint.starts_with("in is read only.")) << finding.hint;
}

TEST(Messages, KernelFaultKeepsItsPlace) {
  const Finding finding = kernel_fault(
      "f()", {{.kind = "barrier", .message = "3 threads wait", .file = "a.cu", .line = 12}});
  EXPECT_EQ(finding.message, "f(): 3 threads wait.");
  EXPECT_EQ(finding.file, "a.cu");
  EXPECT_EQ(finding.line, 12);
}

TEST(Messages, KernelFaultKeepsItsThread) {
  const Finding fault{.kind = "race",
                      .message = "two meet",
                      .file = "a.cu",
                      .line = 12,
                      .place = ThreadOfGrid{{1, 0, 0}, {2, 3, 0}}};
  EXPECT_EQ(kernel_fault("f()", {fault}).place, fault.place);
}

TEST(Messages, KernelFaultTellsHowManyThereAre) {
  const Finding finding = kernel_fault(
      "f()", {{.kind = "race", .message = "a race", .file = "a.cu", .line = 12, .other_line = 9},
              {.kind = "barrier", .message = "3 threads wait", .file = "b.cu", .line = 4}});
  EXPECT_EQ(finding.message, "f(): a race. It is one of 2 faults found.");
  EXPECT_EQ(finding.line, 12);
}

TEST(Messages, KernelFaultTellsOfRacesWithinAWarpLast) {
  const Finding within_warp{.kind = "warp-race", .message = "lanes race", .line = 12};
  const Finding within_block{.kind = "race", .message = "threads race", .line = 20};
  EXPECT_EQ(kernel_fault("f()", {within_warp, within_block}).line, 20);
  EXPECT_EQ(kernel_fault("f()", {within_warp}).line, 12);
}

TEST(Messages, HintsAtRacesTellBlocksAndSharedScalarsApart) {
  const std::pair<const char*, const char*> cases[] = {
      {"race on C[0][16]: thread (0, 0, 0) of block (0, 0, 0) writes it and thread (0, 0, 0) of "
       "block "
       "(1, 0, 0) writes it, and nothing orders two blocks of a grid",
       "Two blocks have come to one element"},
      {"race on shared sum: thread (1, 0, 0) writes it, with no __syncthreads() between them",
       "There is one sum for the whole block."},
      {"race on shared As[0][1]: thread (1, 0, 0) writes it, with no __syncthreads() between them",
       "__syncthreads() that all threads reach must stand between"},
  };
  for (const auto& [message, hint] : cases) {
    EXPECT_THAT(kernel_fault("f()", {{.kind = "race", .message = message}}).hint, HasSubstr(hint));
  }
}

TEST(Messages, HintsAtIndicesThatAreOneTooLarge) {
  const std::pair<const char*, const char*> cases[] = {
      {"As[8][0] is outside float As[8][8] (thread (0, 7, 0) of block (0, 0, 0) writes it)",
       "An index of 8 elements ends at 7"},
      {"As[1][9] is outside float As[8][8] (thread (0, 7, 0) of block (0, 0, 0) writes it)",
       "Work out the index"},
      {"thread (0, 1, 0) of block (0, 0, 0) reads A[5][0], past the end of A (5 x 5)",
       "It is the first row behind the last, 4"},
      {"index 2 is outside float [2] (thread (0, 0, 0) of block (0, 0, 0) uses it)",
       "An index of 2 elements ends at 1"},
      {"thread (0, 0, 0) of block (4, 0, 0) reads in[128][0], past the end of in (128 x 64)",
       "A row has 64 elements here, and there are 128 rows"},
      {"thread (0, 0, 0) of block (0, 0, 0) reads x[4][0], past the end of x (1 x 4096)",
       "It has 4096 elements, the last of which is [4095]"},
      {"thread (0, 0, 0) of block (0, 0, 0) reads A[1][0], past the end of A (1 x 1)",
       "It is the first row behind the last, 0"},
      {"thread (0, 1, 0) of block (0, 0, 0) reads byte 64 of an allocation, past the end of it",
       "the sides of the array or matrix"},
      {"thread (0, 1, 0) of block (0, 0, 0) reads A[7][0], past the end of A (5 x 5)",
       "the sides of the array or matrix"},
      {"tiles[64] is outside float tiles[32] (thread (0, 0, 0) of block (0, 0, 0) writes it): the "
       "launch gives 128 bytes for it, the third value in <<<grid, block, bytes>>>, where an "
       "element takes 4",
       "counts bytes: the elements of all arrays"},
      {"thread (9, 0, 0) of block (0, 0, 0) begins a copy of 16 bytes to As[9][0], of which -16 "
       "are "
       "to be read: there can be 0 to 16, or nothing says what a GPU reads",
       "keep the number between 0 and the size of the copy"},
  };
  for (const auto& [message, hint] : cases) {
    EXPECT_THAT(kernel_fault("f()", {{.kind = "out-of-bounds", .message = message}}).hint,
                HasSubstr(hint))
        << message;
  }
}

TEST(Messages, HintsAtRacesOfOneStatementSpeakOfIndices) {
  const auto hint_at = [](const std::string& message, int other_line) {
    const Finding race{.kind = "race", .message = message, .line = 24, .other_line = other_line};
    return kernel_fault("f()", {race}).hint;
  };
  const std::string on_C =
      "race on C[0][2]: thread (1, 1, 0) writes it on line 24 and thread (0, 2, 0) writes it on "
      "line 24, with no __syncthreads() between them";
  EXPECT_THAT(hint_at(on_C, 24), HasSubstr("two threads store the same element."));
  EXPECT_THAT(hint_at(on_C, 20), HasSubstr("__syncthreads() that all threads reach"));
  const std::string on_As =
      "race on shared As[0][2]: thread (1, 1, 0) writes it on line 24 and thread (0, 2, 0) writes "
      "it on line 24, with no __syncthreads() between them";
  EXPECT_THAT(hint_at(on_As, 24), HasSubstr("fill the same element of a tile"));
  EXPECT_THAT(hint_at(on_As, 20), HasSubstr("Two statements store into the same element, on lines "
                                            "20 and 24. If they fill two tiles, these overlap"));
  const std::string on_its_way =
      "race on shared As[0]: thread (0, 0, 0) reads it on line 24 while an asynchronous copy that "
      "it began on line 20 is still bringing it: the wait on line 22 leaves it on its way";
  EXPECT_THAT(hint_at(on_its_way, 20), HasSubstr("A wait counts groups"));
  const std::string flat =
      "race on shared As[4]: thread (3, 1, 0) writes it on line 24 and thread (0, 4, 0) writes it "
      "on line 24, with no __syncthreads() between them";
  EXPECT_THAT(hint_at(flat, 24), HasSubstr("fill the same element of a tile"));
  const std::string first =
      "race on shared of_warp[0]: thread (0, 0, 0) writes it on line 24 and thread (64, 0, 0) "
      "writes "
      "it on line 24, with no __syncthreads() between them";
  EXPECT_THAT(hint_at(first, 24), HasSubstr("Line 24 has several threads store into one place"));
  const std::string read =
      "race on shared As[0][2]: thread (1, 1, 0) reads it on line 24 and thread (0, 2, 0) writes "
      "it on line 24, with no __syncthreads() between them";
  EXPECT_THAT(hint_at(read, 24), HasSubstr("__syncthreads() that all threads reach"));
}

TEST(Messages, HintsAtSumsThatAreLostSpeakOfAtomicAdd) {
  const struct {
    const char* place;
    const char* other;
    int other_line;
    bool speaks;
  } cases[] = {
      {"sum[0][0]", "reads", 24, true},         {"shared total", "reads", 24, true},
      {"shared totals[0]", "reads", 24, true},  {"sum[0][0]", "writes", 24, false},
      {"sum[0][0]", "reads", 20, false},        {"shared sums[32]", "reads", 24, false},
      {"shared As[0][10]", "reads", 24, false}, {"C[1][0]", "reads", 24, false},
  };
  for (const auto& c : cases) {
    const std::string message =
        "race on " + std::string(c.place) + ": thread (1, 0, 0) writes it on line 24 and thread " +
        "(32, 0, 0) " + c.other + " it on line " + std::to_string(c.other_line) + ", ...";
    const Finding race{.kind = "race", .message = message, .line = 24, .other_line = c.other_line};
    EXPECT_EQ(kernel_fault("f()", {race}).hint.find("atomicAdd()") != std::string::npos, c.speaks)
        << message;
  }
}

TEST(Messages, KernelFaultHasAHintForItsKind) {
  const struct {
    const char* kind;
    const char* hint;
  } cases[] = {
      {"out-of-bounds", "compare it with the sides"},
      {"misaligned", "float4"},
      {"uninitialised", "store that should have come first"},
      {"above-diagonal", "Only the lower triangle of A"},
      {"race", "__syncthreads() that all threads reach must stand between"},
      {"warp-race", "__syncwarp()"},
      {"read-only", "wrong pointer"},
      {"host-pointer", "cudaMalloc"},
      {"barrier", "take it out of conditions"},
      {"deadlock", "all lanes of a warp to what they do together"},
      {"warp", "mask"},
  };
  for (const auto& [kind, hint] : cases) {
    EXPECT_THAT(kernel_fault("f()", {{.kind = kind, .message = "it happened"}}).hint,
                HasSubstr(hint));
  }
}

TEST(Messages, FaultOfAVectorInAnOddRowSaysWhereVectorsFit) {
  const auto advice_on = [](const std::string& name) {
    const std::string message =
        "thread (0, 0, 0) reads 16 bytes at once at C[1][0], an address that "
        "16 does not divide; a row of " +
        name + " has 68 bytes, so that rows do not all begin at such an address";
    return kernel_fault("f()", {{.kind = "misaligned", .message = message}}).hint;
  };
  EXPECT_THAT(advice_on("C"), HasSubstr("Access C by vectors only where all of its rows begin"));
  EXPECT_THAT(advice_on("float As[16][17]"),
              HasSubstr("Make a row of float As[16][17] as long as"));
}

TEST(Messages, CrashByAVectorSaysWhereVectorsFit) {
  const std::string crash = "f crashed: segmentation fault (SIGSEGV) at a.cu:3: ";
  const auto advice_on = [](const std::string& message) {
    return advise_on({.kind = "crash", .message = message});
  };
  EXPECT_THAT(advice_on(crash + "the kernel moved 16 bytes at once at byte 12 of A (64 bytes), an "
                                "address that 16 does not divide."),
              HasSubstr("A float4 can be accessed only where 16 divides the address"));
  EXPECT_EQ(advice_on(crash + "the kernel touched global memory byte 12 of A (64 bytes)."), "");
}

TEST(Messages, SanitizerFaultNamesTheTool) {
  const Finding finding =
      sanitizer_fault("f()", "racecheck", {"Race reported between a and b", {"a.cu", 31}});
  EXPECT_EQ(finding.message,
            "In calls up to f(), compute-sanitizer --tool racecheck found: Race reported between "
            "a and b");
  EXPECT_EQ(finding.file, "a.cu");
  EXPECT_EQ(finding.line, 31);
  EXPECT_THAT(finding.hint, HasSubstr("--backend simt"));
}

TEST(Messages, WrongStatusGivesTheReasonAndTheFittingHint) {
  const auto finding = [](const char* returned, const char* expected) {
    return wrong_status("f(n=1)", returned, expected, "because");
  };
  const Finding not_refused = finding("cudaSuccess", "cudaErrorInvalidValue");
  EXPECT_EQ(not_refused.message,
            "f(n=1) returned cudaSuccess, expected cudaErrorInvalidValue: because.");
  EXPECT_THAT(not_refused.hint, HasSubstr("before anything is launched"));
  EXPECT_THAT(finding("cudaErrorInvalidValue", "cudaSuccess").hint, HasSubstr("contract allows"));
  EXPECT_THAT(finding("cudaErrorInvalidConfiguration", "cudaSuccess").hint, HasSubstr("the grid"));
  EXPECT_THAT(finding("cudaErrorLaunchOutOfResources", "cudaSuccess").hint,
              HasSubstr("__launch_bounds__"));
}

}  // namespace
}  // namespace tilewise::grading
