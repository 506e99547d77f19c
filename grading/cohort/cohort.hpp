#pragma once

#include <cstddef>
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
  std::filesystem::path roster;       ///< table of all students; empty: whoever has handed in
  std::filesystem::path deadlines;    ///< as Deadlines reads it; empty: nothing is late
  std::filesystem::path points;       ///< as read_remarks() does; empty: none by hand
  std::filesystem::path pseudonyms;   ///< that students go by; empty: their names
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
/// @return how many students have handed in something that cannot be graded
/// @throws CannotGrade, also where a cluster left some undone; Interrupted
std::size_t grade_cohort(const CohortOptions& options);

/// Prints who hands in what, what of it would be graded, and who of the roster has handed in
/// nothing; grades nothing.
/// @param roster  empty: none
/// @throws CannotGrade
void show_intake(const std::filesystem::path& submissions, const std::filesystem::path& roster);

/// Writes one gradebook of several: what each student has in each.
/// @param graded  folders that grade_cohort() wrote
/// @throws CannotGrade
void merge_gradebooks(const std::filesystem::path& out,
                      const std::vector<std::filesystem::path>& graded);

/// Runs JPlag or Dolos, whichever is installed, on what was handed in, and leaves out what the
/// skeletons have.
/// @param graded  a folder that grade_cohort() wrote
/// @throws CannotGrade, where neither is installed with how to get one
void show_similarity(const std::filesystem::path& graded);

/// Grades the submission that a task is for, unless that is done.
/// @throws CannotGrade, Interrupted
void grade_one(const CohortTask& task);

}  // namespace tilewise::grading
