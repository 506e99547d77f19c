#pragma once

#include <filesystem>
#include <map>
#include <set>
#include <string>

namespace tilewise::grading {

/// The one file that tells whose a pseudonym is. A name keeps its pseudonym from run to run.
class Pseudonyms {
 public:
  /// @param file  a table of pseudonyms and names, which need not be there yet
  /// @throws CannotGrade where it cannot be read
  explicit Pseudonyms(std::filesystem::path file);

  /// A new one, which tells nothing, for a name that has none.
  std::string of(const std::string& name);

  /// For nobody's eyes but its owner's.
  /// @throws CannotGrade where it cannot be written
  void write() const;

 private:
  std::filesystem::path file_;
  std::map<std::string, std::string> of_name_;
  std::set<std::string> taken_;
};

}  // namespace tilewise::grading
