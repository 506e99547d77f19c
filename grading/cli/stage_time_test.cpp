#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstddef>
#include <string>
#include <vector>

#include "grading/builder/layout.hpp"
#include "grading/cli/test/temporary_submission.hpp"
#include "grading/examiner/rubric.hpp"
#include "grading/results/files.hpp"

// Tests how long a submission may keep a stage busy if it computes what it should, but slowly.
namespace tilewise::grading {
namespace {

using testing::HasSubstr;
using Clock = std::chrono::steady_clock;

constexpr const char* stage = "03_shared_memory";

/// Returns the solution with statements to run first.
std::string solution_with(const std::string& includes, const std::string& statements) {
  std::string text = text_of(layout().root / "solutions" / stage / "matmul_shared.cu");
  const std::size_t function = text.rfind("cudaError_t matmul_shared(");
  text.insert(text.find('{', function) + 1, statements);
  return includes + text;
}

TEST(StageTime, IsBoundedForWhatEndsJustInTime) {
  TemporarySubmission submission(stage);
  submission.put("matmul_shared.cu", solution_with("#include <unistd.h>\n", "usleep(450'000);"));
  const auto begin = Clock::now();
  const StageResult result = submission.grade(2);
  const std::chrono::duration<double> took = Clock::now() - begin;
  // This allows for twenty seconds of calls, and for a compiler on a busy machine. A call for each
  // check would take minutes.
  EXPECT_LT(took.count(), 90);
  EXPECT_EQ(result.tests.front().status, Status::passed) << "its time was not up yet";
  const TestResult& last = result.tests.back();
  EXPECT_EQ(last.status, Status::failed);
  EXPECT_THAT(last.finding.message, HasSubstr("the time for this stage is used up: "));
  EXPECT_THAT(last.finding.message, HasSubstr("the longest, matmul_shared(n="));
}

TEST(StageTime, DoesNotWaitForThreadsOfItsOwn) {
  TemporarySubmission submission(stage);
  submission.put(
      "matmul_shared.cu",
      solution_with("#include <thread>\n",
                    "for (int i = 0; i < 8; ++i) std::thread([] { for (volatile long j = "
                    "0;; j = j + 1) {} }).detach();"));
  const StageResult result = submission.grade(0.5);
  EXPECT_LT(result.score, result.max_score);
  EXPECT_EQ(result.tests.back().status, Status::failed);
}

// Two tests that run at once may each wait for the whole limit; those that come later know of it.
TEST(StageTime, MeetsTheLimitOfAnEndlessLoopOnce) {
  TemporarySubmission submission(stage);
  submission.put("matmul_shared.cu", solution_with("", "while (true) {}"));
  const StageResult result = submission.grade(2);
  const std::vector<RubricEntry> rubric = load_rubric(layout().root).at(stage);
  ASSERT_EQ(result.tests.size(), rubric.size());
  int with_a_tenth = 0;
  for (std::size_t i = 0; i < rubric.size(); ++i) {
    const TestResult& test = result.tests[i];
    EXPECT_EQ(test.name, rubric[i].test) << "in whatever order they ended";
    EXPECT_EQ(test.finding.kind, "time-out") << test.name << ": " << test.finding.message;
    if (test.finding.message.find("was still running after 0.2 s") == std::string::npos) continue;
    ++with_a_tenth;
    EXPECT_THAT(test.finding.message,
                HasSubstr("It had a tenth of the usual time, since matmul_shared(n="));
  }
  constexpr int most_at_once = 4;
  EXPECT_GE(with_a_tenth, std::ssize(rubric) - most_at_once);
}

}  // namespace
}  // namespace tilewise::grading
