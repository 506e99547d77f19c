#include "grading/cli/stage_grading.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "grading/builder/scratch_directory.hpp"

namespace tilewise::grading {
namespace {

StageResult not_built(const StageRequest& request, const BuildOutcome& outcome,
                      const StageListener& listener) {
  if (listener.not_built) listener.not_built(outcome);
  StageResult stage;
  stage.id = request.id;
  for (TestResult& test : unjudged(request.rubric, request.conditions.backend, outcome)) {
    if (listener.exam.test_ended) listener.exam.test_ended(test, "");
    stage.tests.push_back(std::move(test));
  }
  add_up(stage);
  stage.status = Status::error;
  return stage;
}

/// Why the tests after the last one reported have no verdict.
BuildOutcome death_of_examiner(const CommandResult& result, const std::string& running_test) {
  BuildOutcome why;
  why.message = fmt::format("The examiner {}{}; no verdict.\n{}", describe_ending(result),
                            running_test.empty() ? "" : " during " + running_test, result.output);
  why.hint = "This is a fault of Tilewise, not of the kernel: please report it.";
  return why;
}

/// Those of the rubric that are not among the results.
std::vector<RubricEntry> missing(const std::vector<RubricEntry>& rubric,
                                 const std::vector<TestResult>& results) {
  std::vector<RubricEntry> entries;
  std::ranges::copy_if(rubric, std::back_inserter(entries), [&](const RubricEntry& entry) {
    return std::ranges::find(results, entry.test, &TestResult::name) == results.end();
  });
  return entries;
}

}  // namespace

std::vector<TestResult> unjudged(const std::vector<RubricEntry>& tests, Backend backend,
                                 const BuildOutcome& why) {
  std::vector<TestResult> results;
  for (const RubricEntry& entry : tests) {
    TestResult test;
    test.name = entry.test;
    test.category = entry.category;
    if (backend == Backend::simt && entry.category == Category::performance) {
      test.status = Status::skipped;
      test.message = "Timings need an NVIDIA GPU.";
    } else {
      test.max_score = entry.points;
      test.message = why.message;
      test.hint = why.hint;
      test.file = why.file;
      test.line = why.line;
    }
    results.push_back(std::move(test));
  }
  return results;
}

StageResult grade_stage(const StageRequest& request, const StageListener& listener) {
  const ScratchDirectory scratch;
  if (listener.compiling) listener.compiling();
  const BuildOutcome built = build_module(
      {request.id, request.source_directory, request.conditions.backend, scratch.path()});
  if (!built.ok) return not_built(request, built, listener);

  StageResult stage;
  stage.id = request.id;
  std::string running_test;
  bool any_event = false;
  ExamListener exam;
  exam.test_started = [&](std::string_view test) {
    any_event = true;
    running_test = test;
    if (listener.exam.test_started) listener.exam.test_started(test);
  };
  exam.test_ended = [&](const TestResult& test, const std::string& printed) {
    running_test.clear();
    stage.tests.push_back(test);
    if (listener.exam.test_ended) listener.exam.test_ended(test, printed);
  };
  const CommandResult ended = run_examiner(request.id, built.module, request.conditions, exam);
  // No student's code runs before the first test.
  if (!any_event) {
    throw std::runtime_error(fmt::format("the examiner {} before the first test: {}",
                                         describe_ending(ended), ended.output));
  }
  const BuildOutcome why = death_of_examiner(ended, running_test);
  for (TestResult& test :
       unjudged(missing(request.rubric, stage.tests), request.conditions.backend, why)) {
    if (listener.exam.test_ended) listener.exam.test_ended(test, "");
    stage.tests.push_back(std::move(test));
  }
  add_up(stage);
  return stage;
}

}  // namespace tilewise::grading
