#pragma once

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <string>
#include <string_view>

namespace tilewise::grading {

/// A student's file, or why it cannot be read.
struct SourceFile {
  std::string name;     ///< its name in messages: "labs/03_shared_memory/matmul_shared.cu"
  std::string text;     ///< empty if there is a problem
  std::string problem;  ///< empty if the text was read
  std::string hint;
};

/// Reads a source file. Accepts only regular files of a sane size, so that neither a pipe nor a
/// device can hold up grading.
/// @param root the folder that links may not lead out of, for instance to a solution or to other
/// submissions
SourceFile read_source(const std::filesystem::path& path, std::string name,
                       const std::filesystem::path& root);

/// Whether a character may be part of a name.
inline bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

/// Whether a name stands in a text as a whole word.
bool says_word(std::string_view text, std::string_view name);

/// Removes the first line from a text, with its line break, and returns it without that.
inline std::string_view take_line(std::string_view& text) {
  const std::size_t end = std::min(text.find('\n'), text.size());
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return line;
}

/// Returns a source with blanks in the place of every `#line` and `# 12 "file"`, so that compiler
/// messages, and `__FILE__`, name no file but the student's own. Every other character, and every
/// line, stays where it is.
std::string without_line_directives(std::string source);

}  // namespace tilewise::grading
