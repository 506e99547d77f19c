#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace tilewise::grading {

/// Makes text of unknown origin (a student's output, file names, compiler messages that quote them)
/// safe to show: on terminals, in XML, and where a CI system reads along. Line feeds and tabs stay,
/// "\r\n" becomes a line feed. Every other control character, every byte that is not UTF-8 and
/// every character that is not seen, such as a direction mark, is shown as an escape: "\x1b",
/// "\u{202e}". So is the first character of what begins like a command to GitHub's or Azure's
/// runners ("::error", "##[error]"), or like a result in TAP or JSON. What has been made printable
/// stays as it is. The result is valid UTF-8.
std::string printable(std::string_view text);

/// The same as the content of an element of HTML or XML, or as the value of an attribute.
std::string as_markup(std::string_view text);

/// What is printable of the first line alone.
std::string first_line(std::string_view text);

/// Text as a cell of a CSV file (RFC 4180), in quotes where it needs them. What a spreadsheet would
/// take for a formula begins with an apostrophe.
std::string csv_cell(std::string_view text);

/// ASCII's letters in lower case, all else as it is.
std::string in_lower_case(std::string text);

/// A name as those write it who have other keys: in lower case, and without what Latin letters
/// bear, whether as a part of the letter or, as on macOS, behind it. "Łukasz MÜLLER" is "lukasz
/// muller".
std::string in_plain_letters(std::string_view text);

/// More than this is tiring to read.
inline constexpr std::size_t readable_width = 100;

/// As many columns as standard output has, but no more than readable_width, which it also is where
/// that is no terminal.
std::size_t columns_of_standard_output();

/// Breaks lines at blanks, so that with `indent` before each they keep to `width`. What begins with
/// a blank, such as a matrix or a compiler's caret, stays as it is. Every line ends with a line
/// feed.
std::string wrapped(std::string_view text, std::string_view indent = "",
                    std::size_t width = readable_width);

}  // namespace tilewise::grading
