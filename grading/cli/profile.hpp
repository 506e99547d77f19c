#pragma once

#include <filesystem>
#include <string>

#include "common/gpu/gpu_profile.hpp"

namespace tilewise::grading {

/// `tilewise profile` as asked for on the command line.
struct ProfileOptions {
  std::string stage;
  bool solutions = false;            ///< profile solutions/ rather than labs/
  std::filesystem::path submission;  ///< profile this folder's labs/; empty: the course's own
  std::string call;                  ///< "matmul_shared(n=1024, tile=32)"
  std::string gpu = core::default_gpu;
  bool exhaustive = false;     ///< run every block rather than a few that stand for all
  std::filesystem::path json;  ///< empty: none
};

/// Runs one call of a contract function on the checked simulator and prints what its kernels did to
/// standard output. Returns whether there was something to print; else the reason was printed.
/// @throws CannotGrade, BadCall, and std::runtime_error for an unknown GPU or where Tilewise itself
/// is broken.
bool profile(const ProfileOptions& options);

}  // namespace tilewise::grading
