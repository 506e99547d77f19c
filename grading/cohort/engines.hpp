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

/// Puts the sources of a submission into place, whatever a killed run left there. If there is
/// nothing to grade, enters the reason.
/// @return whether there is something to grade
/// @throws CannotGrade if a file cannot be written
bool prepare(const CohortEntry& entry, const Ledger& ledger);

/// A prepared submission that is being graded in a process of its own.
class Grading {
 public:
  /// @param ledger  must outlive this object
  Grading(std::string name, const CohortSettings& settings, const Ledger& ledger);

  const std::string& name() const { return name_; }

  /// Waits for a moment and returns whether grading has ended.
  /// @throws Interrupted
  bool is_over() { return command_->is_over(); }

  /// Asks the process to end, and does not wait for it.
  void ask_to_end() { command_->ask_to_end(); }

  /// Ends the process in a way that lets it clean up after itself. Enters nothing.
  void end();

  /// Waits for the process to end, and enters the result.
  /// @throws Interrupted; CannotGrade if the result cannot be written
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

/// Grades on this machine the submissions that are not done yet, `jobs` at a time, each in a
/// process of its own. Whatever one of them does, the others are graded.
/// @param done  called after each, with its name
/// @throws CannotGrade if results cannot be written; Interrupted
void grade_locally(const std::vector<CohortEntry>& entries, const CohortSettings& settings,
                   const Ledger& ledger, int jobs,
                   const std::function<void(const std::string&)>& done);

struct SlurmOptions {
  int jobs = 0;           ///< submissions at a time; 0 for as many as Slurm likes
  std::string arguments;  ///< more arguments for sbatch
};

/// The functions that are called when something on a cluster becomes known here.
struct SlurmListener {
  std::function<void(const std::string& name)> done;
  std::function<void(const std::string& text)> note;      ///< for text that stays
  std::function<void(const std::string& text)> progress;  ///< for text that the next one replaces
};

/// A submission that Slurm took and did not grade, through no fault of its own.
struct Undone {
  std::string name;
  std::string reason;  ///< "Slurm says CANCELLED"
};

/// Grades on a cluster the submissions that are not done yet, each as one task of a job array, and
/// waits for them. If the cluster takes no more jobs, the rest follow when it does. Jobs that an
/// earlier run submitted and that Slurm still has are waited for, not submitted again. The cohort's
/// folder, this build and the course must be on a file system that all nodes see.
/// @return the submissions that are not done when no job is left; another run may grade them
/// @throws CannotGrade if Slurm is missing, refuses, or does not answer for long; Interrupted,
///         after which the jobs continue
std::vector<Undone> grade_on_cluster(const std::vector<CohortEntry>& entries,
                                     const CohortSettings& settings, const Ledger& ledger,
                                     const SlurmOptions& options, const SlurmListener& listener);

/// Must be called before a cohort is graded elsewhere than on the cluster.
/// @throws CannotGrade if Slurm still has submissions of an earlier run, or does not answer
void demand_none_on_cluster(const Ledger& ledger);

}  // namespace tilewise::grading
