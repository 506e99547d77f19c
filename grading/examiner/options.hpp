#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "common/gpu/gpu_profile.hpp"
#include "common/process/sandbox.hpp"
#include "grading/examiner/rubric.hpp"
#include "grading/profile/compiled_kernel.hpp"

namespace tilewise::grading {

/// What the examiner was asked to examine.
struct ExaminerOptions {
  std::string stage;                     ///< "03_shared_memory"
  std::filesystem::path module;          ///< the submission as a shared object
  std::filesystem::path checked_module;  ///< its checked build; on the simulator only
  /// What is timed beside it, by name: modules with the same functions. On the simulator only
  /// "reference", the checked build of the solution, whose speed is modelled beside it.
  std::map<std::string, std::filesystem::path> baselines = {};
  /// What nvcc made of the kernels, where it was found; on the simulator only.
  CompiledKernels compiled = {};
  std::string backend;       ///< "simt" or "cuda"
  core::GpuProfile profile;  ///< GPU to simulate
  std::uint64_t seed = 0;
  double time_limit_s = 10;                         ///< of one call
  Sandbox sandbox = {};                             ///< that the submission runs in
  std::map<std::string, SpeedMinimum> minima = {};  ///< of tests of speed, by full name

  bool writes_coverage = false;  ///< of modules that were built to be covered

  bool times_simulator = false;  ///< for tests of the fixtures: as on a GPU, rates are measured

  bool on_gpu() const { return backend == "cuda"; }
  bool models_rates() const { return !on_gpu() && !times_simulator; }
};

}  // namespace tilewise::grading
