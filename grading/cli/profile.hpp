#pragma once

#include <filesystem>
#include <string>

#include "common/gpu/gpu_profile.hpp"
#include "grading/cli/submission.hpp"

namespace tilewise::grading {

/// `tilewise profile` as asked for on the command line.
struct ProfileOptions : Run {
  std::string call;            ///< "matmul_shared(n=1024, tile=32)"
  bool exhaustive = false;     ///< run every block rather than a few that stand for all
  std::filesystem::path json;  ///< empty: none
};

/// Runs one call of a contract function on the checked simulator and prints what its kernels did to
/// standard output. Returns whether there was something to print; else the reason was printed.
/// @throws CannotGrade, BadCall, and std::runtime_error for an unknown GPU or where Tilewise itself
/// is broken.
bool profile(const ProfileOptions& options);

}  // namespace tilewise::grading
