#pragma once

#include <filesystem>
#include <string>

namespace tilewise::grading {

/// A student's file, or why it cannot be taken.
struct SourceFile {
  std::string name;     ///< as messages call it: "labs/03_shared_memory/matmul_shared.cu"
  std::string text;     ///< empty if there is a problem
  std::string problem;  ///< empty if the text was read
  std::string hint;
};

/// Reads a source file. Takes regular files of a sane size only, so that neither a pipe nor a
/// device can hold up grading.
/// @param root links may not lead out of this folder: to a solution, or to what others have handed
/// in
SourceFile read_source(const std::filesystem::path& path, std::string name,
                       const std::filesystem::path& root);

}  // namespace tilewise::grading
