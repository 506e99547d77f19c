#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "grading/coverage/line_counts.hpp"

namespace tilewise::grading {

/// The command that reads what programs of `compiler` have counted: the gcov of its version, or
/// llvm-cov for clang.
/// @throws std::runtime_error saying what to install
std::vector<std::string> gcov_command(const std::vector<std::string>& compiler);

/// Reads what was counted in one object.
/// @param object without its extension: gcov's notes and counts lie at `object`.gcno and .gcda
/// @param file   as add_gcov_listing() takes it
/// @throws std::runtime_error with what gcov says
void add_counts(const std::vector<std::string>& gcov, const std::filesystem::path& object,
                const std::string& file, LineCounts& counts);

}  // namespace tilewise::grading
