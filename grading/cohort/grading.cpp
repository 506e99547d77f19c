#include "grading/cohort/grading.hpp"

#include <fmt/format.h>

#include <fstream>
#include <sstream>
#include <utility>

#include "grading/builder/layout.hpp"
#include "grading/report/feedback.hpp"
#include "grading/report/json.hpp"
#include "grading/report/printable.hpp"
#include "grading/report/terminal.hpp"

namespace tilewise::grading {
namespace {

std::string feedback_text(const CohortOutcome& outcome) {
  if (outcome.result) return feedback_text(*outcome.result);
  return fmt::format("Could not be graded: {}\n", printable(outcome.problem));
}

}  // namespace

bool prepare(const CohortEntry& entry, const Ledger& ledger) {
  const std::filesystem::path sources = ledger.submission(entry.name);
  std::filesystem::remove_all(sources);
  const CohortOutcome outcome{{}, take_sources(entry, sources)};
  if (outcome.problem.empty()) return true;
  ledger.enter(entry.name, outcome, feedback_text(outcome), 0);
  return false;
}

Grading::Grading(std::string name, const CohortSettings& settings, const Ledger& ledger)
    : name_(std::move(name)), ledger_(ledger) {
  command_.emplace(command(settings));
}

void Grading::enter() {
  const CohortOutcome outcome = outcome_of(command_->wait());
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin_;
  ledger_.enter(name_, outcome, feedback_text(outcome), took.count());
}

Command Grading::command(const CohortSettings& settings) const {
  // Every test of every stage at its time limit; then something else is wrong.
  constexpr double hopeless_s = 3600;
  Command command;
  command.arguments = {tool("tilewise"), "grade",
                       "--submission",   ledger_.submission(name_),
                       "--backend",      settings.backend,
                       "--gpu",          settings.gpu,
                       "--json",         json()};
  command.arguments.insert(command.arguments.end(), settings.stages.begin(), settings.stages.end());
  // Command lines are there for every process to read.
  command.environment = {{"TILEWISE_SEED", std::to_string(seed_for(settings, name_))}};
  command.time_limit_s = hopeless_s;
  return command;
}

CohortOutcome Grading::outcome_of(const CommandResult& ended) const {
  const bool judged =
      ended.ending == CommandResult::Ending::exited && (ended.status == 0 || ended.status == 1);
  if (!judged) return {{}, fmt::format("grading {}. {}", describe_ending(ended), ended.output)};
  std::ifstream stream(json());
  return {nlohmann::ordered_json::parse(stream).get<GradeResult>(), ""};
}

std::string feedback_text(const GradeResult& result) {
  std::ostringstream text;
  TerminalReport report(text, {});
  const GradeResult shown = without_hidden(result);
  for (const StageResult& stage : shown.stages) {
    report.begin_stage(stage.id);
    for (const TestResult& test : stage.tests) report.print_test(test, "");
  }
  report.print_points(shown);
  text << fmt::format("Graded on {}, backend {}.\n", printable(shown.device), shown.backend);
  return text.str();
}

}  // namespace tilewise::grading
