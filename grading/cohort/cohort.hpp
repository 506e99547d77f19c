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

/// The options of `lab cohort grade` on the command line.
struct CohortOptions : Run {
  std::filesystem::path submissions;  ///< of a class, in a form that take_in() reads
  std::filesystem::path out;          ///< folder for results, feedback and gradebook
  std::filesystem::path roster;       ///< table of all students; if empty, those who have handed in
  std::filesystem::path deadlines;    ///< a file that Deadlines reads; if empty, nothing is late
  std::filesystem::path points;       ///< a file that read_remarks() reads; if empty, none by hand
  std::filesystem::path pseudonyms;   ///< a file of pseudonyms; if empty, students keep their names
  int jobs = 0;  ///< submissions at a time; 0 for one per core, or as many as Slurm likes
  std::string engine = "local";  ///< or "slurm"
  std::string sbatch;            ///< more arguments for sbatch
};

/// One job of a cluster: which submission of a cohort to grade.
struct CohortTask {
  std::filesystem::path out;
  std::string batch;
  std::size_t number = 0;
};

/// Grades every submission of a folder. A run that was stopped continues where it was.
/// @return how many students have handed in something that cannot be graded
/// @throws CannotGrade, also if a cluster left some undone; Interrupted
std::size_t grade_cohort(const CohortOptions& options);

/// Prints who hands in what, what of it would be graded, and who of the roster has handed in
/// nothing; grades nothing.
/// @param roster  may be empty
/// @throws CannotGrade
void show_intake(const std::filesystem::path& submissions, const std::filesystem::path& roster);

/// Merges several gradebooks into one, which lists what each student has in each.
/// @param graded  folders that grade_cohort() wrote
/// @throws CannotGrade
void merge_gradebooks(const std::filesystem::path& out,
                      const std::vector<std::filesystem::path>& graded);

/// Runs JPlag or Dolos, whichever is installed, on what was handed in, and leaves out what the
/// skeletons have.
/// @param graded  a folder that grade_cohort() wrote
/// @throws CannotGrade; if neither is installed, it says how to get one
void show_similarity(const std::filesystem::path& graded);

/// Grades the submission that a task names, unless it is done.
/// @throws CannotGrade, Interrupted
void grade_one(const CohortTask& task);

}  // namespace tilewise::grading
