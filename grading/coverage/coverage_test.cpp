#include "grading/coverage/coverage.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tilewise::grading {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;

constexpr const char* listing = R"(        -:    0:Source:labs/03_x/a.cu
        -:    0:Graph:/tmp/a.gcno
        -:    1:// n: the order
        7:    2:  if (n < 0) return;
       3*:    3:  a ? b : c;
    #####:    4:  b[n] = 1;
    =====:    5:  throw 1;
        5:    6:template
------------------
void f<1>():
        2:    6:template
------------------
void f<2>():
        3:    6:template
------------------
4294967296:    7:  sum += 1;
)";

TEST(GcovListing, CountsLines) {
  LineCounts counts;
  add_gcov_listing(listing, counts);
  EXPECT_THAT(counts, ElementsAre(Pair(2, 7), Pair(3, 3), Pair(4, 0), Pair(5, 0), Pair(6, 5),
                                  Pair(7, 4294967296)));
}

TEST(GcovListing, AddsToWhatOtherObjectsCounted) {
  LineCounts counts{{2, 1}, {4, 2}, {9, 0}};
  add_gcov_listing(listing, counts);
  EXPECT_EQ(counts[2], 8U);
  EXPECT_EQ(counts[4], 2U);
  EXPECT_EQ(counts[9], 0U);
}

TEST(GcovListing, MayHoldAnything) {
  for (const char* text :
       {"", ":", "::::\n", "5", "5:", "x:1:z", "5:99999999999:z", "5:0:z", "5:-1:z"}) {
    LineCounts counts;
    add_gcov_listing(text, counts);
    EXPECT_THAT(counts, IsEmpty()) << text;
  }
}

SourceCoverage example() {
  return {"a.cu",
          {"// a", "if (n < 0) {", "  return 1;", "}", "x\x1b[31m = 2;"},
          {{2, 1234567}, {3, 0}, {5, 1}}};
}

TEST(CoverageTable, ShowsEachLineAndMarksThoseThatNothingCameTo) {
  EXPECT_EQ(coverage_table(example(), false),
            "  a.cu: 66.6% reached, 2 of 3 lines of code\n"
            "                        1  // a\n"
            "          1,234,567     2  if (n < 0) {\n"
            "  !         no test     3    return 1;\n"
            "                        4  }\n"
            "                  1     5  x\\x1b[31m = 2;\n");
}

TEST(CoverageTable, IsRedWhereNothingCame) {
  const std::string table = coverage_table(example(), true);
  EXPECT_NE(table.find("\033[31m  !         no test     3    return 1;\033[0m\n"), table.npos)
      << table;
}

TEST(CoverageTable, SaysAHundredPercentOfAllLinesOnly) {
  const struct {
    std::size_t missed, lines;
    const char* percent;
  } cases[] = {{0, 5000, "100.0%"}, {1, 5000, "99.9%"}, {5000, 5000, "0.0%"}};
  for (const auto& [missed, lines, percent] : cases) {
    SourceCoverage source{"a.cu", {}, {}};
    for (std::size_t i = 0; i < lines; ++i) source.counts[static_cast<int>(i + 1)] = i >= missed;
    EXPECT_EQ(coverage_table(source, false).find(std::string("  a.cu: ") + percent), 0U) << missed;
  }
  EXPECT_EQ(coverage_table({"a.cu", {}, {}}, false), "  a.cu: it has no line of code\n");
}

}  // namespace
}  // namespace tilewise::grading
