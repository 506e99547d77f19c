#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "grading/builder/builder.hpp"
#include "grading/check/compiler_words.hpp"
#include "grading/check/split_kernels.hpp"

namespace tilewise::grading {

/// The result of building a program.
struct ProgramBuild {
  bool ok = false;
  std::filesystem::path result;  ///< the program; with -c the object file
  std::string messages;  ///< why there is no result, in a compiler's form: "sum.cu:12: error: ..."
  std::vector<SplitNote> kernels = {};  ///< for a fast program that clang has built with the pass
};

/// Compiles a whole program of one or several files for the simulator, and links it with the
/// library that checks it. Unlike a submission it is not confined, because it is the user's own.
/// @param flavour  fast or checked
/// @param scratch  folder for all files except the result
/// @param split    splits the kernels of a fast program; if its compiler rejects the program, that
/// is built without it
/// @throws CannotGrade if a file cannot be read; std::runtime_error if the tools are missing
ProgramBuild build_program(const CompilerWords& words, Flavour flavour,
                           const std::filesystem::path& scratch,
                           const std::optional<SplitTools>& split);

}  // namespace tilewise::grading
