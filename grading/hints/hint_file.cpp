#include "grading/hints/hint_file.hpp"

#include <fmt/format.h>

#include <stdexcept>

#include "grading/builder/lines.hpp"
#include "grading/report/file_text.hpp"

namespace tilewise::grading {
namespace {

/// What stands behind "## " in "## matmul_shared"; empty for any other line.
std::string_view heading(std::string_view line, std::string_view marker) {
  return line.starts_with(marker) ? line.substr(marker.size()) : std::string_view();
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
  std::vector<Tier>* tiers = nullptr;
  for (int number = 1; !text.empty(); ++number) {
    const std::string_view line = take_line(text);
    const auto fail = [&](const char* why) {
      throw std::runtime_error(fmt::format("{}:{}: {}", name, number, why));
    };
    if (const auto function = heading(line, "## "); !function.empty()) {
      const auto [entry, is_new] = hints.try_emplace(std::string(function));
      if (!is_new) fail("this function has hints already");
      tiers = &entry->second;
    } else if (const auto title = heading(line, "### "); !title.empty()) {
      if (!tiers) fail("a tier must stand below '## function'");
      tiers->push_back({std::string(title), ""});
    } else if (tiers && !tiers->empty()) {
      add_line(tiers->back().text, line);
    } else if (!line.empty() && !line.starts_with("# ")) {
      fail("text must stand below '### title of the tier'");
    }
  }
  for (auto& [function, of_function] : hints) {
    for (Tier& tier : of_function) trim_line_feeds(tier.text);
  }
  return hints;
}

HintsByFunction read_hints(const std::filesystem::path& root, const std::string& stage) {
  const std::string name = fmt::format("grading/hints/{}.md", stage);
  const std::string text = text_of(root / name);
  if (text.empty()) throw std::runtime_error(fmt::format("{} cannot be read", name));
  return parse_hints(text, name);
}

}  // namespace tilewise::grading
