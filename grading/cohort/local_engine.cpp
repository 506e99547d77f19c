#include <fmt/format.h>

#include <fstream>
#include <list>
#include <nlohmann/json.hpp>
#include <utility>

#include "grading/builder/layout.hpp"
#include "grading/cli/submission.hpp"
#include "grading/cohort/engines.hpp"
#include "grading/results/for_students.hpp"
#include "grading/results/printable.hpp"
#include "grading/results/result.hpp"

namespace tilewise::grading {
namespace {

constexpr std::size_t longest_problem_bytes = 4000;

/// Returns an outcome without a result, with the reason in a form that may be shown to the student.
GradedSubmission without_result(std::string_view problem) {
  return {{}, for_students(problem, longest_problem_bytes)};
}

/// Takes the sources of a submission. Whatever is odd about them is returned as the submission's
/// problem.
/// @throws CannotGrade if they cannot be written, Interrupted
std::string try_to_take(const CohortEntry& entry, const std::filesystem::path& to) {
  try {
    return take_sources(entry, to);
  } catch (const CannotGrade&) {
    throw;
  } catch (const Interrupted&) {
    throw;
  } catch (const std::exception& error) {
    return fmt::format("it cannot be read: {}", error.what());
  }
}

/// Replaces the recorded paths by the course's file names, because the name of an archive or of a
/// folder in it may tell whose it is.
void forget_paths(const std::filesystem::path& sources) {
  for (const std::filesystem::path& place : places_in(sources)) {
    if (const auto origin = origin_of(sources, place)) {
      write_origin(sources, place, {place.filename().string(), origin->sha256});
    }
  }
}

}  // namespace

bool prepare(const CohortEntry& entry, const Ledger& ledger) {
  const std::filesystem::path sources = ledger.submission(entry.name);
  std::error_code error;
  std::filesystem::remove_all(sources, error);
  if (!error) std::filesystem::create_directories(sources, error);
  if (error) {
    throw CannotGrade(
        fmt::format("cannot write {}: {}", printable(sources.string()), error.message()));
  }
  const std::string problem = without_secrets(try_to_take(entry, sources), entry);
  if (!entry.secrets.empty()) forget_paths(sources);
  if (problem.empty()) return true;
  ledger.enter(entry.name, without_result(problem), 0);
  return false;
}

Grading::Grading(std::string name, const CohortSettings& settings, const Ledger& ledger)
    : name_(std::move(name)), ledger_(ledger) {
  command_.emplace(command(settings));
}

void Grading::enter() {
  const GradedSubmission graded = graded_of(command_->wait());
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin_;
  ledger_.enter(name_, graded, took.count());
}

void Grading::end() {
  // The process first ends an examiner, which ends its workers, and removes a folder.
  constexpr double patience_s = 10;
  command_->end(patience_s);
}

Command Grading::command(const CohortSettings& settings) const {
  // This suffices for every test of every stage at its time limit; beyond it something else is
  // wrong.
  constexpr double hopeless_s = 3600;
  Command command;
  command.arguments = {tool("tilewise"), "grade",
                       "--submission",   ledger_.submission(name_),
                       "--backend",      settings.backend,
                       "--gpu",          settings.gpu,
                       "--json",         json()};
  command.arguments.insert(command.arguments.end(), settings.stages.begin(), settings.stages.end());
  // The seed is not an argument, because every process can read command lines.
  command.environment = {{"TILEWISE_SEED", std::to_string(seed_for(settings, name_))}};
  command.time_limit_s = hopeless_s;
  return command;
}

GradedSubmission Grading::graded_of(const CommandResult& ended) const {
  const bool judged =
      ended.ending == CommandResult::Ending::exited && (ended.status == 0 || ended.status == 1);
  if (!judged) {
    return without_result(fmt::format("grading {}. {}", describe_ending(ended), ended.output));
  }
  try {
    std::ifstream stream(json());
    return {nlohmann::ordered_json::parse(stream).get<GradeResult>(), ""};
  } catch (const std::exception& error) {
    return without_result(
        fmt::format("grading left no result that can be read ({})", error.what()));
  }
}

namespace {

class LocalRun {
 public:
  LocalRun(const CohortSettings& settings, const Ledger& ledger,
           const std::function<void(const std::string&)>& done)
      : settings_(settings), ledger_(ledger), done_(done) {}
  LocalRun(const LocalRun&) = delete;
  LocalRun& operator=(const LocalRun&) = delete;

  /// If this run is given up, all that is under way is asked to end before any of it is waited for.
  ~LocalRun() {
    for (Grading& grading : running_) grading.ask_to_end();
    for (Grading& grading : running_) grading.end();
  }

  long running() const { return std::ssize(running_); }

  void start(const CohortEntry& entry) {
    if (ledger_.is_done(entry.name)) return;
    if (prepare(entry, ledger_)) {
      running_.emplace_back(entry.name, settings_, ledger_);
    } else {
      done_(entry.name);
    }
  }

  void enter_what_is_over() {
    for (auto grading = running_.begin(); grading != running_.end();) {
      if (!grading->is_over()) {
        ++grading;
        continue;
      }
      grading->enter();
      done_(grading->name());
      grading = running_.erase(grading);
    }
  }

 private:
  const CohortSettings& settings_;
  const Ledger& ledger_;
  const std::function<void(const std::string&)>& done_;
  std::list<Grading> running_;
};

}  // namespace

void grade_locally(const std::vector<CohortEntry>& entries, const CohortSettings& settings,
                   const Ledger& ledger, int jobs,
                   const std::function<void(const std::string&)>& done) {
  LocalRun run(settings, ledger, done);
  auto next = entries.begin();
  while (next != entries.end() || run.running() > 0) {
    for (; next != entries.end() && run.running() < jobs; ++next) {
      throw_if_interrupted();
      run.start(*next);
    }
    run.enter_what_is_over();
  }
}

}  // namespace tilewise::grading
