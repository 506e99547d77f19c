#include "grading/watch/solution_comparison.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "common/process/scratch_directory.hpp"

namespace tilewise::grading {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

const StageInfo stage = {"01_a", {"a.cu"}, {"a"}};

void put(const fs::path& file, const std::string& text) {
  fs::create_directories(file.parent_path());
  std::ofstream(file, std::ios::binary) << text;
}

TEST(CompareWithSolution, ShowsTheStudentsPartAndTheSolutions) {
  const std::string solution = "head\n  // lab: begin sum up\n  theirs\n  // lab: end\ntail\n";
  const struct {
    const char* what;
    const char* mine;
    std::string differences;
  } cases[] = {
      {"another way", "head\n  mine\ntail\n",
       "--- labs/01_a/a.cu\n+++ solutions/01_a/a.cu\n@@ -1,3 +1,3 @@\n head\n-  mine\n+  theirs\n "
       "tail\n"},
      {"the same", "head\n  theirs\ntail\n", ""},
      {"the same but for blanks", "head\n\t  theirs\ntail\n", ""},
  };
  for (const auto& [what, mine, differences] : cases) {
    const ScratchDirectory root;
    put(root.path() / "solutions/01_a/a.cu", solution);
    put(root.path() / "labs/01_a/a.cu", mine);
    EXPECT_EQ(compare_with_solution(root.path(), stage), differences) << what;
  }
}

TEST(CompareWithSolution, IsSafeToShow) {
  const ScratchDirectory root;
  put(root.path() / "solutions/01_a/a.cu", "x\n");
  put(root.path() / "labs/01_a/a.cu", "\033]0;title\a\n");
  EXPECT_THAT(compare_with_solution(root.path(), stage), Not(HasSubstr("\033")));
}

TEST(CompareWithSolution, SaysWhatCannotBeCompared) {
  const ScratchDirectory root;
  put(root.path() / "solutions/01_a/a.cu", "x\n");
  EXPECT_THAT(compare_with_solution(root.path(), stage),
              AllOf(HasSubstr("labs/01_a/a.cu"), HasSubstr("could not be compared")));
}

}  // namespace
}  // namespace tilewise::grading
