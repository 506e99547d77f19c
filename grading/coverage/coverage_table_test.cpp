#include "grading/coverage/coverage_table.hpp"

#include <gtest/gtest.h>

namespace tilewise::grading {
namespace {

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
