#include "grading/cohort/engine.hpp"

#include <fmt/format.h>

#include <chrono>
#include <fstream>
#include <list>
#include <memory>
#include <sstream>

#include "grading/builder/command.hpp"
#include "grading/builder/layout.hpp"
#include "grading/builder/scratch_directory.hpp"
#include "grading/report/feedback.hpp"
#include "grading/report/json.hpp"
#include "grading/report/printable.hpp"
#include "grading/report/terminal.hpp"

namespace tilewise::grading {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

/// A submission on its way.
class Grading {
 public:
  Grading(const CohortEntry& entry, const CohortSettings& settings, const Ledger& ledger)
      : entry_(entry), ledger_(ledger) {
    const fs::path sources = ledger.submission(entry.name);
    // A run that was killed may have left half of it.
    fs::remove_all(sources);
    problem_ = take_sources(entry, sources);
    if (problem_.empty()) command_.emplace(command(sources, settings));
  }

  const CohortEntry& entry() const { return entry_; }
  bool is_over() { return !command_ || command_->is_over(); }

  void enter() {
    CohortOutcome outcome{{}, problem_};
    if (command_) outcome = outcome_of(command_->wait());
    const std::string feedback =
        outcome.result ? feedback_text(*outcome.result)
                       : fmt::format("Could not be graded: {}\n", printable(outcome.problem));
    const std::chrono::duration<double> took = Clock::now() - begin_;
    ledger_.enter(entry_.name, outcome, feedback, took.count());
  }

 private:
  Command command(const fs::path& sources, const CohortSettings& settings) const {
    // Every test of every stage at its time limit; then something else is wrong.
    constexpr double hopeless_s = 3600;
    Command command;
    command.arguments = {tool("tilewise"), "grade", "--submission", sources,  "--backend",
                         settings.backend, "--gpu", settings.gpu,   "--json", json()};
    command.arguments.insert(command.arguments.end(), settings.stages.begin(),
                             settings.stages.end());
    command.environment = {{"TILEWISE_SEED", std::to_string(seed_for(settings, entry_.name))}};
    command.time_limit_s = hopeless_s;
    return command;
  }

  CohortOutcome outcome_of(const CommandResult& ended) const {
    const bool judged =
        ended.ending == CommandResult::Ending::exited && (ended.status == 0 || ended.status == 1);
    if (!judged) return {{}, fmt::format("grading {}. {}", describe_ending(ended), ended.output)};
    std::ifstream stream(json());
    return {nlohmann::ordered_json::parse(stream).get<GradeResult>(), ""};
  }

  fs::path json() const { return scratch_.path() / "result.json"; }

  const CohortEntry& entry_;
  const Ledger& ledger_;
  ScratchDirectory scratch_;
  Clock::time_point begin_ = Clock::now();
  std::string problem_;
  std::optional<RunningCommand> command_;
};

}  // namespace

void grade_locally(const std::vector<CohortEntry>& entries, const CohortSettings& settings,
                   const Ledger& ledger, int jobs,
                   const std::function<void(const CohortEntry&)>& done) {
  std::list<Grading> running;
  auto next = entries.begin();
  while (next != entries.end() || !running.empty()) {
    for (; next != entries.end() && std::ssize(running) < jobs; ++next) {
      if (!ledger.is_done(next->name)) running.emplace_back(*next, settings, ledger);
    }
    for (auto grading = running.begin(); grading != running.end();) {
      if (!grading->is_over()) {
        ++grading;
        continue;
      }
      grading->enter();
      done(grading->entry());
      grading = running.erase(grading);
    }
  }
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
