#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "common/base/catalogue.hpp"
#include "common/base/language.hpp"
#include "common/gpu/gpu_profile.hpp"
#include "common/process/process.hpp"
#include "common/process/sandbox.hpp"
#include "grading/builder/built_parts.hpp"
#include "grading/builder/compiler_warnings.hpp"
#include "grading/builder/layout.hpp"
#include "grading/cli/backend_choice.hpp"
#include "grading/cli/commands.hpp"
#include "grading/cli/mend.hpp"
#include "grading/cli/stage_grading.hpp"
#include "grading/cli/submission.hpp"
#include "grading/examiner/rubric.hpp"
#include "grading/results/causes.hpp"
#include "grading/results/emitters.hpp"
#include "grading/results/files.hpp"
#include "grading/results/for_students.hpp"
#include "grading/results/terminal.hpp"

namespace tilewise::grading {
namespace {

/// What was said while a stage was graded.
struct Said {
  std::string unjudged;                        ///< why tests have no verdict
  std::map<std::string, std::string> printed;  ///< what the student's code printed, by test
};

void tell(const nlohmann::ordered_json& event) {
  const std::string line = to_line(event) + "\n";
  // A reader that does not listen any more has ended this process, too.
  [[maybe_unused]] const auto ignored =
      ::write(Command::event_descriptor, line.data(), line.size());
}

StageListener listener_for(TerminalReport& report, const std::vector<RubricEntry>& rubric,
                           bool tells_events, Said& said) {
  StageListener listener;
  listener.compiling = [&report] { report.show_progress(tr("compiling")); };
  listener.cannot_judge = [&](const Finding& why) {
    said.unjudged = why.message;
    report.explain_stage({.message = why.message, .hint = why.hint});
  };
  listener.exam.test_started = [&](std::string_view test) {
    report.show_progress(shown_name(rubric, test));
  };
  listener.exam.test_ended = [&, tells_events, hidden = 0](const TestResult& judged,
                                                           const std::string& output) mutable {
    // What a kernel prints may reveal the inputs of a hidden test.
    const TestResult test = judged.hidden ? without_secrets(judged, ++hidden) : judged;
    const std::string printed = judged.hidden ? "" : output;
    report.print_test(test);
    if (tells_events) tell({{"test", test}, {"printed", printed}});
    if (!printed.empty()) said.printed[test.name] = printed;
  };
  return listener;
}

void print_causes(TerminalReport& report, const StageResult& stage, const Said& said) {
  StageResult shown = without_hidden(stage);
  std::erase_if(shown.tests, [&](const TestResult& test) {
    return !said.unjudged.empty() && test.finding.message == said.unjudged;
  });
  report.print_causes(shown, said.printed);
}

/// Adds the compiler's warnings to the hints of a learner's own kernel that fails, because they may
/// tell why.
void add_warnings(StageResult& stage, const std::filesystem::path& folder) {
  if (stage.status != Status::failed) return;
  const std::vector<std::string> warnings = compiler_warnings(stage.id, folder);
  if (warnings.empty()) return;
  const std::string text =
      for_students(tr("The compiler warns, which may be why: {}.", fmt::join(warnings, "; ")),
                   longest_message_bytes);
  for (TestResult& test : stage.tests) {
    if (test.status == Status::failed)
      test.finding.hint = text + (test.finding.hint.empty() ? "" : " ") + test.finding.hint;
  }
}

/// Whether a learner reads what is printed. For what others hand in, files are written instead.
bool is_for_a_learner(const GradeOptions& options) {
  const bool writes_for_machines = std::ranges::any_of(options.outputs, [](const Output& output) {
    return output.emitter->goes != Emitter::Goes::to_a_file;
  });
  return !options.solutions && !writes_for_machines &&
         (options.is_learners_own() || options.outputs.empty());
}

/// Looks for the numbers behind the fault of the first stage that failed and for a small change
/// that mends it, and reports them. The user may end this.
/// @return whether something was found, which is then in the result
bool tell_more(GradeResult& result, const std::map<std::string, StageRequest>& requests,
               TerminalReport& report, bool tells_events) {
  constexpr double time_limit_s = 30;  // a large stage takes half of it to compile
  const auto failed = std::ranges::find(result.stages, Status::failed, &StageResult::status);
  if (failed == result.stages.end()) return false;
  const StageRequest& request = requests.at(failed->id);
  if (is_skeleton(stage_called(failed->id), request.source_directory)) return false;
  const StageResult shown = without_hidden(*failed);
  const TestResult* const seen = nearest_cause(shown);
  if (seen == nullptr) return false;
  TestResult& cause = *std::ranges::find(failed->tests, seen->name, &TestResult::name);
  bool is_told = false;
  try {
    report.show_progress(tr("looking at the numbers, Ctrl-C ends it"));
    const Behind behind = look_behind(shown, request);
    if (!behind.text.empty()) {
      is_told = true;
      cause.finding.message += behind.text;
      report.explain_stage({.message = behind.text.substr(1)});
      if (tells_events) tell({{"test", cause.name}, {"numbers", behind.text}});
    }
    report.show_progress(tr("trying small changes, Ctrl-C ends it"));
    // The lines to change first are read from the message in `shown`, which lacks these numbers.
    if (const auto found = mending_of(shown, request, behind.lines, time_limit_s)) {
      is_told = true;
      cause.finding.hint = *found;
      report.explain_stage({.message = *found});
      if (tells_events) tell({{"test", cause.name}, {"mended", *found}});
    }
  } catch (const Interrupted&) {
    // The verdict stands without what was looked for.
  }
  report.clear_progress();
  return is_told;
}

/// Writes the files, and returns what is printed last.
std::string write_outputs(const GradeOptions& options, const GradeResult& result, double took_s) {
  std::string last;
  for (const auto& [emitter, file] : options.outputs) {
    const std::string text = emitter->text(result, took_s);
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
  return last;
}

/// Opens what was handed in. If that is nothing, writes why to the outputs that have a form for it.
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
  // What other programs read is always in English. If events are reported, a learner is shown the
  // result in their own language.
  if (!options.outputs.empty() && !options.tells_events) core::speak_english();
  const auto start = std::chrono::steady_clock::now();
  const std::vector<StageInfo> chosen = choose_stages(options.stages, stages());
  const ChosenBackend backend = choose_backend(options);
  const Rubric rubric = load_rubric(layout().root);
  for (const auto& [emitter, file] : options.outputs) {
    if (emitter->demand) emitter->demand();
    demand_writable(file);
  }
  const Submission submission = submission_of(options, chosen);
  have_built(parts_that_grade(chosen));

  sweep_scratch_directories();
  const SandboxSearch search = find_sandbox();
  keep_secrets();

  TerminalReport report(std::cout, style_of_standard_output());
  GradeResult result;
  result.backend = to_string(backend.backend);
  result.device = backend.device;
  std::optional<Interrupted> interrupted;
  std::map<std::string, StageRequest> requests;
  for (const StageInfo& stage : chosen) {
    const ExamConditions conditions{backend.backend, options.gpu, options.seed,
                                    options.time_limit_s, search.sandbox.bubblewrap};
    const StageRequest request{stage.id, submission.folder_of(stage), conditions,
                               rubric_of(rubric, stage.id)};
    requests.emplace(stage.id, request);
    if (interrupted) {
      result.stages.push_back(not_graded(request, tr("Grading was stopped before it.")));
      continue;
    }
    report.begin_stage(stage.id);
    Said said;
    try {
      result.stages.push_back(
          grade_stage(request, listener_for(report, request.rubric, options.tells_events, said)));
    } catch (const StageInterrupted& early) {
      result.stages.push_back(early.stage);
      interrupted = early;
      continue;
    }
    if (options.is_learners_own()) add_warnings(result.stages.back(), submission.folder_of(stage));
    print_causes(report, result.stages.back(), said);
  }
  add_up(result);
  report.print_summary(result, options.seed);
  if (!search.sandbox && !options.submission.empty()) {
    std::cout << tr(
        "Submissions ran without a sandbox: {}. docs/instructors.md says what it takes.\n",
        search.why_not);
  }
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  const std::string last = write_outputs(options, result, took.count());
  // A grading that was stopped says nothing of a learner's progress.
  if (options.on_result && !interrupted) options.on_result(result);
  if (options.tells_events) tell({{"graded", true}});
  if (is_for_a_learner(options) && !interrupted && result.backend == to_string(Backend::simt) &&
      tell_more(result, requests, report, options.tells_events)) {
    write_outputs(options, result, took.count());
  }
  std::cout << last << std::flush;
  if (interrupted) throw *interrupted;
  return all_passed(result);
}

}  // namespace tilewise::grading
