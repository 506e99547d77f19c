#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <utility>

namespace tilewise::grading {

/// Counts how many kernels of a kind were judged as they should be, for the table at the
/// end of "lab test". One process may count for several stages.
class Tally {
 public:
  /// @param name  of the files that write() leaves
  explicit Tally(std::string name) : name_(std::move(name)) {}

  /// @param kind  one word: a category, or "right"
  void count(const std::string& stage, const std::string& kind, bool judged_well);

  /// Writes for each stage a file STAGE.NAME of lines "STAGE KIND JUDGED_WELL ALL".
  /// @throws std::runtime_error where one cannot be written
  void write(const std::filesystem::path& folder) const;

 private:
  struct Count {
    int judged_well = 0;
    int all = 0;
  };
  std::string name_;
  std::map<std::string, std::map<std::string, Count>> stages_;
};

/// The tally of a test program, which is written where "lab test" looks for it once all tests have
/// run; or to the folder TILEWISE_TALLY, where they have run another time. To be called before they
/// do.
Tally& tally_of_program(const std::string& name);

}  // namespace tilewise::grading
