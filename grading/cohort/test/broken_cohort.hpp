#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "common/process/command.hpp"
#include "common/process/sandbox.hpp"

namespace tilewise::grading {

/// Six submissions to stage 3 for tests of the command as a whole. All but anna's are broken;
/// ella's and fay's cannot be graded at all.
class BrokenCohort {
 public:
  static constexpr int submissions = 6, gradable = 4;
  static constexpr int some_not_graded = 3;  ///< exit status of a run that was not stopped
  static constexpr const char* stage = "03_shared_memory";

  BrokenCohort();

  std::filesystem::path folder() const { return scratch_.path() / "in"; }

  /// Returns a folder for results.
  std::filesystem::path out(const std::string& name) const { return scratch_.path() / name; }

  /// Returns the arguments of `tilewise cohort grade` on the simulator.
  std::vector<std::string> grade(const std::filesystem::path& out,
                                 const std::vector<std::string>& more = {}) const;

 private:
  void put(const std::string& name, const std::string& text) const;

  ScratchDirectory scratch_;
};

/// Makes a run into `to` draw the same inputs as the one into `from`.
void take_seed(const std::filesystem::path& from, const std::filesystem::path& to);

}  // namespace tilewise::grading
