#include "grading/guide/handout.hpp"

#include <regex>

#include "grading/builder/lines.hpp"
#include "grading/report/file_text.hpp"

namespace tilewise::grading {
namespace {

namespace fs = std::filesystem;

/// Takes the lines up to the first one that says `goes_on` no more; joins those of a paragraph.
std::string paragraph(std::string_view& text) {
  std::string joined;
  while (!text.empty()) {
    const std::string_view line = take_line(text);
    if (line.empty() && joined.empty()) continue;
    if (line.empty() || line.starts_with('#')) break;
    joined += joined.empty() ? "" : " ";
    joined += line;
  }
  return joined;
}

}  // namespace

std::string without_markup(std::string_view markdown) {
  std::string text =
      std::regex_replace(std::string(markdown), std::regex(R"(\[([^\]]*)\]\([^)]*\))"), "$1");
  std::erase(text, '`');
  return std::regex_replace(text, std::regex(R"(\*\*)"), "");
}

HandoutSummary summary_of_handout(const fs::path& root, const std::string& stage) {
  const std::string page = text_of(root / "labs" / stage / "README.md");
  HandoutSummary summary;
  std::string_view rest = page;
  while (!rest.empty() && summary.goal.empty()) {
    const std::string_view line = take_line(rest);
    if (line.starts_with("# ") && summary.title.empty()) {
      summary.title = without_markup(line.substr(2));
    } else if (line == "## Goal") {
      summary.goal = without_markup(paragraph(rest));
    }
  }
  return summary;
}

std::string first_notes(const fs::path& root, const std::string& stage) {
  const std::string page = text_of(root / "solutions" / stage / "NOTES.md");
  std::string_view rest = page;
  while (!rest.empty() && !rest.starts_with("## ")) take_line(rest);
  take_line(rest);
  std::string notes;
  while (!rest.empty() && !rest.starts_with('#')) {
    const std::string_view line = take_line(rest);
    if (line.empty()) continue;
    notes += without_markup(line) + "\n";
  }
  return notes;
}

}  // namespace tilewise::grading
