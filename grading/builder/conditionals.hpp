#pragma once

#include <string>
#include <string_view>

namespace tilewise::grading {

/// The source with a mark, a word of its own, behind each `#if`, `#elif` and `#else`: what a
/// preprocessor leaves of the marks tells which parts it took.
/// @param mark that nothing in the source can be told to spell
std::string with_marks(std::string_view source, const std::string& mark);

/// The source as a preprocessor took it: without conditional directives, and without the parts that
/// they left out. Line numbers stay; directives of other kinds do, too.
/// @param left what the preprocessor made of with_marks(source, mark)
std::string without_conditionals(std::string_view source, const std::string& mark,
                                 std::string_view left);

}  // namespace tilewise::grading
