#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "common/base/files.hpp"
#include "common/base/language.hpp"
#include "common/gpu/gpu_profile.hpp"
#include "common/process/command.hpp"
#include "grading/measure/commands.hpp"
#include "grading/measure/simulated_calls.hpp"
#include "grading/profile/predictions.hpp"
#include "grading/results/files.hpp"
#include "grading/results/printable.hpp"
#include "grading/stages/stage_contracts.hpp"

namespace tilewise::grading {
namespace {

/// Reads a line and strips the blanks around it.
/// @throws CannotGrade if the input has ended; Interrupted
std::string line_typed() {
  std::string line;
  const bool there_is_one = static_cast<bool>(std::getline(std::cin, line));
  throw_if_interrupted();  // a signal ends the reading as well
  if (!there_is_one) {
    fmt::print("\n");
    throw CannotGrade(tr("the answers end here, so nothing was counted and nothing is kept"));
  }
  constexpr const char* blanks = " \t\r";
  const std::size_t begin = line.find_first_not_of(blanks);
  if (begin == line.npos) return "";
  return line.substr(begin, line.find_last_not_of(blanks) + 1 - begin);
}

std::string what_to_type(const PredictionQuestion& question) {
  return question.choices.empty()
             ? tr("type a number, such as 4 or 1/8")
             : tr("type a number from 1 to {}, or the words", question.choices.size());
}

/// Asks until there is a valid answer. Returns nothing if the learner leaves the question out.
std::optional<Prediction> ask(std::size_t number, const PredictionQuestion& question) {
  fmt::print("{}", wrapped(fmt::format("{}. {}", number, core::in_language(question.question)), "",
                           columns_of_standard_output()));
  for (std::size_t i = 0; i < question.choices.size(); ++i) {
    fmt::print("     {}  {}\n", i + 1, core::in_language(question.choices[i]));
  }
  for (;;) {
    fmt::print("   > ");
    std::fflush(stdout);
    const std::string line = line_typed();
    if (isatty(STDIN_FILENO) == 0) fmt::print("{}\n", printable(line));
    if (line.empty()) return std::nullopt;
    if (const auto answer = read_prediction(question, line)) return answer;
    const std::string problem =
        tr("'{}' is no answer to this: {}", printable(line), what_to_type(question));
    // Without a terminal, nobody is there to correct the answer.
    if (isatty(STDIN_FILENO) == 0) throw CannotGrade(problem);
    fmt::print("   {}\n", problem);
  }
}

/// Returns the calls that the questions are about, each call once. `call_of` gets the index of each
/// question's call.
std::vector<NamedCall> calls_of(const std::vector<PredictionQuestion>& questions,
                                const StageInfo& stage, std::vector<std::size_t>& call_of) {
  std::vector<NamedCall> calls;
  for (const PredictionQuestion& question : questions) {
    NamedCall call = read_call(question.call, contracts_of(stage.id));
    const auto known = std::ranges::find(calls, call.text, &NamedCall::text);
    call_of.push_back(static_cast<std::size_t>(known - calls.begin()));
    if (known == calls.end()) calls.push_back(std::move(call));
  }
  return calls;
}

/// Whether a part of the stage is still unwritten, so that a file still has the skeleton's
/// TODO(lab).
bool has_gaps(const StageInfo& stage, const std::filesystem::path& folder) {
  return std::ranges::any_of(stage.sources, [&](const std::string& source) {
    const std::filesystem::path file = folder / source;
    return std::filesystem::exists(file) && text_of(file).find("TODO(lab)") != std::string::npos;
  });
}

/// The counts of the calls, and whose kernels were counted.
struct Counts {
  std::vector<ProfileReport> reports;
  bool of_solution = false;
};

Counts count(const PredictOptions& options, const StageInfo& stage, const core::GpuProfile& gpu,
             const std::vector<NamedCall>& calls, TerminalReport& terminal) {
  const auto of = [&](const Run& run) {
    const Submission submission = choose_submission(run, {stage});
    return count_calls(stage, submission.folder_of(stage), gpu, calls, false, terminal);
  };
  if (!options.is_learners_own()) return {of(options), options.solutions};
  // Learners usually predict before they write the kernel, so their files may not be ready.
  try {
    if (!has_gaps(stage, choose_submission(options, {stage}).folder_of(stage))) {
      return {of(options)};
    }
  } catch (const NothingToShow&) {
    terminal.clear_progress();
  }
  Run reference = options;
  reference.solutions = true;
  return {of(reference), true};
}

}  // namespace

bool predict(const PredictOptions& options) {
  const StageInfo stage = stage_of(options);
  const core::GpuProfile gpu = simulated_gpu(stage, core::gpu_profile(options.gpu));
  const std::vector<PredictionQuestion> questions =
      read_predictions(core::project_root(), stage.id);
  if (questions.empty()) {
    fmt::print("{}", tr("{} asks for no prediction.\n", stage.id));
    write_output(options.json, to_file(predictions_document(stage.id, {})));
    return true;
  }
  std::vector<std::size_t> call_of;
  const std::vector<NamedCall> calls = calls_of(questions, stage, call_of);
  choose_submission(options, {stage});  // reports a faulty submission before any question is asked
  demand_writable(options.json);

  fmt::print("{}", wrapped(tr("{}: what do you expect on a {}? Nothing of it is graded, and "
                              "an empty line leaves a question out.",
                              stage.id, gpu.name),
                           "", columns_of_standard_output()));
  std::vector<AnsweredPrediction> answers;
  for (const PredictionQuestion& question : questions) {
    fmt::print("\n");
    answers.push_back(
        {.question = question, .predicted = ask(answers.size() + 1, question), .gpu = gpu.id});
  }

  TerminalReport terminal(std::cout, style_of_standard_output());
  Counts counts;
  try {
    counts = count(options, stage, gpu, calls, terminal);
  } catch (const NothingToShow& none) {
    terminal.explain_stage(none.why);
    return false;
  }
  for (std::size_t i = 0; i < answers.size(); ++i) {
    answers[i].counted = counted_figure(questions[i], counts.reports[call_of[i]]);
    answers[i].of_solution = counts.of_solution;
  }
  fmt::print(
      "\n{}:\n",
      counts.of_solution && !options.solutions
          ? tr("Of the solution, as your own files have a TODO(lab) left or cannot be counted yet")
      : options.solutions ? tr("Of the solution")
                          : tr("Of your kernels"));
  fmt::print("{}", predictions_table(answers, columns_of_standard_output()));
  fmt::print("{}", tr("\nLine by line: ./lab profile {}{} --call '{}'\n", stage.id,
                      counts.of_solution ? " --solutions" : "", calls.front().text));
  write_output(options.json, to_file(predictions_document(stage.id, answers)));
  if (options.on_answers) options.on_answers(stage, answers);
  return true;
}

}  // namespace tilewise::grading
