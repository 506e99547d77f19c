#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <utility>

namespace tilewise::grading {

/// Counts how many kernels of each kind were judged correctly, for the table at the end of "lab
/// test". One process may count for several stages.
class Tally {
 public:
  /// @param name  the name of the files that write() creates
  explicit Tally(std::string name) : name_(std::move(name)) {}

  /// @param kind  one word: a category, or "right"
  void count(const std::string& stage, const std::string& kind, bool judged_well);

  /// Writes for each stage a file STAGE.NAME of lines "STAGE KIND JUDGED_WELL ALL".
  /// @throws std::runtime_error if a file cannot be written
  void write(const std::filesystem::path& folder) const;

 private:
  struct Count {
    int judged_well = 0;
    int all = 0;
  };
  std::string name_;
  std::map<std::string, std::map<std::string, Count>> stages_;
};

/// Returns the tally of a test program. After all tests have run, it is written to the folder that
/// the environment variable TILEWISE_TALLY names, or else to the folder where "lab test" looks for
/// it. To be called before the tests run.
Tally& tally_of_program(const std::string& name);

}  // namespace tilewise::grading
