#include "grading/coverage/coverage.hpp"

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <string>
#include <utility>
#include <vector>

#include "common/base/language.hpp"
#include "common/gpu/gpu_profile.hpp"
#include "common/process/process.hpp"
#include "common/process/sandbox.hpp"
#include "grading/builder/builder.hpp"
#include "grading/builder/layout.hpp"
#include "grading/cli/stage_grading.hpp"
#include "grading/cli/submission.hpp"
#include "grading/examiner/rubric.hpp"
#include "grading/measure/commands.hpp"
#include "grading/measure/simulated_calls.hpp"
#include "grading/results/terminal.hpp"

namespace tilewise::grading {
namespace {

namespace fs = std::filesystem;

// Counting is slow, because the code is not optimised.
constexpr double time_limit_s = 60;

/// Reads which lines of each source the tests reached, in the order of the stage's files.
std::vector<SourceCoverage> read_coverage(const StageInfo& stage, const fs::path& folder,
                                          const fs::path& scratch,
                                          const std::vector<std::string>& gcov) {
  SourceTexts texts = read_sources(stage, folder);
  std::vector<SourceCoverage> sources;
  for (const std::string& file : stage.sources) {
    SourceCoverage source{file, std::move(texts[file]), {}};
    for (const Flavour flavour : {Flavour::fast, Flavour::checked}) {
      add_counts(gcov,
                 {.source = folder / file,
                  .name = shown_path(folder, file),
                  .object = flavour_folder(scratch, flavour) / fs::path(file).stem()},
                 source.counts);
    }
    sources.push_back(std::move(source));
  }
  return sources;
}

bool reached_all(const SourceCoverage& source) {
  return source.lines_reached() == source.counts.size();
}

/// Returns advice on the coverage found.
std::string remarks(const std::vector<SourceCoverage>& sources, const StageResult& stage) {
  const auto ended_early = std::ranges::count_if(stage.tests, [](const TestResult& test) {
    return test.status == Status::failed || test.status == Status::error;
  });
  std::string text;
  if (!std::ranges::all_of(sources, reached_all)) {
    text += tr(
        "\nNo test came to the lines marked with '!'. What do the conditions before them ask for: "
        "another n,\nanother tile, an argument that the contract does not allow? Call it with "
        "that: "
        "./lab profile.\nIf nothing can ever lead there, take the lines out.\n");
  }
  if (ended_early > 0) {
    text +=
        tr("\n{} of {} tests did not pass. A test ends where it fails, so that more may be reached "
           "once "
           "it\npasses: ./lab grade {}.\n",
           ended_early, stage.tests.size(), stage.id);
  }
  return text;
}

}  // namespace

bool coverage(const Run& run) {
  const StageInfo stage = stage_of(run);
  const std::vector<std::string> gcov = gcov_command(cxx_compiler());
  const Rubric rubric = load_rubric(layout().root);
  const std::vector<RubricEntry>& tests = rubric_of(rubric, stage.id);
  const Submission submission = choose_submission(run, {stage});
  const fs::path folder = submission.folder_of(stage);
  keep_secrets();

  const TerminalStyle style = style_of_standard_output();
  TerminalReport report(std::cout, style);
  report.begin_stage(stage.id);
  bool judged = true;
  StageListener listener;
  listener.compiling = [&] { report.show_progress(tr("compiling")); };
  listener.exam.test_started = [&](std::string_view test) {
    report.show_progress(shown_name(tests, test));
  };
  listener.cannot_judge = [&](const Finding& why) {
    judged = false;
    report.explain_stage(
        {.message = why.message, .hint = why.hint, .file = why.file, .line = why.line});
  };
  // The tests run without a sandbox, because the counts have to be written to files.
  const ExamConditions conditions{.backend = Backend::simt,
                                  .gpu = core::default_gpu,
                                  .seed = run.seed,
                                  .time_limit_s = time_limit_s,
                                  .covered = true};
  const ScratchDirectory scratch;
  const StageResult result =
      grade_stage({stage.id, folder, conditions, tests}, listener, scratch.path());
  report.clear_progress();
  if (!judged) return false;

  const std::vector<SourceCoverage> sources = read_coverage(stage, folder, scratch.path(), gcov);
  for (const SourceCoverage& source : sources) {
    std::cout << coverage_table(source, style.colours);
  }
  std::cout << remarks(sources, result);
  if (!run.submission.empty()) {
    std::cout << tr(
        "\nThe submission ran without a sandbox, so that it could be counted. Do this with "
        "code you trust.\n");
  }
  std::cout << std::flush;
  return true;
}

}  // namespace tilewise::grading
