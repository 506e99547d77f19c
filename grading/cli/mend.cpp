#include <fmt/format.h>

#include <cstdlib>
#include <iostream>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/language.hpp"
#include "common/gpu/gpu_profile.hpp"
#include "common/process/sandbox.hpp"
#include "grading/builder/layout.hpp"
#include "grading/cli/commands.hpp"
#include "grading/cli/stage_grading.hpp"
#include "grading/cli/submission.hpp"
#ifdef TILEWISE_HAVE_SIMT
#include "grading/repair/repair.hpp"
#endif
#include "grading/results/causes.hpp"
#include "grading/results/printable.hpp"
#include "grading/results/terminal.hpp"

namespace tilewise::grading {

#ifdef TILEWISE_HAVE_SIMT

namespace {

/// Among them are the lines that it names, in whatever language.
std::vector<int> numbers_in(const std::string& text) {
  std::vector<int> numbers;
  for (std::size_t at = 0; (at = text.find_first_of("0123456789", at)) != text.npos;) {
    numbers.push_back(std::atoi(text.c_str() + at));
    at = std::min(text.find_first_not_of("0123456789", at), text.size());
  }
  return numbers;
}

/// The tests that a change has to make pass: of results and of safety, without those that are
/// hidden from the learner.
std::vector<RubricEntry> tests_to_pass(const Rubric& rubric, const std::string& stage) {
  std::vector<RubricEntry> tests;
  for (const RubricEntry& entry : rubric.at(stage)) {
    const bool is_wanted =
        entry.category == Category::correctness || entry.category == Category::safety;
    if (is_wanted && !entry.hidden) tests.push_back(entry);
  }
  return tests;
}

/// What to look for, from what failed.
RepairRequest repair_of(const StageResult& result, const TestResult& first,
                        const StageRequest& request, const std::filesystem::path& scratch) {
  static const std::set<std::string_view> of_barriers = {"race", "warp-race", "barrier", "warp",
                                                         "uninitialised"};
  const StageInfo& stage = stage_called(result.id);
  RepairRequest repair{.stage = stage,
                       .source_directory = request.source_directory,
                       .scratch = scratch,
                       .calls = {},
                       .lines = numbers_in(first.finding.message + " " + first.finding.hint),
                       .is_of_barriers = of_barriers.contains(first.finding.kind),
                       .gpu = simulated_gpu(stage, core::gpu_profile(request.conditions.gpu)),
                       .bubblewrap = request.conditions.bubblewrap};
  for (const TestResult& test : result.tests) {
    if (test.status != Status::failed) continue;
    repair.calls.push_back(test.finding.call);
    repair.lines.insert(repair.lines.end(), {test.finding.line, test.finding.other_line});
  }
  return repair;
}

/// Whether a variant passes all of a request's tests.
bool passes(const StageRequest& request, Modules modules, const std::filesystem::path& module,
            std::int32_t variant) {
  modules.fast = modules.checked = module;
  modules.variant = variant;
  std::size_t passed = 0;
  ExamListener listener;
  listener.test_ended = [&](const TestResult& test, const std::string&) {
    passed += test.status == Status::passed ? 1 : 0;
  };
  const ExamRequest exam{request.id, request.rubric, modules, request.conditions};
  return !run_exam(exam, listener) && passed == request.rubric.size();
}

}  // namespace

bool mend(const Run& run) {
  const StageInfo stage = stage_of(run);
  const Submission submission = choose_submission(run, {stage});
  const ExamConditions conditions{.gpu = run.gpu,
                                  .seed = run.seed,
                                  .time_limit_s = run.time_limit_s,
                                  .bubblewrap = find_sandbox().sandbox.bubblewrap};
  const StageRequest request{stage.id, submission.folder_of(stage), conditions,
                             tests_to_pass(load_rubric(layout().root), stage.id)};
  TerminalReport terminal(std::cout, style_of_standard_output());
  const ScratchDirectory scratch;
  Modules examined;
  StageListener listener;
  listener.compiling = [&] { terminal.show_progress(tr("compiling")); };
  listener.exam.test_started = [&](std::string_view test) { terminal.show_progress(test); };
  listener.examined = [&](const Modules& modules) { examined = modules; };
  const StageResult result = grade_stage(request, listener, scratch.path());
  const TestResult* const first = nearest_cause(result);
  if (first == nullptr) {
    terminal.clear_progress();
    fmt::print("{}", tr("{}: all tests of results and of safety pass.\n", stage.id));
    return true;
  }
  if (first->status != Status::failed) {
    terminal.clear_progress();
    terminal.explain_stage(first->finding);
    return false;
  }
  RepairRequest repair = repair_of(result, *first, request, scratch.path());
  repair.confirm = [&](const std::filesystem::path& module, std::int32_t variant) {
    return passes(request, examined, module, variant);
  };
  terminal.show_progress(tr("trying small changes"));
  const auto found = find_repair(repair);
  terminal.clear_progress();
  Finding told = first->finding;
  told.hint =
      found ? tr("This mends it: {}. With that change alone all tests of results and of "
                 "safety pass. Say why before you make it.",
                 *found)
            : tr("Of the small changes that were tried none mends this by itself. {}", told.hint);
  terminal.explain_stage(told);
  return found.has_value();
}

#else

bool mend(const Run&) {
  throw CannotGrade(tr("this build of Tilewise has no simulator, on which changes are tried"));
}

#endif

}  // namespace tilewise::grading
