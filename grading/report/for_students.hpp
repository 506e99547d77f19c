#pragma once

#include <string>
#include <string_view>

#include "grading/report/result.hpp"

namespace tilewise::grading {

/// What a student may read of a text that names files, quotes code or repeats what a program has
/// printed: without_places(), printable(), and no more than `most_bytes` of it.
std::string for_students(std::string_view text, std::size_t most_bytes);

/// A result with all its texts so. It comes before every emitter, since any of them may be the one
/// that students see.
TestResult for_students(TestResult test);

/// The longest message that a test has: a compiler's, cut to a screenful, and a few sentences.
inline constexpr std::size_t longest_message_bytes = 8000;

}  // namespace tilewise::grading
