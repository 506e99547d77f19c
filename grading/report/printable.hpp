#pragma once

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

}  // namespace tilewise::grading
