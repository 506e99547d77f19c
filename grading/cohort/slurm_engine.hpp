#pragma once

#include <functional>
#include <string>
#include <vector>

#include "grading/cohort/intake.hpp"
#include "grading/cohort/ledger.hpp"

namespace tilewise::grading {

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
