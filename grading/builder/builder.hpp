#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "common/base/finding.hpp"

namespace tilewise::grading {

using core::Finding;

enum class Backend { simt, cuda };

/// How a module is compiled: to run as fast as it can, for the simulator to see every load and
/// store of its kernels, or for a debugger, which sees every line and variable.
enum class Flavour { fast, checked, debug };

struct BuildRequest {
  std::string stage_id;
  /// Holds the stage's .cu files. Two folders above it the compiler runs, so that messages name
  /// "labs/03_shared_memory/matmul_shared.cu" for DIR/labs/03_shared_memory.
  std::filesystem::path source_directory;
  Backend backend = Backend::simt;
  std::filesystem::path scratch;          ///< existing folder for all files, the module too
  Flavour flavour = Flavour::fast;        ///< others: backend simt only
  bool uses_cublas = false;               ///< Tilewise's own sources may; backend cuda only
  std::filesystem::path bubblewrap = {};  ///< to run the tools in; empty: no sandbox
  /// Counts how often each line is run: calls leave gcov's counts beside the module, where its
  /// notes are. Backend simt only.
  bool covered = false;
  /// The sources hold variants of what was handed in (tilewise/variants.hpp), for nothing but to see
  /// which of them comes right: they are not judged. Backend simt only.
  bool varied = false;
  /// Such sources are optimised somewhat, rather than not at all, which takes several times as long.
  bool optimised = false;
};

struct BuildResult {
  std::filesystem::path module;  ///< shared library with the stage's binding, if `ok`
  bool ok = false;
  Finding finding;  ///< why there is no module; the compiler's words, cut to a screenful
  std::string output = {};  ///< those words, whole
};

/// What a compiler's messages, and gcov, call a source: "labs/03_shared_memory/matmul_shared.cu".
std::string shown_path(const std::filesystem::path& source_directory, const std::string& file);

/// Where in a build's scratch folder its files are: those of several flavours have the same names.
std::filesystem::path flavour_folder(const std::filesystem::path& scratch, Flavour flavour);

/// Compiles a stage's sources and links them with its binding object, or takes the module of an
/// earlier build of the same text by the same tools. Whatever is wrong with the sources is told in
/// the result.
/// @throws std::runtime_error if the tools themselves are missing or fail, Interrupted.
BuildResult build_module(const BuildRequest& request);

/// Builds several modules side by side. The results come in the order of the requests.
/// @param meanwhile  called again and again while compilers work: goes on with other work
/// @throws as build_module
std::vector<BuildResult> build_modules(const std::vector<BuildRequest>& requests,
                                       const std::function<void()>& meanwhile = {});

}  // namespace tilewise::grading
