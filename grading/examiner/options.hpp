#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>

#include "common/core/gpu_profile.hpp"
#include "grading/examiner/process/sandbox.hpp"

namespace tilewise::grading {

/// What the examiner was asked to examine.
struct ExaminerOptions {
  std::string stage;                     ///< "03_shared_memory"
  std::filesystem::path module;          ///< the submission as a shared object
  std::filesystem::path checked_module;  ///< its checked build; on the simulator only
  /// What is timed beside it, by name: modules with the same functions.
  std::map<std::string, std::filesystem::path> yardsticks = {};
  std::string backend;       ///< "simt" or "cuda"
  core::GpuProfile profile;  ///< GPU to simulate
  std::uint64_t seed = 0;
  double time_limit_s = 10;  ///< of one call
  Sandbox sandbox = {};      ///< that the submission runs in

  bool on_gpu() const { return backend == "cuda"; }
};

}  // namespace tilewise::grading
