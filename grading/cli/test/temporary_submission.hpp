#pragma once

#include <filesystem>
#include <set>
#include <string>

#include "common/gpu/gpu_profile.hpp"
#include "common/process/command.hpp"
#include "common/process/sandbox.hpp"
#include "grading/builder/builder.hpp"
#include "grading/results/result.hpp"

namespace tilewise::grading {

/// A copy of what a learner has of the course, for tests that write to it: kernels, progress.
class TemporaryCourse {
 public:
  TemporaryCourse();

  const std::filesystem::path& root() const { return folder_.path(); }
  std::filesystem::path lab(const std::string& stage, const std::string& source) const {
    return root() / "labs" / stage / source;
  }

  /// Puts the solution of a stage where its skeleton is.
  void solve(const std::string& stage) const;

  /// Runs `tilewise` on it.
  CommandResult tilewise(std::vector<std::string> arguments) const;

 private:
  ScratchDirectory folder_;
};

/// The profile with which a submission is graded if no other is asked for.
using core::default_gpu;

/// A submission to one stage in a temporary folder, for tests of grading itself.
class TemporarySubmission {
 public:
  explicit TemporarySubmission(std::string stage_id);

  /// Copies the .cu files of a folder into the submission.
  void take(const std::filesystem::path& folder);

  /// Writes one file.
  void put(const std::string& file, const std::string& text);

  /// Makes grade() use a sandbox from now on.
  void run_in(const std::filesystem::path& bubblewrap) { bubblewrap_ = bubblewrap; }

  /// The folder for `--submission`.
  const std::filesystem::path& root() const { return scratch_.path(); }
  std::filesystem::path stage_folder() const { return root() / "labs" / stage_id_; }

  /// Makes grade() use a GPU from now on.
  void run_on_gpu() { backend_ = Backend::cuda; }

  /// Grades it, with the same inputs each time. `tests` are the tests of the stage to run; empty
  /// for all.
  StageResult grade(double time_limit_s, const std::string& gpu = default_gpu,
                    const std::set<std::string>& tests = {}) const;

 private:
  std::string stage_id_;
  std::filesystem::path bubblewrap_;
  Backend backend_ = Backend::simt;
  ScratchDirectory scratch_;
};

}  // namespace tilewise::grading
