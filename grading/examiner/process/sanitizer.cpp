#include "grading/examiner/process/sanitizer.hpp"

#include <unistd.h>

#include <charconv>
#include <regex>
#include <sstream>
#include <string_view>

#include "common/process/process.hpp"

namespace tilewise::grading {
namespace {

/// What a line of the log says, without the mark at its beginning and blanks around it; empty for
/// lines that are not compute-sanitizer's.
std::string text_of(const std::string& line) {
  constexpr std::string_view mark = "=========";
  if (!line.starts_with(mark)) return "";
  const std::size_t begin = line.find_first_not_of(" \t", mark.size());
  if (begin == line.npos) return "";
  return line.substr(begin, line.find_last_not_of(" \t\r") + 1 - begin);
}

bool begins_with_any(std::string_view text, std::initializer_list<std::string_view> words) {
  for (const std::string_view word : words) {
    if (text.starts_with(word)) return true;
  }
  return false;
}

/// Lines that tell of no error: title, summaries and the host's stack; and warnings of racecheck,
/// which sees some hazards where __syncwarp() rules them out.
bool is_no_error(std::string_view text) {
  return begins_with_any(
      text, {"COMPUTE-SANITIZER", "ERROR SUMMARY", "RACECHECK SUMMARY", "Saved host backtrace",
             "Host Frame", "Device Frame", "Warning", "WARNING"});
}

/// Lines that tell more of the error above them.
bool is_detail(std::string_view text) {
  return begins_with_any(text, {"at ", "by thread", "and ", "Address ", "Access "});
}

/// "in FILE:LINE", which follows the function since version 2022, and goes before it in others.
SourceLocation place_in(const std::string& text) {
  static const std::regex pattern(R"( in ([^ ]*/)?([^ /]+\.cuh?):([0-9]+))");
  std::smatch match;
  if (!std::regex_search(text, match, pattern)) return {};
  SourceLocation place{match[2], 0};
  const std::string digits = match[3];
  const auto parsed = std::from_chars(digits.data(), digits.data() + digits.size(), place.line);
  return parsed.ec == std::errc() ? place : SourceLocation{};
}

}  // namespace

std::optional<std::filesystem::path> find_compute_sanitizer() {
  if (auto found = find_on_path("compute-sanitizer")) return found;
  const std::filesystem::path installed = "/usr/local/cuda/bin/compute-sanitizer";
  if (access(installed.c_str(), X_OK) == 0) return installed;
  return std::nullopt;
}

std::optional<SanitizerError> first_sanitizer_error(const std::string& log) {
  std::optional<SanitizerError> error;
  std::istringstream lines(log);
  for (std::string line; std::getline(lines, line);) {
    const std::string text = text_of(line);
    if (text.empty() || is_no_error(text)) {
      if (error) break;
      continue;
    }
    if (is_detail(text) != error.has_value()) {
      if (error) break;
      continue;  // more of what is no error
    }
    if (!error) error.emplace();
    if (!error->message.empty()) error->message += " ";
    error->message += text;
    if (error->place.file.empty()) error->place = place_in(text);
  }
  return error;
}

}  // namespace tilewise::grading
