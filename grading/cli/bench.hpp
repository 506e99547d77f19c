#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "common/gpu/gpu_profile.hpp"
#include "grading/bench/bench_report.hpp"
#include "grading/cli/submission.hpp"

namespace tilewise::grading {

/// What `lab bench` and `lab report` are asked for.
struct BenchOptions : Run {
  std::vector<int> orders;                 ///< empty: the usual ones of the backend
  std::string inputs = "random";           ///< "random", "linear" or "A.npy,B.npy"
  std::filesystem::path store;             ///< folder that keeps inputs and references; empty: none
  std::filesystem::path csv, json, plots;  ///< empty: not written; plots: a folder
};

/// Measures or models, with a progress bar on the terminal.
/// @throws CannotGrade where the request cannot be met
BenchReport measure(const BenchOptions& options);

/// `lab bench`: measures, prints a table, writes files.
/// @return whether each of the student's kernels that has been written could be timed and was right
bool bench(const BenchOptions& options);

}  // namespace tilewise::grading
