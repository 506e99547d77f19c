#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace tilewise::grading {

/// One step of help; each gives away more than the one before.
struct Tier {
  std::string title;  ///< "Idea"
  std::string text;   ///< a paragraph is one line; lines that begin with a blank stay as they are

  bool operator==(const Tier&) const = default;
};

/// Tiers by contract function.
using HintsByFunction = std::map<std::string, std::vector<Tier>>;

/// Reads the section "## Hints" of a handout. In it a tier is
///
///   <details>
///   <summary>matmul_shared: Idea</summary>
///
///   Its text; blank lines part paragraphs, lines that begin with a blank stay as they are.
///   </details>
///
/// @param name  of the file, for messages
/// @throws std::runtime_error naming the line that does not fit
HintsByFunction parse_hints(std::string_view text, const std::string& name);

/// The hints of a stage: those in labs/ID/README.md of the course.
/// @param root  of the course
/// @throws std::runtime_error as parse_hints(), and where there is no such file
HintsByFunction read_hints(const std::filesystem::path& root, const std::string& stage);

}  // namespace tilewise::grading
