#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "common/process/command.hpp"
#include "common/process/sandbox.hpp"
#include "grading/cohort/intake.hpp"
#include "grading/cohort/ledger.hpp"

namespace tilewise::grading {

/// Puts the sources of a submission into place, whatever a run that was killed left there. Where
/// there is nothing to grade, enters why.
/// @return whether there is something to grade
/// @throws CannotGrade where a file cannot be written
bool prepare(const CohortEntry& entry, const Ledger& ledger);

/// A submission that was prepared, on its way in a process of its own.
class Grading {
 public:
  /// @param ledger  outlives this object
  Grading(std::string name, const CohortSettings& settings, const Ledger& ledger);

  const std::string& name() const { return name_; }

  /// Waits for a moment. Tells whether it has ended.
  /// @throws Interrupted
  bool is_over() { return command_->is_over(); }

  /// Asks it to end, and does not wait for that.
  void ask_to_end() { command_->ask_to_end(); }

  /// Ends it, so that it clears up after itself. Nothing is entered.
  void end();

  /// Waits for its end, and enters what came of it.
  /// @throws Interrupted; CannotGrade where it cannot be written
  void enter();

 private:
  Command command(const CohortSettings& settings) const;
  GradedSubmission graded_of(const CommandResult& ended) const;
  std::filesystem::path json() const { return scratch_.path() / "result.json"; }

  std::string name_;
  const Ledger& ledger_;
  ScratchDirectory scratch_;
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  std::optional<RunningCommand> command_;
};

/// Grades the submissions that are not done yet on this machine, so many at a time, each in a
/// process of its own. Whatever one of them does, the others are graded.
/// @param done  called after each, with its name
/// @throws CannotGrade where results cannot be written; Interrupted
void grade_locally(const std::vector<CohortEntry>& entries, const CohortSettings& settings,
                   const Ledger& ledger, int jobs,
                   const std::function<void(const std::string&)>& done);

struct SlurmOptions {
  int jobs = 0;           ///< submissions at a time; 0: as many as Slurm likes
  std::string arguments;  ///< more for sbatch
};

/// What happens on a cluster, as it becomes known here.
struct SlurmListener {
  std::function<void(const std::string& name)> done;
  std::function<void(const std::string& text)> note;      ///< to be read later, too
  std::function<void(const std::string& text)> progress;  ///< until the next
};

/// A submission that Slurm took and did not grade, through no fault of its own.
struct Undone {
  std::string name;
  std::string reason;  ///< "Slurm says CANCELLED"
};

/// Grades the submissions that are not done yet on a cluster, one task of a job array each, and
/// waits for them. Where the cluster takes no more jobs, the rest follow as it does. What an
/// earlier run submitted and Slurm still has is waited for, not submitted again. The cohort's
/// folder, this build and the course must be on a file system that all nodes see.
/// @return what is not done when no job is left; it may be graded by another run
/// @throws CannotGrade where Slurm is missing, refuses, or does not answer for long; Interrupted,
///         after which jobs go on
std::vector<Undone> grade_on_cluster(const std::vector<CohortEntry>& entries,
                                     const CohortSettings& settings, const Ledger& ledger,
                                     const SlurmOptions& options, const SlurmListener& listener);

/// To be asked before a cohort is graded elsewhere.
/// @throws CannotGrade where Slurm still has submissions of an earlier run, or does not tell
void demand_none_on_cluster(const Ledger& ledger);

}  // namespace tilewise::grading
