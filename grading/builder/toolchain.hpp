#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/process/command.hpp"
#include "common/process/sandbox.hpp"
#include "grading/builder/builder.hpp"
#include "grading/builder/host_lines.hpp"
#include "grading/builder/source_file.hpp"

namespace tilewise::grading {

/// A source as the compiler gets it.
struct PreparedSource {
  std::string text;
  std::string problem;  ///< in the form "file:line: error: what"; empty if there is none
};

/// What one backend's tools need to turn a stage's sources into a module.
struct Toolchain {
  std::string source_extension;      ///< of the files given to the compiler
  std::vector<std::string> compile;  ///< command; `-c SOURCE -o OBJECT` is appended
  /// Arguments that the preprocessor takes beside those of `compile`; then it is run by itself, and
  /// what it leaves is judged before that is compiled. Empty: one step does both.
  std::vector<std::string> preprocess = {};
  /// A program that stands in front of the compiler, but not of its preprocessor. May be empty.
  std::filesystem::path compile_through = {};
  std::vector<std::string> link;  ///< command; objects, `libraries` and `-o MODULE` are appended
  std::vector<std::string> libraries;
  /// Files other than the sources that the module depends on.
  std::vector<std::filesystem::path> inputs;
  /// Whether the compiler tells of every statement it made code of (unseen_calls.hpp).
  bool dumps_statements = false;
  /// The simulator's library, whose names are taken; empty: objects are judged as a GPU's.
  std::filesystem::path simulator = {};
  std::function<PreparedSource(const SourceFile&)> prepare;
  /// Judges what the preprocessor left of the source of that name; `text` becomes the source's own
  /// part, line by line.
  std::function<PreparedSource(const std::string& left, const std::string& name)> judge = {};
  std::function<HostLines(std::string_view)> host_lines = {};
};

/// The tools of a backend for one stage.
/// @throws std::runtime_error if this build of Tilewise lacks the backend or a tool is missing, or
/// if the backend knows no such flavour, or cannot be covered.
Toolchain toolchain(Backend backend, Flavour flavour, const std::string& stage_id,
                    bool covered = false);

Toolchain simt_toolchain(Flavour flavour, const std::string& stage_id);

/// What makes the compiler report every load and store to the run-time; of a checked build.
std::vector<std::string> reporting_options(const std::vector<std::string>& compiler);

/// What nvcc defines for both sides.
std::span<const char* const> definitions_of_nvcc();

/// Has the compiler count how often each line is run, by one thread.
void add_coverage(Toolchain& simt_tools, Flavour flavour);

/// Has the sources choose between variants when they run.
void add_variants(Toolchain& simt_tools, bool optimised);

Toolchain cuda_toolchain(const std::string& stage_id);

/// Lets the sources include Tilewise's headers and call cuBLAS.
void add_cublas(Toolchain& cuda_tools);

/// How long a compiler may take.
inline constexpr double tool_time_limit_s = 120;

/// What a compiler may use.
struct ToolLimits {
  double time_s = tool_time_limit_s;
  std::size_t file_bytes = std::size_t{256} << 20;  ///< of a file that it writes
};

/// Of the preprocessor by itself: five times what a file comes to that includes most of the
/// standard library, and what that takes on a busy machine.
inline constexpr ToolLimits preprocessor_limits = {.time_s = 20,
                                                   .file_bytes = std::size_t{16} << 20};

/// What a compiler works on.
struct ToolFiles {
  std::vector<std::filesystem::path> readable;
  std::filesystem::path writable;        ///< folder for what it makes
  std::filesystem::path working_folder;  ///< one that holds some of these
};

/// A command of a compiler, with limits, and few of this process's variables. A source can have the
/// compiler read any file, and quote it or compile it in: in a sandbox it sees `files`, the
/// system's headers and libraries and its own installation.
Command tool_command(std::vector<std::string> arguments, const ToolFiles& files,
                     const Sandbox& sandbox, const ToolLimits& limits = {});

/// Why the host code of a submission may not refer to a function, by the linker's name; empty where
/// it may. Of CUDA it may call what launches kernels, holds memory of the device, copies by the
/// ways that are counted (cmake/TilewiseWrappedCalls.cmake), orders work and asks for properties.
std::string why_refused(std::string_view name);

}  // namespace tilewise::grading
