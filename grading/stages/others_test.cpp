#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "grading/builder/layout.hpp"
#include "grading/cli/test/temporary_submission.hpp"
#include "grading/course/stages.hpp"
#include "grading/results/result.hpp"
#include "grading/stages/tally.hpp"

// Correct kernels in other styles than the solution's must pass, too. A line "// Slow: TEST" in a
// file names a test of speed that a kernel of this style fails. A line "// Misses: TEST: WORDS"
// names a test of memory use that demands another style, and the words of its message. All other
// tests must pass. A line "// Gpu: PROFILE" names a GPU for which a stage's tests expect more than
// for others; the kernel must pass there, too.
namespace tilewise::grading {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::Not;

/// Returns the folders grading/stages/NN_topic/others/style, each with the stage's files.
std::vector<fs::path> submissions() {
  std::vector<fs::path> folders;
  for (const StageInfo& stage : stages()) {
    const fs::path others = drawer_of(layout().root, stage.id) / "others";
    if (!fs::exists(others)) continue;
    for (const auto& style : fs::directory_iterator(others)) folders.push_back(style.path());
  }
  std::ranges::sort(folders);
  return folders;
}

std::string stage_of(const fs::path& folder) {
  return folder.parent_path().parent_path().filename().string();
}

/// Returns the values of a name in the comments of a kernel's files: "// Slow: TEST".
std::set<std::string> field(const fs::path& folder, const std::string& name) {
  const std::string begin = "// " + name + ": ";
  std::set<std::string> values;
  for (const auto& file : fs::directory_iterator(folder)) {
    std::ifstream lines(file.path());
    for (std::string line; std::getline(lines, line);) {
      if (line.starts_with(begin)) values.insert(line.substr(begin.size()));
    }
  }
  return values;
}

/// Returns the expected message of a test that demands another style than this one.
std::optional<std::string> missed(const fs::path& folder, const std::string& test) {
  for (const std::string& line : field(folder, "Misses")) {
    if (line.starts_with(test + ": ")) return line.substr(test.size() + 2);
  }
  return std::nullopt;
}

std::string name_of(const testing::TestParamInfo<fs::path>& info) {
  return stage_of(info.param) + "_" + info.param.filename().string();
}

/// Returns the profiles to grade with.
std::set<std::string> gpus_for(const fs::path& folder) {
  std::set<std::string> gpus = field(folder, "Gpu");
  gpus.insert(default_gpu);
  return gpus;
}

Tally& tally = tally_of_program("others");

class OtherKernelTest : public testing::TestWithParam<fs::path> {
 protected:
  void TearDown() override { tally.count(stage_of(GetParam()), "right", !HasFailure()); }
};

TEST_P(OtherKernelTest, Passes) {
  TemporarySubmission submission(stage_of(GetParam()));
  submission.take(GetParam());
  constexpr double time_limit_s = 10;
  for (const std::string& gpu : gpus_for(GetParam())) {
    SCOPED_TRACE(gpu);
    const StageResult result = submission.grade(time_limit_s, gpu);
    for (const TestResult& test : result.tests) {
      const bool of_speed = test.category == Category::performance;
      if (of_speed && gpu != default_gpu) continue;  // which styles are fast differs between GPUs
      EXPECT_THAT(test.finding.message, Not(HasSubstr("Remark"))) << test.name;
      const auto misses = missed(GetParam(), test.name);
      if (misses) {
        EXPECT_EQ(to_string(test.status), "failed") << test.name << ": " << test.finding.message;
        EXPECT_THAT(test.finding.message, HasSubstr(*misses)) << test.name;
      } else if (field(GetParam(), "Slow").contains(test.name)) {
        EXPECT_EQ(to_string(test.status), "failed") << test.name << ": " << test.finding.message;
        EXPECT_THAT(test.finding.message, HasSubstr("(modelled for gtx1080), minimum"))
            << test.name;
      } else if (test.max_score > 0) {
        EXPECT_EQ(to_string(test.status), "passed") << test.name << ": " << test.finding.message;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Others, OtherKernelTest, testing::ValuesIn(submissions()), name_of);

}  // namespace
}  // namespace tilewise::grading
