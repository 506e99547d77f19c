#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "grading/cohort/ledger.hpp"

namespace tilewise::grading {

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
