#include "grading/builder/compiler_output.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <set>
#include <utility>

#include "grading/builder/launch_errors.hpp"
#include "grading/builder/source_file.hpp"

namespace tilewise::grading {
namespace {

/// Removes a number from the start of the text and returns it; -1 if there is none.
int take_number(std::string_view& text) {
  int number = -1;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return error == std::errc() ? number : -1;
}

/// Returns a message without its numbers, in which the instances of a template differ: that of
/// `float [8][8]` is that of `float [16][16]`. Names keep their digits.
std::string without_numbers(std::string_view message) {
  std::string text;
  for (std::size_t i = 0; i < message.size(); ++i) {
    const bool is_digit = std::isdigit(static_cast<unsigned char>(message[i])) != 0;
    const bool is_in_name = !text.empty() && is_word(text.back());
    if (!is_digit || is_in_name) text += message[i];
  }
  return text;
}

/// Shortens g++'s output: each error is told once for its line, whatever it is instantiated for,
/// and nothing is said of the simulator's headers where an error is in a file of the student.
class Errors {
 public:
  explicit Errors(const std::vector<std::string>& sources) : sources_(sources) {}

  std::string shortened(std::string_view output) {
    while (!output.empty()) add(take_line(output));
    return text_ + context_;
  }

 private:
  void add(std::string_view line) {
    const std::string whole = fmt::format("{}\n", line);
    if (leads_to_an_error(line)) {
      context_ += whole;
      skips_ = false;
    } else if (const std::size_t error = line.find("error: "); error != line.npos) {
      std::string_view after;
      const auto is_its = [&](const std::string& source) {
        return line.starts_with(source) && place_in(line, source, after).line > 0;
      };
      const bool is_students = std::ranges::any_of(sources_, is_its);
      // Tilewise's own messages have no column. They say the same of every use of a name.
      const bool has_column = !after.starts_with(": error");
      const std::string_view place = has_column ? line.substr(0, line.size() - after.size()) : "";
      const std::string_view words = line.substr(error);
      const bool is_known =
          is_students &&
          !told_.emplace(place, has_column ? without_numbers(words) : std::string(words)).second;
      if (!is_students) text_ += context_;
      repeats_ = skips_ = is_known;
      if (!is_known) text_ += whole;
      context_.clear();
    } else {
      const std::size_t note = line.find(": note: ");
      if (note != line.npos)
        skips_ = repeats_ || says(line.substr(0, note), "common/simt/include/");
      if (!skips_) text_ += context_ + whole;
      context_.clear();
    }
  }

  /// Whether a line only says what led the compiler to the error behind it.
  static bool leads_to_an_error(std::string_view line) {
    return says(line, ": In instantiation of ") || says(line, ": In substitution of ") ||
           says(line, ":   required ") || line.starts_with("In file included from ") ||
           line.starts_with("                 from ");
  }

  const std::vector<std::string>& sources_;
  std::set<std::pair<std::string, std::string>> told_;  ///< places, and messages without numbers
  std::string context_, text_;
  bool repeats_ = false;  ///< the last error was told before
  bool skips_ = false;    ///< the lines of such an error, or of a note on a header
};

}  // namespace

Place place_in(std::string_view line, const std::string& file, std::string_view& after) {
  const std::size_t at = line.find(file);
  if (at == line.npos) return {};
  after = line.substr(at + file.size());
  if (!after.starts_with(':') && !after.starts_with('(')) return {};
  after.remove_prefix(1);
  const int number = take_number(after);
  if (number <= 0) return {};
  return {file, number};
}

std::string in_course_words(std::string_view output, const std::vector<std::string>& sources) {
  std::string text;
  bool skips = false;
  while (!output.empty()) {
    const std::string_view line = take_line(output);
    if (const std::string launch = unfit_launch(line); !launch.empty()) {
      text += launch + "\n";
      skips = true;  // the candidates that follow are not the student's
      continue;
    }
    skips = skips && !(line.starts_with("labs/") && says(line, ": error: "));
    if (skips || says(line, "(if you use '-fpermissive'")) continue;
    const std::string_view name = between(line, "there are no arguments to '", "'");
    const std::size_t error = line.find("there are no arguments to '");
    if (!name.empty()) {
      text += fmt::format("{}'{}' is not declared\n", line.substr(0, error), name);
      continue;
    }
    const std::size_t permissive = line.find(" [-fpermissive]");
    text += fmt::format("{}\n", line.substr(0, permissive));
  }
  return Errors(sources).shortened(text);
}

}  // namespace tilewise::grading
