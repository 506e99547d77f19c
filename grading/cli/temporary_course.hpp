#pragma once

#include <filesystem>
#include <string>

#include "common/process/command.hpp"
#include "common/process/scratch_directory.hpp"

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

}  // namespace tilewise::grading
