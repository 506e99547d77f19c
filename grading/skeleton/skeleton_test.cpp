#include "grading/skeleton/skeleton.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <string_view>

#include "common/base/files.hpp"

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

TEST(GivenLines, StandInTheSkeletonAsOften) {
  const struct {
    const char *source, *skeleton;
    std::set<int> lines;
  } cases[] = {
      {"", "", {}},
      {"a;\nb;\nc;", "a;\nc;\n", {1, 3}},
      {"  a;  \r\n\tb;", "b;\na;", {1, 2}},
      // One of the two lines may be the learner's own, in another function.
      {"a;\nb;\na;", "a;\nb;", {2}},
      {"a;\nb;", "a;\nb;\na;", {2}},
      {"a;\nb;\na;", "a;\na;", {1, 3}},
  };
  for (const auto& c : cases) {
    EXPECT_EQ(given_lines(c.source, c.skeleton), c.lines) << c.source << " by " << c.skeleton;
  }
}

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::IsEmpty;

class SkeletonsOfARepository : public testing::Test {
 protected:
  SkeletonsOfARepository() {
    const auto* test = testing::UnitTest::GetInstance()->current_test_info();
    root_ = fs::path(testing::TempDir()) / (std::string("tilewise_skeletons_") + test->name());
    fs::remove_all(root_);
  }
  ~SkeletonsOfARepository() override { fs::remove_all(root_); }

  void put(const std::string& file, const std::string& text) {
    fs::create_directories((root_ / file).parent_path());
    std::ofstream(root_ / file, std::ios::binary) << text;
  }

  std::string text_of(const std::string& file) {
    std::ostringstream text;
    text << std::ifstream(root_ / file, std::ios::binary).rdbuf();
    return text.str();
  }

  fs::path root_;
};

constexpr const char* solution = "a;\n// lab: begin it\nx;\n// lab: end\n";
constexpr const char* skeleton = "a;\n// TODO(lab): it (1 line)\n";

TEST_F(SkeletonsOfARepository, AgreeByteForByte) {
  put("solutions/01_x/x.cu", solution);
  put("labs/01_x/x.cu", skeleton);
  put("solutions/01_x/NOTES.md", "not a kernel");
  const SkeletonReport report = check_skeletons(root_);
  EXPECT_THAT(report.errors, IsEmpty());
  EXPECT_THAT(report.differences, IsEmpty());
}

TEST_F(SkeletonsOfARepository, DifferencesAreNamedBothWays) {
  put("solutions/01_x/x.cu", solution);
  std::string edited = skeleton;
  put("labs/01_x/x.cu", edited.append("\n"));
  put("solutions/02_y/y.cu", solution);
  put("labs/03_z/z.cu", skeleton);
  const SkeletonReport report = check_skeletons(root_);
  EXPECT_THAT(report.errors, IsEmpty());
  EXPECT_THAT(report.differences,
              ElementsAre("labs/01_x/x.cu:3: differs from what the solution gives",
                          "labs/02_y/y.cu: missing", "labs/03_z/z.cu: has no solutions/03_z/z.cu"));
}

TEST_F(SkeletonsOfARepository, AreWritten) {
  put("solutions/01_x/x.cu", solution);
  const SkeletonReport written = write_skeletons(root_);
  EXPECT_THAT(written.errors, IsEmpty());
  EXPECT_THAT(written.differences, ElementsAre("labs/01_x/x.cu: missing"));
  EXPECT_EQ(text_of("labs/01_x/x.cu"), skeleton);
  EXPECT_THAT(write_skeletons(root_).differences, IsEmpty());
}

TEST_F(SkeletonsOfARepository, WrongMarkersLeaveTheSkeletonAlone) {
  put("solutions/01_x/x.cu", "a;\n// lab: end\n");
  put("labs/01_x/x.cu", skeleton);
  const SkeletonReport report = write_skeletons(root_);
  EXPECT_THAT(report.errors, ElementsAre("solutions/01_x/x.cu:2: '// lab: end' without a "
                                         "'// lab: begin' before it"));
  EXPECT_EQ(text_of("labs/01_x/x.cu"), skeleton);
}

TEST(Skeletons, OfThisCourseAreWhatItsSolutionsGive) {
  const SkeletonReport report = check_skeletons(core::project_root());
  EXPECT_THAT(report.errors, IsEmpty());
  EXPECT_THAT(report.differences, IsEmpty()) << "./lab skeletons writes them anew";
}

}  // namespace
}  // namespace tilewise::grading
