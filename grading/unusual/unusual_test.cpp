#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "grading/builder/layout.hpp"
#include "grading/cli/temporary_submission.hpp"
#include "grading/report/result.hpp"

// Correct kernels in other styles than the solution's must pass, too.
namespace tilewise::grading {
namespace {

namespace fs = std::filesystem;

/// Folders NN_topic/style, each with the stage's files.
std::vector<fs::path> submissions() {
  std::vector<fs::path> folders;
  for (const auto& stage : fs::directory_iterator(layout().root / "grading" / "unusual")) {
    if (!stage.is_directory()) continue;
    for (const auto& style : fs::directory_iterator(stage)) folders.push_back(style.path());
  }
  std::ranges::sort(folders);
  return folders;
}

std::string stage_of(const fs::path& folder) { return folder.parent_path().filename().string(); }

std::string name_of(const testing::TestParamInfo<fs::path>& info) {
  return stage_of(info.param) + "_" + info.param.filename().string();
}

/// The profiles to grade with: a GPU for which a stage's tests expect more than for others, too.
std::vector<std::string> gpus_for(const fs::path& folder) {
  // It has partitions. With its 16 banks vectors of four have conflicts which 32 banks have not.
  const bool knows_partitions =
      stage_of(folder) == "07_transpose" && folder.filename() != "swizzled_vectors";
  if (knows_partitions) return {default_gpu, "gtx280"};
  return {default_gpu};
}

class UnusualTest : public testing::TestWithParam<fs::path> {};

TEST_P(UnusualTest, Passes) {
  TemporarySubmission submission(stage_of(GetParam()));
  submission.take(GetParam());
  constexpr double time_limit_s = 10;
  for (const std::string& gpu : gpus_for(GetParam())) {
    SCOPED_TRACE(gpu);
    const StageResult result = submission.grade(time_limit_s, gpu);
    EXPECT_EQ(result.status, Status::passed);
    for (const TestResult& test : result.tests) {
      if (test.max_score > 0) {
        EXPECT_EQ(to_string(test.status), "passed") << test.name << ": " << test.message;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Unusual, UnusualTest, testing::ValuesIn(submissions()), name_of);

}  // namespace
}  // namespace tilewise::grading
