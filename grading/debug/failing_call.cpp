#include "grading/debug/failing_call.hpp"

#include "common/process/sandbox.hpp"
#include "grading/builder/layout.hpp"
#include "grading/cli/grade.hpp"
#include "grading/cli/stage_grading.hpp"
#include "grading/examiner/rubric.hpp"
#include "grading/progress/progress_file.hpp"

namespace tilewise::grading {

std::optional<FailingCall> recorded_failure(const StageInfo& stage) {
  const auto failure = progress_of(read_progress(layout().root), stage.id).last_failure;
  if (!failure || failure->place.call.empty()) return std::nullopt;
  return FailingCall{failure->test, failure->message, failure->file,
                     failure->line, failure->gpu,     failure->place};
}

std::optional<FailingCall> find_failure(const StageInfo& stage, const Submission& submission,
                                        std::uint64_t seed,
                                        const std::function<void(std::string_view)>& now_runs) {
  const Rubric rubric = load_rubric(layout().root);
  const std::string gpu = GradeOptions{}.gpu;
  const ExamConditions conditions{
      .gpu = gpu, .seed = seed, .bubblewrap = find_sandbox().sandbox.bubblewrap};
  StageListener listener;
  listener.compiling = [&] { now_runs("compiling"); };
  listener.cannot_judge = [](const BuildOutcome&) {};  // the build to debug says the same
  listener.exam.test_started = now_runs;
  listener.exam.test_ended = [](const TestResult&, const std::string&) {};
  // One test after the other: most of them are behind the one that is wanted.
  for (const RubricEntry& entry : rubric.at(stage.id)) {
    if (entry.hidden) continue;
    const StageResult result =
        grade_stage({stage.id, submission.folder_of(stage), conditions, {entry}}, listener);
    for (const TestResult& test : result.tests) {
      if (test.status != Status::failed || test.place.call.empty()) continue;
      return FailingCall{test.name, test.message, test.file, test.line, gpu, test.place};
    }
  }
  return std::nullopt;
}

}  // namespace tilewise::grading
