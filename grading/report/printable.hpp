#pragma once

#include <string>
#include <string_view>

namespace tilewise::grading {

/// Makes text of unknown origin (a student's output, file names, compiler messages that quote them)
/// safe for a terminal and for XML: line feeds and tabs stay, "\r\n" becomes a line feed, and every
/// other control character, byte that is not UTF-8, direction override and noncharacter is shown as
/// an escape such as "\x1b" or "\u{202e}". The result is valid UTF-8.
std::string printable(std::string_view text);

}  // namespace tilewise::grading
