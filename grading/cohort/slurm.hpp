#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "grading/cohort/ledger.hpp"

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
/// The same from what squeue --array prints, a line a task.
/// @throws CannotGrade where a task has no number
std::vector<SlurmTask> parse_tasks(std::string_view lines);

/// Which submission is which task of a job array. Kept below the folder of a cohort as
/// slurm/ID.names, from before the array is submitted until nothing of it is left, so that a run
/// that was killed at any moment finds its jobs again: they are called as the batch is.
struct SlurmBatch {
  std::string id;                  ///< nobody else's
  std::vector<std::string> names;  ///< of task 0, 1, ...

  std::string job_name() const { return "tilewise-" + id; }
};

/// Where batches, scripts and what tasks print are.
std::filesystem::path slurm_folder(const Ledger& ledger);

/// What a task prints.
std::filesystem::path log_of(const SlurmBatch& batch, std::size_t task, const Ledger& ledger);

/// A batch with an id of its own, written down.
/// @throws CannotGrade where it cannot be written
SlurmBatch begin_batch(std::vector<std::string> names, const Ledger& ledger);

/// Those that were begun and not removed.
std::vector<SlurmBatch> find_batches(const Ledger& ledger);

/// One of those.
/// @throws CannotGrade where it is not there
SlurmBatch read_batch(const std::string& id, const std::filesystem::path& out);

/// A task that starts after this finds nothing to grade.
void remove_batch(const SlurmBatch& batch, const Ledger& ledger);

/// What each task of a batch runs, as sbatch takes it. It names files alone: what is run on a
/// cluster is there for every user of it to read, and seeds are secret.
/// @param with_gpu   asks for a GPU, unless the arguments do
/// @param arguments  more for sbatch: "--partition=gpu --time=0:30:00"
/// @throws CannotGrade where the arguments hold a line break
std::string job_script(const SlurmBatch& batch, const Ledger& ledger, bool with_gpu,
                       const std::string& arguments);

}  // namespace tilewise::grading
