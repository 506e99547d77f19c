#pragma once

#include <string>
#include <string_view>

#include "grading/builder/preprocessed_text.hpp"

namespace tilewise::grading {

/// What in a source would have the compiler make code of which the simulator does not see every
/// load and store, or which no GPU has: assembly, attributes and pragmas that switch
/// instrumentation or code generation, intrinsics of the processor, names of the simulator's own.
/// Judged is what the preprocessor left, because that is what is compiled: however a word was put
/// together, and nothing that was left out.
/// @param name of the source in messages
/// @return messages in the form "file:line: error: what", one a line; empty if there are none
std::string judge_text(const PreprocessedText& text, std::string_view name);

}  // namespace tilewise::grading
