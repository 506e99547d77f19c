#include "grading/hints/hint_file.hpp"

#include <fmt/format.h>

#include <stdexcept>

#include "grading/builder/source_file.hpp"
#include "grading/report/file_text.hpp"

namespace tilewise::grading {
namespace {

/// What stands between the marks in "<summary>matmul_shared: Idea</summary>"; empty for other
/// lines.
std::string_view summary_in(std::string_view line) {
  constexpr std::string_view begin = "<summary>", end = "</summary>";
  if (!line.starts_with(begin) || !line.ends_with(end)) return {};
  return line.substr(begin.size(), line.size() - begin.size() - end.size());
}

/// Adds a line to a text in which a paragraph is one line.
void add_line(std::string& text, std::string_view line) {
  const bool goes_on =
      !line.empty() && !line.starts_with(' ') && !text.empty() && !text.ends_with('\n');
  if (goes_on) {
    text += ' ';
  } else if (!text.empty() && !text.ends_with('\n')) {
    text += '\n';
  }
  text += line;
  if (line.empty() || line.starts_with(' ')) text += '\n';
}

void trim_line_feeds(std::string& text) {
  text.erase(0, std::min(text.find_first_not_of('\n'), text.size()));
  text.erase(text.find_last_not_of('\n') + 1);
}

}  // namespace

HintsByFunction parse_hints(std::string_view text, const std::string& name) {
  HintsByFunction hints;
  bool among_hints = false;
  Tier* tier = nullptr;
  for (int number = 1; !text.empty(); ++number) {
    const std::string_view line = take_line(text);
    const auto fail = [&](const char* why) {
      throw std::runtime_error(fmt::format("{}:{}: {}", name, number, why));
    };
    if (line.starts_with("## ")) {
      if (tier) fail("a hint lacks its </details>");
      among_hints = line == "## Hints";
    } else if (!among_hints) {
      continue;
    } else if (const std::string_view summary = summary_in(line); !summary.empty()) {
      const std::size_t colon = summary.find(": ");
      if (tier) fail("the hint before this one lacks its </details>");
      if (colon == summary.npos) fail("the summary of a hint reads 'function: title'");
      std::vector<Tier>& tiers = hints[std::string(summary.substr(0, colon))];
      tier = &tiers.emplace_back(Tier{std::string(summary.substr(colon + 2)), ""});
    } else if (line == "</details>") {
      if (!tier) fail("there is no hint that ends here; its summary reads 'function: title'");
      trim_line_feeds(tier->text);
      tier = nullptr;
    } else if (tier) {
      add_line(tier->text, line);
    }
  }
  if (tier) throw std::runtime_error(name + ": the last hint lacks its </details>");
  return hints;
}

HintsByFunction read_hints(const std::filesystem::path& root, const std::string& stage) {
  const std::string name = fmt::format("labs/{}/README.md", stage);
  const std::string text = text_of(root / name);
  if (text.empty()) throw std::runtime_error(fmt::format("{} cannot be read", name));
  return parse_hints(text, name);
}

}  // namespace tilewise::grading
