#pragma once

#include <filesystem>
#include <string>

namespace tilewise::grading {

enum class Backend { simt, cuda };

struct BuildRequest {
  std::string stage_id;
  /// Holds the stage's .cu files. Two folders above it the compiler runs, so that messages name
  /// "labs/03_shared_memory/matmul_shared.cu" for DIR/labs/03_shared_memory.
  std::filesystem::path source_directory;
  Backend backend = Backend::simt;
  std::filesystem::path scratch;  ///< existing folder for all files, the module too
};

struct BuildOutcome {
  std::filesystem::path module;  ///< shared library with the stage's binding, if `ok`
  bool ok = false;
  std::string message;  ///< why there is no module; the compiler's words, cut to a screenful
  std::string hint;     ///< what to do next
  std::string file;     ///< student's file that `message` is about, if known
  int line = 0;         ///< 1-based line in `file`, 0 if unknown
};

/// Compiles a stage's sources and links them with its binding object, or takes the module of an
/// earlier build of the same text by the same tools. Whatever is wrong with the sources is told in
/// the outcome.
/// @throws std::runtime_error if the tools themselves are missing or fail, Interrupted.
BuildOutcome build_module(const BuildRequest& request);

}  // namespace tilewise::grading
