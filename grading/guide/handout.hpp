#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace tilewise::grading {

/// What the beginning of a stage's handout says, as plain text. Empty where it lacks that.
struct HandoutSummary {
  std::string title;  ///< "Stage 3: tiles in shared memory"
  std::string goal;   ///< the first paragraph below "## Goal", one line
};

/// @param root  of the course
HandoutSummary summary_of_handout(const std::filesystem::path& root, const std::string& stage);

/// The first section of a stage's NOTES.md, a paragraph or an item of a list a line; empty where
/// there is none.
std::string first_notes(const std::filesystem::path& root, const std::string& stage);

/// Markdown without the marks of links, code and emphasis: "[a](b), `c` and **d**" is "a, c and d".
std::string without_markup(std::string_view markdown);

}  // namespace tilewise::grading
