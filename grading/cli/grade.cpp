#include "grading/cli/grade.hpp"

#include <fmt/format.h>

#include <iostream>
#include <stdexcept>

#include "grading/builder/layout.hpp"
#include "grading/cli/backend_choice.hpp"
#include "grading/cli/output_file.hpp"
#include "grading/cli/stage_choice.hpp"
#include "grading/cli/stage_grading.hpp"
#include "grading/cli/submission.hpp"
#include "grading/examiner/process/sandbox.hpp"
#include "grading/examiner/process/secrets.hpp"
#include "grading/examiner/rubric.hpp"
#include "grading/report/json.hpp"
#include "grading/report/junit.hpp"
#include "grading/report/terminal.hpp"

namespace tilewise::grading {
namespace {

const std::vector<RubricEntry>& rubric_of(const Rubric& rubric, const std::string& stage) {
  const auto found = rubric.find(stage);
  if (found == rubric.end()) {
    throw std::runtime_error(fmt::format("grading/rubric.json has no stage {}", stage));
  }
  return found->second;
}

StageListener listener_for(TerminalReport& report, bool& explained) {
  StageListener listener;
  listener.compiling = [&report] { report.show_progress("compiling"); };
  listener.cannot_judge = [&](const BuildOutcome& why) {
    explained = true;
    report.explain_stage({why.message, why.hint, "", 0});
  };
  listener.exam.test_started = [&report](std::string_view test) { report.show_progress(test); };
  listener.exam.test_ended = [&](const TestResult& test, const std::string& printed) {
    explained ? report.print_test_line(test) : report.print_test(test, printed);
  };
  return listener;
}

}  // namespace

bool grade(const GradeOptions& options) {
  const std::vector<StageInfo> chosen = choose_stages(options.stages, stages());
  const ChosenBackend backend = choose_backend(options.backend, options.gpu, options.device);
  const Submission submission = choose_submission(options.solutions, options.submission, chosen);
  const Rubric rubric = load_rubric(layout().root / "grading" / "rubric.json");
  demand_writable(options.json);
  demand_writable(options.junit);

  const SandboxSearch search = find_sandbox();
  keep_secrets();

  TerminalReport report(std::cout, style_of_standard_output());
  GradeResult result;
  result.backend = to_string(backend.backend);
  result.device = backend.device;
  for (const StageInfo& stage : chosen) {
    report.begin_stage(stage.id);
    bool explained = false;
    const ExamConditions conditions{backend.backend, options.gpu, options.seed,
                                    options.time_limit_s, search.sandbox.bubblewrap};
    result.stages.push_back(grade_stage(
        {stage.id, submission.folder_of(stage), conditions, rubric_of(rubric, stage.id)},
        listener_for(report, explained)));
  }
  add_up(result);
  report.print_summary(result, options.seed);
  if (!search.sandbox && !options.submission.empty()) {
    std::cout << fmt::format("Submissions ran without a sandbox: {}.\n", search.why_not);
  }
  write_output(options.json, to_file(result));
  write_output(options.junit, junit_file(result));
  return all_passed(result);
}

}  // namespace tilewise::grading
