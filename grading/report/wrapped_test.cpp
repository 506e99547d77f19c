#include "grading/report/wrapped.hpp"

#include <gtest/gtest.h>

namespace tilewise::grading {
namespace {

TEST(Wrapped, BreaksLinesAtBlanks) {
  const struct {
    const char* text;
    const char* indent;
    std::size_t width;
    const char* lines;
  } cases[] = {
      {"", "", 10, ""},
      {"one two three", "", 100, "one two three\n"},
      {"one two three", "", 7, "one two\nthree\n"},
      {"one two three", "  ", 9, "  one two\n  three\n"},
      {"a\n\nb", "  ", 10, "  a\n\n  b\n"},
      {"   a  matrix", "", 5, "   a  matrix\n"},
      {"unbreakable words", "", 4, "unbreakable\nwords\n"},
      {"narrower than its indent", "          ", 5,
       "          narrower\n          than\n          its\n          indent\n"},
  };
  for (const auto& [text, indent, width, lines] : cases) {
    EXPECT_EQ(wrapped(text, indent, width), lines);
  }
}

}  // namespace
}  // namespace tilewise::grading
