#pragma once

#include <string>
#include <string_view>

#include "grading/builder/preprocessed_text.hpp"

namespace tilewise::grading {

/// Finds code in a source that would make the compiler emit loads and stores that the simulator
/// does not see, or code that no GPU has: assembly, attributes and pragmas that switch
/// instrumentation or code generation, intrinsics of the processor, and the simulator's own names.
/// It judges the preprocessor's output, because this is what is compiled: it finds a word however
/// macros put it together, and nothing that conditionals left out.
/// @param name the name of the source in messages
/// @return messages in the form "file:line: error: what", one a line; empty if there are none
std::string judge_text(const PreprocessedText& text, std::string_view name);

}  // namespace tilewise::grading
