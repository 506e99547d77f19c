#include "grading/skeleton/skeleton.hpp"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace tilewise::grading {
namespace {

TEST(Skeleton, DropsMarkedBlocksAndNothingElse) {
  const struct {
    std::string_view solution, skeleton;
  } cases[] = {
      {"// lab: begin all\nx;\n// lab: end\n", "// TODO(lab): all (1 line)\n"},
      {"a;\n  // lab: begin load A and B\n  x;\n\n  // why\n  y;\n\t// lab: end\nb;\n",
       "a;\n  // TODO(lab): load A and B (2 lines)\nb;\n"},
      {"// lab: begin a\nx;\n// lab: end\n\t // lab: begin b\n// lab: end",
       "// TODO(lab): a (1 line)\n\t // TODO(lab): b (0 lines)\n"},
      {"a;\r\n// lab: begin b  \r\nx;\r\n// lab: end\r\n\r\nc;",
       "a;\r\n// TODO(lab): b (1 line)\r\n\r\nc;"},
      {"// labs are fun\n// lab: begin x\n// lab: end\n",
       "// labs are fun\n// TODO(lab): x (0 lines)\n"},
  };
  for (const auto& [solution, expected] : cases) {
    const Skeleton skeleton = skeleton_of(solution);
    EXPECT_TRUE(skeleton.errors.empty()) << solution;
    EXPECT_EQ(skeleton.text, expected);
  }
}

TEST(Skeleton, RefusesMarkersThatDoNotPairUp) {
  const struct {
    std::string_view solution;
    int line;
    std::string_view message;
  } cases[] = {
      {"", 1, "nothing is marked"},
      {"x;\n", 1, "nothing is marked"},
      {"x;\n// lab: end\n", 2, "'// lab: end' without"},
      {"x;\n// lab: begin a\ny;\n", 2, "'// lab: begin' without"},
      {"// lab: begin a\n// lab: begin b\n// lab: end\n", 2,
       "inside the one that begins on line 1"},
      {"// lab: begin\n// lab: end\n", 1, "must say what to write"},
      {"// lab: beginning\n", 1, "unknown marker '// lab: beginning'"},
      {"// lab: begin a\nx;  // lab: end\n// lab: end\n", 2, "a line of its own"},
  };
  for (const auto& [solution, line, message] : cases) {
    const Skeleton skeleton = skeleton_of(solution);
    ASSERT_EQ(skeleton.errors.size(), 1u) << solution;
    EXPECT_EQ(skeleton.errors[0].line, line) << solution;
    EXPECT_NE(skeleton.errors[0].message.find(message), std::string::npos)
        << skeleton.errors[0].message;
  }
}

}  // namespace
}  // namespace tilewise::grading
