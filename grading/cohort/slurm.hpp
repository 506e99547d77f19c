#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "grading/cohort/ledger.hpp"

namespace tilewise::grading {

/// Wraps Slurm's commands, without anything about what Tilewise does with them.

/// What to run as an array of jobs.
struct SlurmArray {
  std::string job_name;
  std::filesystem::path script;
  std::filesystem::path folder;  ///< working directory
  std::string output;            ///< output file of each task below `folder`; "%a" is its number
  std::size_t tasks = 0;
  int at_a_time = 0;               ///< 0 for as many as Slurm likes
  std::vector<std::string> after;  ///< ids of arrays that must have ended
};

/// A task of an array.
struct SlurmTask {
  std::string job_name;
  std::string array_id;
  std::size_t number = 0;
  std::string state;   ///< such as "PENDING"
  std::string reason;  ///< why it waits, such as "Resources"

  /// Whether Slurm will not do anything more for it.
  bool is_over() const;
  bool operator==(const SlurmTask&) const = default;
};

/// @throws CannotGrade if Slurm's commands are not installed
void demand_slurm();

/// Slurm's answer when an array is submitted.
struct SlurmAnswer {
  std::string id;          ///< of the array; empty if the cluster does not take it now
  std::string words;       ///< Slurm's message, if it does not take it
  bool will_pass = false;  ///< whether waiting helps: the queue is full, or nobody answers
};

/// Submits an array. It is no error if the cluster has as many jobs as it takes, in all or from
/// this user, because it may take them later, or fewer tasks now.
/// @throws CannotGrade with Slurm's words if it refuses for another reason
SlurmAnswer submit(const SlurmArray& array);

/// Returns all tasks of jobs with these names that Slurm knows of: those that wait or run, and for
/// some minutes those that have ended. A list that is too long for one answer is asked for in
/// parts.
/// @throws CannotGrade if Slurm does not answer
std::vector<SlurmTask> tasks_of(const std::vector<std::string>& job_names);
/// Reads the same from what squeue --array prints, one line per task.
/// @throws CannotGrade if a task has no number
std::vector<SlurmTask> parse_tasks(std::string_view lines);

/// Records which submission is which task of a job array. The record is kept below the folder of a
/// cohort as slurm/ID.names, from before the array is submitted until no task of it is left, so
/// that a run that was killed at any moment finds its jobs again. The jobs are named after the
/// batch.
struct SlurmBatch {
  std::string id;                  ///< unique
  std::vector<std::string> names;  ///< submissions of task 0, 1, ...

  std::string job_name() const { return "tilewise-" + id; }
};

/// Returns the folder with the batches, the scripts and the output of tasks.
std::filesystem::path slurm_folder(const Ledger& ledger);

/// Returns the file that a task prints to.
std::filesystem::path log_of(const SlurmBatch& batch, std::size_t task, const Ledger& ledger);

/// Makes a batch with a new id, and writes it down.
/// @throws CannotGrade if it cannot be written
SlurmBatch begin_batch(std::vector<std::string> names, const Ledger& ledger);

/// Returns the batches that were begun and not removed.
std::vector<SlurmBatch> find_batches(const Ledger& ledger);

/// Reads one of these batches.
/// @throws CannotGrade if it is not there
SlurmBatch read_batch(const std::string& id, const std::filesystem::path& out);

/// Removes a batch. A task of it that starts later finds nothing to grade.
void remove_batch(const SlurmBatch& batch, const Ledger& ledger);

/// Returns the script that each task of a batch runs, for sbatch. It contains only names of files,
/// because every user of a cluster can read what is run on it, and seeds are secret.
/// @param with_gpu   whether to ask for a GPU, unless the arguments do
/// @param arguments  more for sbatch, such as "--partition=gpu --time=0:30:00"
/// @throws CannotGrade if the arguments hold a line break
std::string job_script(const SlurmBatch& batch, const Ledger& ledger, bool with_gpu,
                       const std::string& arguments);

}  // namespace tilewise::grading
