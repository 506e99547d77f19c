#include "grading/progress/progress.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>

#include "grading/report/for_students.hpp"

namespace tilewise::grading {

StageProgress progress_of(const Progress& progress, const std::string& stage) {
  const auto found = progress.stages.find(stage);
  return found == progress.stages.end() ? StageProgress{} : found->second;
}

bool has_passed(const Progress& progress, const std::string& stage) {
  return progress_of(progress, stage).status == Status::passed;
}

const StageInfo& current_stage(const Progress& progress, const std::vector<StageInfo>& course) {
  auto stage = std::ranges::find(course, progress.current, &StageInfo::id);
  if (stage != course.end()) return *stage;
  stage = std::ranges::find_if(
      course, [&](const StageInfo& candidate) { return !has_passed(progress, candidate.id); });
  return stage != course.end() ? *stage : course.back();
}

const StageInfo* next_stage(const Progress& progress, const std::vector<StageInfo>& course,
                            const std::string& from) {
  const auto at = std::ranges::find(course, from, &StageInfo::id) - course.begin();
  const auto count = static_cast<std::ptrdiff_t>(course.size());
  for (std::ptrdiff_t step = 1; step <= count; ++step) {
    const StageInfo& candidate = course[static_cast<std::size_t>((at + step) % count)];
    if (candidate.id != from && !has_passed(progress, candidate.id)) return &candidate;
  }
  return nullptr;
}

std::string key_of(const Failure& failure) {
  std::string words = failure.finding.message;
  std::erase_if(words, [](unsigned char c) { return !std::isalpha(c); });
  return fmt::format("{} {}:{} {}", failure.test, failure.finding.file, failure.finding.line,
                     words.substr(0, 60));
}

namespace {

/// The measurements that tell how fast a learner's kernel is.
constexpr std::array rates = {"gflops", "gb_s"};

void keep_best(BestRates& best, const std::string& device, const TestResult& test) {
  // Only a right kernel's rate is a record.
  if (test.status != Status::passed) return;
  for (const char* unit : rates) {
    const auto measured = test.measurements.find(unit);
    if (measured == test.measurements.end()) continue;
    Rate& rate = best[device].try_emplace(test.name).first->second;
    if (measured->second > rate.value) rate = {unit, measured->second};
  }
}

/// The test to look at first: one that failed, or else one that kept the stage from passing. A race
/// or a stray access that was found at a line is the cause; what tests before it say of wrong
/// numbers is the effect.
std::optional<TestResult> first_failure(const StageResult& stage) {
  const auto failed = [](const TestResult& test) {
    return test.status == Status::failed || test.status == Status::error;
  };
  const auto names_the_cause = [&](const TestResult& test) {
    return failed(test) && test.category == Category::safety && test.finding.line > 0;
  };
  auto test = std::ranges::find_if(stage.tests, names_the_cause);
  if (test == stage.tests.end()) test = std::ranges::find_if(stage.tests, failed);
  if (test == stage.tests.end()) {
    test = std::ranges::find(stage.tests, Status::inconclusive, &TestResult::status);
  }
  if (test == stage.tests.end()) return std::nullopt;
  return *test;
}

}  // namespace

void record(Progress& progress, const GradeResult& result, const Circumstances& circumstances) {
  const GradeResult shown = without_hidden(result);
  if (shown.stages.size() == 1) progress.current = shown.stages.front().id;
  for (const StageResult& stage : shown.stages) {
    StageProgress& entry = progress.stages[stage.id];
    entry.status = stage.status;
    entry.score = stage.score;
    entry.max_score = stage.max_score;
    if (stage.status == Status::passed && entry.first_passed.empty()) {
      entry.first_passed = fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(circumstances.when));
    }
    for (const TestResult& test : stage.tests) keep_best(entry.best, result.device, test);
    entry.last_failure.reset();
    if (stage.status == Status::passed) continue;
    if (const auto test = first_failure(stage)) {
      entry.last_failure =
          Failure{test->name,         test->category, test->status,     test->finding,
                  circumstances.seed, result.backend, circumstances.gpu};
    }
  }
}

}  // namespace tilewise::grading
