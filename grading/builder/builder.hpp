#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "common/base/finding.hpp"

namespace tilewise::grading {

using core::Finding;

enum class Backend { simt, cuda };

/// How a module is compiled: to run as fast as possible, to let the simulator see every load and
/// store of its kernels, or to let a debugger see every line and variable.
enum class Flavour { fast, checked, debug };

struct BuildRequest {
  std::string stage_id;
  /// The folder of the stage's .cu files. The compiler runs two folders above it, so that messages
  /// name "labs/03_shared_memory/matmul_shared.cu" for DIR/labs/03_shared_memory.
  std::filesystem::path source_directory;
  Backend backend = Backend::simt;
  std::filesystem::path scratch;          ///< existing folder for all files, including the module
  Flavour flavour = Flavour::fast;        ///< all but `fast`: backend simt only
  bool uses_cublas = false;               ///< for Tilewise's own sources; backend cuda only
  std::filesystem::path bubblewrap = {};  ///< the sandbox for the tools; empty: no sandbox
  /// Counts how often each line is run: calls write gcov's counts beside the module, where gcov's
  /// notes are. Backend simt only.
  bool covered = false;
  /// The sources hold variants of the submission (tilewise/variants.hpp), and the build only serves
  /// to find out which of them gives the right result; so they are not judged. Backend simt only.
  bool varied = false;
  /// Such sources are optimised a little, rather than not at all, which takes several times as
  /// long.
  bool optimised = false;
};

struct BuildResult {
  std::filesystem::path module;  ///< shared library with the stage's binding, if `ok`
  bool ok = false;
  Finding finding;          ///< why there is no module; the compiler's output, cut to a screenful
  std::string output = {};  ///< that output, complete
};

/// Returns the name by which compiler messages and gcov call a source:
/// "labs/03_shared_memory/matmul_shared.cu".
std::string shown_path(const std::filesystem::path& source_directory, const std::string& file);

/// Returns the folder for a build's files in its scratch folder; the files of all flavours have the
/// same names.
std::filesystem::path flavour_folder(const std::filesystem::path& scratch, Flavour flavour);

/// Compiles a stage's sources and links them with its binding object, or takes the module of an
/// earlier build of the same text by the same tools. Errors in the sources are reported in the
/// result.
/// @throws std::runtime_error if the tools themselves are missing or fail, Interrupted.
BuildResult build_module(const BuildRequest& request);

/// Builds several modules in parallel. The results are in the order of the requests.
/// @param meanwhile  called again and again while compilers work; does other work of the caller
/// @throws as build_module
std::vector<BuildResult> build_modules(const std::vector<BuildRequest>& requests,
                                       const std::function<void()>& meanwhile = {});

}  // namespace tilewise::grading
