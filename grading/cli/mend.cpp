#include "grading/cli/mend.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/base/language.hpp"
#include "common/gpu/gpu_profile.hpp"
#include "common/process/sandbox.hpp"
#include "grading/builder/layout.hpp"
#include "grading/cli/commands.hpp"
#include "grading/cli/stage_grading.hpp"
#include "grading/cli/submission.hpp"
#ifdef TILEWISE_HAVE_SIMT
#include "grading/repair/fault_numbers.hpp"
#include "grading/repair/origins.hpp"
#endif
#include "grading/results/causes.hpp"
#include "grading/results/files.hpp"
#include "grading/results/terminal.hpp"

namespace tilewise::grading {

#ifdef TILEWISE_HAVE_SIMT

namespace {

/// Returns all numbers in a text. Among them are the lines that it names, in whatever language.
std::vector<int> numbers_in(const std::string& text) {
  std::vector<int> numbers;
  for (std::size_t at = 0; (at = text.find_first_of("0123456789", at)) != text.npos;) {
    numbers.push_back(std::atoi(text.c_str() + at));
    at = std::min(text.find_first_not_of("0123456789", at), text.size());
  }
  return numbers;
}

/// Returns the tests without those that are hidden from the learner.
std::vector<RubricEntry> tests_to_pass(std::vector<RubricEntry> tests) {
  std::erase_if(tests, &RubricEntry::hidden);
  return tests;
}

/// Whether a test is of results or of safety, rather than of speed or of how memory is used.
template <class Test>
bool is_of_right_and_wrong(const Test& test) {
  return test.category == Category::correctness || test.category == Category::safety;
}

/// Whether a test of results or of safety has failed.
bool is_wrong(const StageResult& result) {
  return std::ranges::any_of(result.tests, [](const TestResult& test) {
    return test.status == Status::failed && is_of_right_and_wrong(test);
  });
}

/// Returns the call that a finding is about. Messages about memory begin with it.
std::string call_in(const Finding& finding) {
  if (!finding.call.empty()) return finding.call;
  const std::size_t end = finding.message.find("): ");
  return end == finding.message.npos ? "" : finding.message.substr(0, end + 1);
}

/// Returns what to look for, according to what failed.
RepairRequest repair_of(const StageResult& result, const TestResult& first,
                        const StageRequest& request, const std::filesystem::path& scratch) {
  static const std::set<std::string_view> of_barriers = {"race", "warp-race", "barrier", "warp",
                                                         "uninitialised"};
  const StageInfo& stage = stage_called(result.id);
  RepairRequest repair{
      .stage = stage,
      .source_directory = request.source_directory,
      .scratch = scratch,
      .calls = {},
      .file = first.finding.file,
      .lines = numbers_in(first.finding.message + " " + first.finding.hint),
      .matrix = first.finding.array.empty() ? first.finding.matrix : first.finding.array,
      .is_of_barriers = of_barriers.contains(first.finding.kind),
      .racing = {},
      .gpu = simulated_gpu(stage, core::gpu_profile(request.conditions.gpu)),
      .bubblewrap = request.conditions.bubblewrap};
  if (first.finding.other_file == first.finding.file && first.finding.other_line > 0) {
    repair.racing = std::minmax(first.finding.line, first.finding.other_line);
  }
  repair.is_of_memory = !is_wrong(result);
  for (const TestResult& test : result.tests) {
    const bool is_counted = !repair.is_of_memory || test.category == Category::memory;
    if (test.status != Status::failed || !is_counted) continue;
    repair.calls.push_back(call_in(test.finding));
    repair.lines.insert(repair.lines.end(), {test.finding.line, test.finding.other_line});
  }
  return repair;
}

/// Whether a test of memory or of speed fails for the same reason as before, which is another
/// fault.
bool fails_as_before(const TestResult& test, const StageResult& before) {
  const auto same = std::ranges::find(before.tests, test.name, &TestResult::name);
  return same != before.tests.end() && same->status == Status::failed &&
         same->finding.kind == test.finding.kind && same->finding.file == test.finding.file &&
         same->finding.line == test.finding.line;
}

}  // namespace

Mended mended(const StageResult& after, const StageResult& before) {
  Mended mended = Mended::wholly;
  for (const TestResult& test : after.tests) {
    if (test.status == Status::passed) continue;
    if (is_of_right_and_wrong(test)) return Mended::no;
    if (test.status != Status::failed) continue;
    if (!fails_as_before(test, before)) return Mended::no;
    // If all results were right before, nothing but memory was to be mended.
    if (test.category == Category::memory && !is_wrong(before)) return Mended::no;
    mended = Mended::but_for_other_faults;
  }
  return mended;
}

Behind look_behind(const StageResult& result, const StageRequest& request) {
  const StageResult seen = without_hidden(result);
  const TestResult* const first = nearest_cause(seen);
  if (first == nullptr || first->status != Status::failed) return {};
  const ScratchDirectory scratch;
  const RepairRequest repair = repair_of(seen, *first, request, scratch.path());
  if (std::string numbers = numbers_of(first->finding, repair); !numbers.empty()) {
    return {std::move(numbers), {}};
  }
  WrongOrigins origins = origins_of(first->finding, repair);
  return {std::move(origins.text), std::move(origins.lines)};
}

std::optional<std::string> mending_of(const StageResult& result, StageRequest request,
                                      const std::vector<int>& lines, double time_limit_s) {
  const StageResult seen = without_hidden(result);
  const TestResult* const first = nearest_cause(seen);
  if (first == nullptr || first->status != Status::failed) return std::nullopt;
  std::vector<RubricEntry> tests = tests_to_pass(request.rubric);
  const auto others = std::ranges::stable_partition(tests, is_of_right_and_wrong<RubricEntry>);
  const ScratchDirectory scratch, trial;
  RepairRequest repair = repair_of(seen, *first, request, scratch.path());
  repair.lines.insert(repair.lines.end(), lines.begin(), lines.end());
  repair.time_limit_s = time_limit_s;
  repair.confirm = [&](const std::filesystem::path& sources) {
    request.source_directory = sources;
    Confirmation confirmation;
    // Tests of results and of safety reject most changes that are rejected, so the others run after
    // them.
    for (const std::span<const RubricEntry> some :
         {std::span<const RubricEntry>(tests.begin(), others.begin()),
          {others.begin(), tests.end()}}) {
      if (some.empty()) continue;
      request.rubric.assign(some.begin(), some.end());
      const StageResult after = grade_stage(request, {}, trial.path());
      confirmation.mended = mended(after, seen);
      if (confirmation.mended != Mended::no) continue;
      for (const TestResult& test : after.tests) {
        if (test.status == Status::failed) confirmation.calls.push_back(test.finding.call);
      }
      break;
    }
    return confirmation;
  };
  const auto found = find_repair(repair);
  if (!found) return std::nullopt;
  const bool wholly = found->mended == Mended::wholly;
  if (found->is_path) {
    return wholly
               ? tr("The fault is in what runs {}, or that condition sends it there wrongly: with "
                    "the other way alone all tests pass. Follow the two side by side.",
                    found->words)
               : tr("The fault is in what runs {}, or that condition sends it there wrongly: with "
                    "the other way alone all tests of results and of safety pass. Follow the two "
                    "side by side.",
                    found->words);
  }
  return wholly ? tr("This mends it: {}. With that change alone all tests pass. Say why before you "
                     "make it.",
                     found->words)
                : tr("This mends it: {}. With that change alone all tests of results and of safety "
                     "pass, and "
                     "no other fails that passed before. Say why before you make it.",
                     found->words);
}

bool mend(const Run& run) {
  constexpr double time_limit_s = 60;
  const StageInfo stage = stage_of(run);
  const Submission submission = choose_submission(run, {stage});
  const ExamConditions conditions{.gpu = run.gpu,
                                  .seed = run.seed,
                                  .time_limit_s = run.time_limit_s,
                                  .bubblewrap = find_sandbox().sandbox.bubblewrap};
  const StageRequest request{stage.id, submission.folder_of(stage), conditions,
                             tests_to_pass(rubric_of(load_rubric(layout().root), stage.id))};
  TerminalReport terminal(std::cout, style_of_standard_output());
  StageListener listener;
  listener.compiling = [&] { terminal.show_progress(tr("compiling")); };
  listener.exam.test_started = [&](std::string_view test) { terminal.show_progress(test); };
  const StageResult result = grade_stage(request, listener);
  const TestResult* const first = nearest_cause(result);
  const bool loses_in_memory = std::ranges::any_of(result.tests, [](const TestResult& test) {
    return test.status == Status::failed && test.category == Category::memory;
  });
  if (first == nullptr || !(is_wrong(result) || loses_in_memory)) {
    terminal.clear_progress();
    fmt::print("{}", tr("{}: all tests of results, of safety and of memory pass.\n", stage.id));
    return true;
  }
  terminal.show_progress(tr("trying small changes"));
  Finding told = first->finding;
  const Behind behind = look_behind(result, request);
  told.message += behind.text;
  const auto found = mending_of(result, request, behind.lines, time_limit_s);
  if (first->status == Status::failed) {
    told.hint = found.value_or(
        tr("Of the small changes that were tried none mends this by itself. {}", told.hint));
  }
  terminal.explain_stage(told);
  return found.has_value();
}

#else

Behind look_behind(const StageResult&, const StageRequest&) { return {}; }

std::optional<std::string> mending_of(const StageResult&, StageRequest, const std::vector<int>&,
                                      double) {
  return std::nullopt;
}

bool mend(const Run&) {
  throw CannotGrade(tr("this build of Tilewise has no simulator, on which changes are tried"));
}

#endif

}  // namespace tilewise::grading
