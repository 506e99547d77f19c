#pragma once

#include <string>

namespace tilewise::grading {

/// A source with blanks in the place of every `#line` and `# 12 "file"`, so that what compilers say
/// of it, and what `__FILE__` stands for, names no file but the student's own. Every other
/// character, and every line, stays where it is.
std::string without_line_directives(std::string source);

}  // namespace tilewise::grading
