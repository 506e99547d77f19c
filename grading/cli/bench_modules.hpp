#pragma once

#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "common/gpu/gpu_profile.hpp"
#include "grading/bench/bench_report.hpp"
#include "grading/builder/builder.hpp"
#include "grading/cli/submission.hpp"
#include "grading/course/stages.hpp"
#include "grading/profile/compiled_kernel.hpp"

namespace tilewise::grading {

/// A contender's kernels, compiled.
struct ContenderModule {
  Contender contender = Contender::solution;
  std::string stage;                          ///< whose functions it has
  std::filesystem::path checked;              ///< for the simulator; empty where it is not counted
  std::filesystem::path fast;                 ///< for a GPU; empty on the simulator
  std::vector<CompiledKernel> compiled = {};  ///< by nvcc, where it is found
  /// Why it cannot be run; empty where it can.
  std::string problem = {};
  bool not_written = false;  ///< that is the reason
};

/// Whose kernels to compile, and for what.
struct ModuleRequest {
  StageInfo stage;
  std::set<std::string> previous_stages;  ///< whose solutions the stage is compared with
  const Submission* student = nullptr;    ///< null: left out
  Backend backend = Backend::simt;
  core::GpuProfile gpu;           ///< whose registers nvcc is asked for
  std::filesystem::path scratch;  ///< existing folder for all files
};

/// Compiles them all, side by side.
std::vector<ContenderModule> build_contenders(const ModuleRequest& request);

}  // namespace tilewise::grading
