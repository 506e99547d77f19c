#include "grading/skeleton/code_lines.hpp"

#include <gtest/gtest.h>

#include <string_view>

namespace tilewise::grading {
namespace {

TEST(CodeLines, CountsNeitherBlanksNorComments) {
  const struct {
    std::string_view text;
    int lines;
  } cases[] = {
      {"", 0},
      {"\n \t\n\r\n", 0},
      {"x", 1},
      {"x;\ny;\n", 2},
      {"x; y;  // both\n", 1},
      {"// x;\n  // y;\nz;", 1},
      {"/* a\nb\nc */\nx;", 1},
      {"/* a\nb */ x;\n", 1},
      {"x; /* a\nb */\n", 1},
      {"f(\"/*\");\nx;\n\"// \\\" /*\";\ny;", 4},
      {"#pragma unroll\n}\n", 2},
  };
  for (const auto& [text, lines] : cases) EXPECT_EQ(count_code_lines(text), lines) << text;
}

}  // namespace
}  // namespace tilewise::grading
