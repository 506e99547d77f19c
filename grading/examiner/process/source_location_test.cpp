#include "grading/examiner/process/source_location.hpp"

#include <gtest/gtest.h>

namespace tilewise::grading {
namespace {

struct Case {
  std::string output;
  std::string file;
  int line;
};

class ParseSourceLocation : public testing::TestWithParam<Case> {};

TEST_P(ParseSourceLocation, FindsTheInnermostKnownPlace) {
  const SourceLocation location = parse_source_location(GetParam().output);
  EXPECT_EQ(location.file, GetParam().file);
  EXPECT_EQ(location.line, GetParam().line);
}

INSTANTIATE_TEST_SUITE_P(
    All, ParseSourceLocation,
    testing::Values(Case{"matmul.cu:31\n", "matmul.cu", 31},
                    Case{"matmul.cu:31 (discriminator 2)\n", "matmul.cu", 31},
                    Case{"barriers.hpp:9\nmatmul.cu:31\nmatmul.cu:50\n", "matmul.cu", 31},
                    Case{"stl_vector.h:9\nmain.cpp:31\n", "stl_vector.h", 9}, Case{"??:0\n", "", 0},
                    // of a kernel's unknown line, not what it is inlined into, but what lies before
                    Case{"0x12\nmatmul.cu:?\nmatmul.cu:50\n0x11\nmatmul.cu:31\nmatmul.cu:50\n",
                         "matmul.cu", 31},
                    Case{"0x12\nmatmul.cu:?\nmatmul.cu:50\n0x11\n??:0\n", "", 0},
                    Case{"??:?\nmain.cpp:7\n", "main.cpp", 7}, Case{"matmul.cu:?\n", "", 0},
                    Case{"", "", 0}, Case{"\xff\x1b[31m.cu:3\n", "", 0}, Case{"no colon\n", "", 0},
                    Case{"a.cu:99999999999999999999\n", "", 0}));

TEST(FindSourceLocation, GivesUpOnWhatIsNoModule) {
  EXPECT_EQ(find_source_location("/nonexistent", 16, {}).file, "");
}

}  // namespace
}  // namespace tilewise::grading
