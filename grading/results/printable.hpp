#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace tilewise::grading {

/// Makes text of unknown origin (a student's output, file names, compiler messages that quote them)
/// safe to show on terminals, in XML, and in logs that a CI system interprets. Line feeds and tabs
/// stay, and "\r\n" becomes a line feed. Every other control character, every byte that is not
/// UTF-8 and every invisible character, such as a direction mark, is shown as an escape: "\x1b",
/// "\u{202e}". The same happens to the first character of text that looks like a command to
/// GitHub's or Azure's runners ("::error", "##[error]"), or like a result in TAP or JSON. Text that
/// is already printable stays as it is. The result is valid UTF-8.
std::string printable(std::string_view text);

/// Does the same and escapes the text for an element of HTML or XML, or for the value of an
/// attribute.
std::string as_markup(std::string_view text);

/// Returns the first line, made printable.
std::string first_line(std::string_view text);

/// Formats text as a cell of a CSV file (RFC 4180), in quotes if it needs them. Text that a
/// spreadsheet would take for a formula gets an apostrophe in front.
std::string csv_cell(std::string_view text);

/// Converts ASCII letters to lower case and leaves everything else as it is.
std::string in_lower_case(std::string text);

/// Converts a name to the form that people with another keyboard would type: in lower case and
/// without the diacritics of Latin letters, whether these are part of the letter or, as on macOS,
/// separate characters after it. "Łukasz MÜLLER" becomes "lukasz muller".
std::string in_plain_letters(std::string_view text);

/// The number of columns beyond which lines are tiring to read.
inline constexpr std::size_t readable_width = 100;

/// Returns the number of columns of standard output, but at most readable_width. It returns
/// readable_width if standard output is not a terminal.
std::size_t columns_of_standard_output();

/// Breaks lines at blanks, so that with `indent` in front they fit `width`. Lines that begin with a
/// blank, such as a matrix or a compiler's caret, stay as they are. Every line ends with a line
/// feed.
std::string wrapped(std::string_view text, std::string_view indent = "",
                    std::size_t width = readable_width);

}  // namespace tilewise::grading
