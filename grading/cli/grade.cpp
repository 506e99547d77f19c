#include <fmt/format.h>
#include <fmt/ranges.h>

#include <chrono>
#include <iostream>
#include <optional>

#include "common/process/process.hpp"
#include "common/process/sandbox.hpp"
#include "common/process/scratch_directory.hpp"
#include "grading/builder/compiler_warnings.hpp"
#include "grading/builder/layout.hpp"
#include "grading/cli/backend_choice.hpp"
#include "grading/cli/commands.hpp"
#include "grading/cli/output_file.hpp"
#include "grading/cli/stage_choice.hpp"
#include "grading/cli/stage_grading.hpp"
#include "grading/cli/submission.hpp"
#include "grading/examiner/rubric.hpp"
#include "grading/report/emitters.hpp"
#include "grading/report/for_students.hpp"
#include "grading/report/terminal.hpp"

namespace tilewise::grading {
namespace {

StageListener listener_for(TerminalReport& report, const std::vector<RubricEntry>& rubric,
                           bool& explained) {
  StageListener listener;
  listener.compiling = [&report] { report.show_progress("compiling"); };
  listener.cannot_judge = [&](const BuildOutcome& why) {
    explained = true;
    report.explain_stage({.message = why.message, .hint = why.hint});
  };
  listener.exam.test_started = [&](std::string_view test) {
    report.show_progress(shown_name(rubric, test));
  };
  listener.exam.test_ended = [&, hidden = 0](const TestResult& test,
                                             const std::string& printed) mutable {
    // What a kernel prints may tell of its inputs.
    if (test.hidden) return report.print_test_line(without_secrets(test, ++hidden));
    explained ? report.print_test_line(test) : report.print_test(test, printed);
  };
  return listener;
}

/// A learner's own kernel that fails may do so because of what the compiler has seen in it.
void add_warnings(StageResult& stage, const std::filesystem::path& folder) {
  if (stage.status != Status::failed) return;
  const std::vector<std::string> warnings = compiler_warnings(stage.id, folder);
  if (warnings.empty()) return;
  const std::string text = for_students(
      fmt::format("The compiler warns, which may be why: {}.", fmt::join(warnings, "; ")),
      longest_message_bytes);
  std::cout << text << std::endl;
  for (TestResult& test : stage.tests) {
    if (test.status == Status::failed)
      test.finding.hint = text + (test.finding.hint.empty() ? "" : " ") + test.finding.hint;
  }
}

/// Opens what was handed in.
Submission submission_of(const GradeOptions& options, const std::vector<StageInfo>& chosen) {
  try {
    return choose_submission(options, chosen);
  } catch (const NothingSubmitted& error) {
    const std::string why = for_students(error.what(), longest_message_bytes);
    for (const auto& [emitter, file] : options.outputs) {
      if (emitter->text_of_refusal) write_output(file, emitter->text_of_refusal(why));
    }
    throw;
  }
}

}  // namespace

bool grade(const GradeOptions& options) {
  const auto start = std::chrono::steady_clock::now();
  const std::vector<StageInfo> chosen = choose_stages(options.stages, stages());
  const ChosenBackend backend = choose_backend(options);
  const Rubric rubric = load_rubric(layout().root);
  for (const auto& [emitter, file] : options.outputs) {
    if (emitter->demand) emitter->demand();
    demand_writable(file);
  }
  const Submission submission = submission_of(options, chosen);

  sweep_scratch_directories();
  const SandboxSearch search = find_sandbox();
  keep_secrets();

  TerminalReport report(std::cout, style_of_standard_output());
  GradeResult result;
  result.backend = to_string(backend.backend);
  result.device = backend.device;
  std::optional<Interrupted> interrupted;
  for (const StageInfo& stage : chosen) {
    const ExamConditions conditions{backend.backend, options.gpu, options.seed,
                                    options.time_limit_s, search.sandbox.bubblewrap};
    const StageRequest request{stage.id, submission.folder_of(stage), conditions,
                               rubric_of(rubric, stage.id)};
    if (interrupted) {
      result.stages.push_back(not_graded(request, "Grading was stopped before it."));
      continue;
    }
    report.begin_stage(stage.id);
    bool explained = false;
    try {
      result.stages.push_back(
          grade_stage(request, listener_for(report, request.rubric, explained)));
    } catch (const StageInterrupted& early) {
      result.stages.push_back(early.stage);
      interrupted = early;
      continue;
    }
    if (options.is_learners_own()) add_warnings(result.stages.back(), submission.folder_of(stage));
  }
  add_up(result);
  report.print_summary(result, options.seed);
  if (!search.sandbox && !options.submission.empty()) {
    std::cout << fmt::format(
        "Submissions ran without a sandbox: {}. docs/instructors.md says what it takes.\n",
        search.why_not);
  }
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  std::string last;
  for (const auto& [emitter, file] : options.outputs) {
    const std::string text = emitter->text(result, took.count());
    switch (emitter->goes) {
      case Emitter::Goes::to_a_file:
        write_output(file, text);
        break;
      case Emitter::Goes::behind_a_file:
        append_output(file, text);
        break;
      case Emitter::Goes::to_standard_output_last:
        last = text;
        break;
    }
  }
  // What was not judged is no news of a learner's progress.
  if (options.on_result && !interrupted) options.on_result(result);
  std::cout << last << std::flush;
  if (interrupted) throw *interrupted;
  return all_passed(result);
}

}  // namespace tilewise::grading
