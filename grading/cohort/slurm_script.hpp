#pragma once

#include <string>

#include "grading/cohort/ledger.hpp"
#include "grading/cohort/slurm_batch.hpp"

namespace tilewise::grading {

/// What each task of a batch runs, as sbatch takes it. It names files alone: what is run on a
/// cluster is there for every user of it to read, and seeds are secret.
/// @param with_gpu   asks for a GPU, unless the arguments do
/// @param arguments  more for sbatch: "--partition=gpu --time=0:30:00"
/// @throws CannotGrade where the arguments hold a line break
std::string job_script(const SlurmBatch& batch, const Ledger& ledger, bool with_gpu,
                       const std::string& arguments);

}  // namespace tilewise::grading
