#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "common/gpu/gpu_profile.hpp"
#include "grading/cli/submission.hpp"
#include "grading/cohort/ledger.hpp"

namespace tilewise::grading {

/// `lab cohort grade` as asked for on the command line.
struct CohortOptions : Run {
  std::filesystem::path submissions;  ///< of a class, as take_in() knows it
  std::filesystem::path out;          ///< folder for results, feedback and gradebook
  int jobs = 0;  ///< submissions at a time; 0: as many as there are cores, or as Slurm likes
  std::string engine = "local";  ///< or "slurm"
  std::string sbatch;            ///< more arguments for it
};

/// One job of a cluster: which submission of a cohort to grade.
struct CohortTask {
  std::filesystem::path out;
  std::string batch;
  std::size_t number = 0;
};

/// Grades every submission of a folder. A run that was stopped goes on where it was.
/// @throws CannotGrade, also where a cluster left some undone; Interrupted
void grade_cohort(const CohortOptions& options);

/// Prints who hands in what, and what of it would be graded; grades nothing.
/// @throws CannotGrade
void show_intake(const std::filesystem::path& submissions);

/// Grades the submission that a task is for, unless that is done.
/// @throws CannotGrade, Interrupted
void grade_one(const CohortTask& task);

}  // namespace tilewise::grading
