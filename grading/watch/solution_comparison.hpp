#pragma once

#include <filesystem>
#include <string>

#include "grading/course/stages.hpp"

namespace tilewise::grading {

/// What a stage's solution does otherwise than the student's files, as `diff -u` shows it: "-" are
/// the student's lines, "+" the solution's. Since all that is not to be written is the same in
/// both, these are the parts that the student wrote.
/// @param root  of the course
std::string compare_with_solution(const std::filesystem::path& root, const StageInfo& stage);

}  // namespace tilewise::grading
