#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "grading/builder/builder.hpp"
#include "grading/check/compiler_words.hpp"
#include "grading/check/split_kernels.hpp"

namespace tilewise::grading {

/// What became of a program's sources.
struct ProgramBuild {
  bool ok = false;
  std::filesystem::path result;  ///< the program; of -c the object file
  std::string messages;  ///< why there is none, as compilers say it: "sum.cu:12: error: ..."
  std::vector<SplitNote> kernels = {};  ///< of a fast program that clang has built with the pass
};

/// Compiles a whole program, one or several files, for the simulator, and links it with what checks
/// it. Nothing is judged as a submission is: it is the user's own.
/// @param flavour  fast or checked
/// @param scratch  folder for all that is not the result
/// @param split    splits the kernels of a fast program; one that its compiler does not take is
///                 built without
/// @throws CannotGrade where a file cannot be read; std::runtime_error where the tools are missing
ProgramBuild build_program(const CompilerWords& words, Flavour flavour,
                           const std::filesystem::path& scratch,
                           const std::optional<SplitTools>& split);

}  // namespace tilewise::grading
