#include "grading/builder/source_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string_view>

#include "common/base/files.hpp"
#include "common/base/language.hpp"

namespace tilewise::grading {
namespace {

namespace fs = std::filesystem;

// A kernel file has tens of kilobytes; a file that is a hundred times larger is something else.
constexpr std::uintmax_t largest_source_bytes = 4 * 1024 * 1024;

}  // namespace

SourceFile read_source(const fs::path& path, std::string name, const fs::path& root) {
  SourceFile source{.name = std::move(name), .text = {}, .problem = {}, .hint = {}};
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (status.type() == fs::file_type::not_found) {
    source.problem = tr("{} is missing.", source.name);
    source.hint = tr("Hand in a file of exactly this name; the stage scores nothing without it.");
    return source;
  }
  if (fs::is_directory(status)) {
    source.problem = tr("{} is a folder, not a file.", source.name);
    source.hint = tr("Put the kernel file itself in its place.");
    return source;
  }
  if (status.type() != fs::file_type::none && !fs::is_regular_file(status)) {
    source.problem = tr("{} is not a regular file.", source.name);
    source.hint = tr("Put the kernel file itself in its place.");
    return source;
  }
  const bool is_inside =
      core::lies_in(fs::weakly_canonical(path, error), fs::weakly_canonical(root, error));
  if (!error && !is_inside) {
    source.problem = tr("{} is a link out of the submission.", source.name);
    source.hint = tr("Put the kernel file itself in its place.");
    return source;
  }
  if (fs::file_size(path, error) > largest_source_bytes && !error) {
    source.problem =
        tr("{} is larger than {} MiB.", source.name, largest_source_bytes / (1024 * 1024));
    source.hint = tr("Leave data out of the kernel file.");
    return source;
  }
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  source.text.assign(std::istreambuf_iterator<char>(file), {});
  if (!file || file.bad()) {
    source.problem = tr("{} cannot be read: {}.", source.name, std::strerror(errno));
    source.hint = tr("Check the file's permissions.");
  }
  source.text = without_line_directives(std::move(source.text));
  return source;
}

namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\v' || c == '\f' || c == '\r'; }

/// Walks over a source as a preprocessor does, which ignores a backslash at the end of a line.
class Scanner {
 public:
  explicit Scanner(std::string& source) : source_(source) { skip_splices(); }

  void run() {
    bool at_line_start = true;  // apart from blanks and comments
    while (!at_end()) {
      if (skip_blank_or_comment()) continue;
      const char c = peek();
      if (c == '\n') {
        at_line_start = true;
        advance();
      } else if (at_line_start && take_directive_sign()) {
        at_line_start = false;
      } else {
        at_line_start = false;
        skip_token();
      }
    }
  }

 private:
  bool at_end() const { return at_ >= source_.size(); }
  char peek() const { return at_end() ? '\n' : source_[at_]; }

  void advance() {
    ++at_;
    skip_splices();
  }

  /// g++ and clang also treat a backslash as the last character of its line where only blanks
  /// follow.
  void skip_splices() {
    while (!at_end() && source_[at_] == '\\') {
      std::size_t end = at_ + 1;
      while (end < source_.size() && is_blank(source_[end])) ++end;
      if (end >= source_.size() || source_[end] != '\n') return;
      at_ = end + 1;
    }
  }

  bool next_is(std::string_view text) const {
    Scanner ahead = *this;
    return std::ranges::all_of(text, [&](char expected) {
      const bool same = !ahead.at_end() && ahead.peek() == expected;
      ahead.advance();
      return same;
    });
  }

  /// Skips to the line break, but not over it.
  void skip_line_comment() {
    while (!at_end() && peek() != '\n') advance();
  }

  bool skip_blank_or_comment() {
    if (!at_end() && is_blank(peek())) {
      advance();
    } else if (next_is("//")) {
      skip_line_comment();
    } else if (next_is("/*")) {
      advance(), advance();
      while (!at_end() && !next_is("*/")) advance();
      advance(), advance();
    } else {
      return false;
    }
    return true;
  }

  /// Skips the `#` of a directive, and blanks out a whole directive that names a line.
  bool take_directive_sign() {
    const std::size_t begin = at_;
    const bool digraph = next_is("%:");
    if (!digraph && peek() != '#') return false;
    advance();
    if (digraph) advance();
    while (!at_end() && skip_blank_or_comment()) {
    }
    if (!names_a_line()) return true;
    while (!at_end() && peek() != '\n') {
      if (!skip_blank_or_comment()) skip_token();
    }
    for (std::size_t i = begin; i < std::min(at_, source_.size()); ++i) {
      if (source_[i] != '\n') source_[i] = ' ';
    }
    return true;
  }

  bool names_a_line() const {
    if (at_end()) return false;
    Scanner ahead = *this;
    return is_digit(peek()) || ahead.take_word() == "line";
  }

  std::string take_word() {
    std::string word;
    while (!at_end() && is_word(peek())) {
      word += peek();
      advance();
    }
    return word;
  }

  void skip_token() {
    if (is_word(peek())) {
      const bool number = is_digit(peek());
      const std::string word = take_word();
      // for 1'000
      while (number && !at_end() && peek() == '\'') advance(), take_word();
      const bool raw = word == "R" || word == "LR" || word == "uR" || word == "UR" || word == "u8R";
      if (raw && peek() == '"') skip_raw_string();
    } else if (peek() == '"' || peek() == '\'') {
      skip_literal(peek());
    } else {
      advance();
    }
  }

  /// A literal that is not closed ends with its line.
  void skip_literal(char quote) {
    advance();
    while (!at_end() && peek() != quote && peek() != '\n') {
      const bool escapes = peek() == '\\';
      advance();
      if (escapes && !at_end() && peek() != '\n') advance();
    }
    if (peek() == quote) advance();
  }

  /// In a raw string a backslash is an ordinary character.
  void skip_raw_string() {
    const std::size_t open = source_.find('(', at_);
    constexpr std::size_t longest_delimiter = 16;
    if (open == source_.npos || open - at_ > longest_delimiter + 1) return advance();
    const std::string close = ")" + source_.substr(at_ + 1, open - at_ - 1) + "\"";
    const std::size_t end = source_.find(close, open);
    at_ = end == source_.npos ? source_.size() : end + close.size();
    skip_splices();
  }

  std::string& source_;
  std::size_t at_ = 0;
};

}  // namespace

std::string without_line_directives(std::string source) {
  Scanner(source).run();
  return source;
}

bool says_word(std::string_view text, std::string_view name) {
  for (std::size_t at = text.find(name); at != text.npos; at = text.find(name, at + 1)) {
    const std::size_t end = at + name.size();
    const bool begins = at == 0 || !is_word(text[at - 1]) || !is_word(name.front());
    if (begins && (end == text.size() || !is_word(text[end]) || !is_word(name.back()))) return true;
  }
  return false;
}

}  // namespace tilewise::grading
