#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace tilewise::grading {

/// Slurm's commands, and nothing of what Tilewise does with them.

/// What to run as an array of jobs.
struct SlurmArray {
  std::string job_name;
  std::filesystem::path script;
  std::filesystem::path folder;  ///< where it runs
  std::string output;            ///< of each task, "%a" for its number; below `folder`
  std::size_t tasks = 0;
  int at_a_time = 0;               ///< 0: as many as Slurm likes
  std::vector<std::string> after;  ///< ids of arrays that must have ended
};

/// A task of an array.
struct SlurmTask {
  std::string job_name;
  std::string array_id;
  std::size_t number = 0;
  std::string state;   ///< "PENDING"
  std::string reason;  ///< why it waits: "Resources"

  /// Whether Slurm will not do anything more for it.
  bool is_over() const;
  bool operator==(const SlurmTask&) const = default;
};

/// @throws CannotGrade where Slurm's commands are not installed
void demand_slurm();

/// How many tasks an array may have.
std::size_t largest_array();
/// The same from what `scontrol show config` prints.
std::size_t parse_largest_array(std::string_view config);

/// What became of an array that was submitted.
struct SlurmAnswer {
  std::string id;          ///< of the array; empty where the cluster takes none such now
  std::string words;       ///< in which it says so
  bool will_pass = false;  ///< by itself: the queue is full, or nobody answers
};

/// Submits an array. Where the cluster has as many jobs as it takes, or as it takes of this user,
/// that is no error: another time, or for fewer tasks, it may be otherwise.
/// @throws CannotGrade with Slurm's words where it refuses for another reason
SlurmAnswer submit(const SlurmArray& array);

/// The tasks of jobs with these names that Slurm knows of: those that wait and run, and for some
/// minutes those that ended. All of them: a list that does not fit is asked for in parts.
/// @throws CannotGrade where Slurm does not answer
std::vector<SlurmTask> tasks_of(const std::vector<std::string>& job_names);
/// The same from what squeue prints, in which one line may stand for many tasks that wait.
/// @throws CannotGrade where it leaves tasks out
std::vector<SlurmTask> parse_tasks(std::string_view lines);

}  // namespace tilewise::grading
