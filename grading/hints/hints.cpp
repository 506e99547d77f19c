#include "grading/hints/hints.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <stdexcept>

#include "common/base/catalogue.hpp"
#include "common/base/language.hpp"
#include "grading/builder/source_file.hpp"
#include "grading/results/files.hpp"
#include "grading/results/printable.hpp"

namespace tilewise::grading {
namespace {

/// The text between the tags of "<summary>matmul_shared: Idea</summary>"; empty for other lines.
std::string_view summary_in(std::string_view line) {
  constexpr std::string_view begin = "<summary>", end = "</summary>";
  if (!line.starts_with(begin) || !line.ends_with(end)) return {};
  return line.substr(begin.size(), line.size() - begin.size() - end.size());
}

/// Adds a line to a text in which each paragraph is one line.
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
      among_hints = core::is_heading(line, marked("Hints"));
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
  const std::string text = text_of(core::text_in_language(root / name));
  if (text.empty()) throw std::runtime_error(tr("{} cannot be read", name));
  return parse_hints(text, name);
}

namespace {

namespace fs = std::filesystem;

/// The letters and digits of a name, in lower case: "MatmulRxRy" and "matmul_rx_ry" become the
/// same.
std::string plain(std::string_view name) {
  std::string letters;
  for (const unsigned char c : name) {
    if (std::isalnum(c)) letters += static_cast<char>(std::tolower(c));
  }
  return letters;
}

/// The position at which a text calls `name` as a whole word; npos if it does not.
std::size_t find_call(const std::string& text, const std::string& name) {
  const std::string call = name + "(";
  for (std::size_t at = text.find(call); at != text.npos; at = text.find(call, at + 1)) {
    const bool is_a_word =
        at == 0 || (!std::isalnum(static_cast<unsigned char>(text[at - 1])) && text[at - 1] != '_');
    if (is_a_word) return at;
  }
  return text.npos;
}

/// The lines of a student's file around `line`, as a listing in which an arrow marks that line.
std::string listing(const fs::path& file, int line) {
  constexpr int around = 2;
  const std::string text = text_of(file);
  std::string_view rest = text;
  std::string lines;
  for (int number = 1; !rest.empty() && number <= line + around; ++number) {
    const std::string_view content = take_line(rest);
    if (number < line - around) continue;
    lines += fmt::format(" {} {:>4}  {}\n", number == line ? '>' : ' ', number, printable(content));
  }
  return lines;
}

/// The first TODO of a stage that is still to be written: "matmul_shared.cu:22: TODO(lab): ...".
std::string first_gap(const fs::path& root, const StageInfo& stage) {
  for (const std::string& source : stage.sources) {
    const std::string text = text_of(root / "labs" / stage.id / source);
    std::string_view rest = text;
    for (int number = 1; !rest.empty(); ++number) {
      const std::string_view line = take_line(rest);
      const std::size_t at = line.find("TODO(lab): ");
      if (at == line.npos || line.find("(further on)") != line.npos) continue;
      return fmt::format("labs/{}/{}:{}: {}", stage.id, source, number, line.substr(at));
    }
  }
  return "";
}

/// Names the command that shows more of what went wrong.
std::string where_to_look(const Failure& failure, const StageInfo& stage) {
  if (failure.status == Status::error) return "";
  const std::string call = call_in(failure.finding.message, stage);
  switch (failure.category) {
    case Category::correctness:
    case Category::safety:
      return tr("To look closer: ./lab debug {} stops in your kernel where it goes wrong.",
                stage.id);
    case Category::memory:
      return tr(
          "To look closer: ./lab profile {} --call '{}' counts what each of your lines asks memory "
          "for.",
          stage.id, call.empty() ? function_of(failure, stage) + "(...)" : call);
    case Category::performance:
      return tr(
          "To look closer: ./lab bench {} compares it with the solution, and names what limits "
          "either.",
          stage.id);
  }
  throw std::logic_error("unknown category");
}

Hint aimed_hint(const fs::path& root, const StageInfo& stage, const Failure& failure) {
  Hint hint;
  const bool judged = failure.status != Status::error;
  hint.title = !judged                            ? tr("{} could not be graded", stage.id)
               : failure.status == Status::failed ? tr("{} failed", failure.test)
                                                  : tr("{} is inconclusive", failure.test);
  if (!failure.finding.file.empty()) {
    const std::string path = fmt::format("labs/{}/{}", stage.id, failure.finding.file);
    hint.text +=
        failure.finding.line > 0 ? fmt::format("{}:{}\n", path, failure.finding.line) : path + "\n";
    // Messages of the compiler already quote the line.
    if (failure.finding.line > 0 && judged) hint.text += listing(root / path, failure.finding.line);
  }
  hint.text += failure.finding.message + "\n";
  if (!failure.finding.hint.empty())
    hint.text += "\n" + tr("Next: {}", failure.finding.hint) + "\n";
  if (const std::string gap = first_gap(root, stage); !gap.empty()) {
    hint.text += tr("\nStill to be written: {}\n", gap);
  } else if (const std::string look = where_to_look(failure, stage); !look.empty()) {
    hint.text += "\n" + look + "\n";
  }
  hint.text += tr("\nAsk again, and there is more on how to go about it.");
  return hint;
}

Hint last_hint(const StageInfo& stage, const std::string& function) {
  Hint hint{tr("{}: there are no more hints", function), tr("The solution is in\n")};
  for (const std::string& source : stage.sources) {
    hint.text += fmt::format("  solutions/{}/{}\n", stage.id, source);
  }
  hint.text += tr(
      "and why it is written so in\n  solutions/{}/NOTES.md\n\nRead it, close it, and write yours "
      "from memory: that is where one learns.",
      stage.id);
  return hint;
}

Hint no_hint_needed(const fs::path& root, const StageInfo& stage) {
  return {tr("{} has passed", stage.id),
          tr("It needs no hint. What the solution does otherwise, and why, is in\n"
             "  solutions/{0}/NOTES.md\nAll hints of this stage are in\n"
             "  {1}\n\nThe next stage: ./lab next",
             stage.id,
             core::text_in_language(root / "labs" / stage.id / "README.md")
                 .lexically_relative(root)
                 .string())};
}

/// The first function with tiers that were not shown yet, or else the last function.
const std::string& function_in_turn(const StageInfo& stage, const HintsByFunction& hints,
                                    const StageProgress& progress) {
  for (const std::string& function : stage.functions) {
    const auto shown = progress.hints.tiers.find(function);
    const int count = shown == progress.hints.tiers.end() ? 0 : shown->second;
    const auto tiers = hints.find(function);
    if (tiers != hints.end() && count < static_cast<int>(tiers->second.size())) return function;
  }
  return stage.functions.back();
}

}  // namespace

const std::string& function_of(const Failure& failure, const StageInfo& stage) {
  const std::string* called = nullptr;
  std::size_t first = std::string::npos;
  for (const std::string& function : stage.functions) {
    const std::size_t at = find_call(failure.finding.message, function);
    if (at < first) {
      first = at;
      called = &function;
    }
  }
  if (called) return *called;
  const std::string suite = plain(failure.test.substr(0, failure.test.find('.')));
  const auto in_common = [&](const std::string& function) {
    const std::string name = plain(function);
    const auto same = std::ranges::mismatch(suite, name).in1 - suite.begin();
    // If two functions match equally well, the shorter one wins: MatmulRank1 does not mean
    // matmul_rank1_of_something.
    return std::pair(same, -static_cast<std::ptrdiff_t>(name.size()));
  };
  return *std::ranges::max_element(stage.functions, {}, in_common);
}

std::string call_in(const std::string& message, const StageInfo& stage) {
  for (const std::string& function : stage.functions) {
    const std::size_t at = find_call(message, function);
    if (at == message.npos) continue;
    const std::size_t end = message.find(')', at);
    if (end != message.npos) return message.substr(at, end + 1 - at);
  }
  return "";
}

Hint next_hint(const fs::path& root, const StageInfo& stage, const HintsByFunction& hints,
               StageProgress& progress) {
  if (progress.status == Status::passed) return no_hint_needed(root, stage);
  const std::optional<Failure>& failure = progress.last_failure;
  if (failure && progress.hints.aimed_at != key_of(*failure)) {
    progress.hints.aimed_at = key_of(*failure);
    return aimed_hint(root, stage, *failure);
  }
  const std::string& function =
      failure ? function_of(*failure, stage) : function_in_turn(stage, hints, progress);
  const auto found = hints.find(function);
  if (found == hints.end()) return last_hint(stage, function);
  const std::vector<Tier>& tiers = found->second;
  int& shown = progress.hints.tiers[function];
  shown = std::max(shown, 0);  // the file may hold any number
  if (shown >= static_cast<int>(tiers.size())) return last_hint(stage, function);
  const Tier& tier = tiers[static_cast<std::size_t>(shown)];
  ++shown;
  return {tr("{}, hint {} of {}: {}", function, shown, tiers.size(), tier.title), tier.text};
}

}  // namespace tilewise::grading
