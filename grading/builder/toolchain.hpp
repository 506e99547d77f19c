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

/// A source in the form that the compiler gets.
struct PreparedSource {
  std::string text;
  std::string problem;  ///< in the form "file:line: error: what"; empty if there is none
};

/// The tools and options by which one backend turns a stage's sources into a module.
struct Toolchain {
  std::string source_extension;      ///< the extension of the files that the compiler gets
  std::vector<std::string> compile;  ///< the command; `-c SOURCE -o OBJECT` is appended
  /// Arguments of the preprocessor in addition to those of `compile`. If there are any, it runs as
  /// a step of its own, and its output is judged before that is compiled. Empty: one step does
  /// both.
  std::vector<std::string> preprocess = {};
  /// A program that runs the compiler, but not its preprocessor. May be empty.
  std::filesystem::path compile_through = {};
  std::vector<std::string> link;  ///< command; objects, `libraries` and `-o MODULE` are appended
  std::vector<std::string> libraries;
  /// Files on which the module depends, apart from the sources.
  std::vector<std::filesystem::path> inputs;
  /// Whether the compiler dumps every statement that it makes code of (unseen_calls.hpp).
  bool dumps_statements = false;
  /// The simulator's library, whose names a submission may not define. Empty: objects are judged as
  /// host objects for a GPU.
  std::filesystem::path simulator = {};
  std::function<PreparedSource(const SourceFile&)> prepare;
  /// Judges the preprocessor's output for the source of that name; `text` becomes the source's own
  /// part, line by line.
  std::function<PreparedSource(const std::string& left, const std::string& name)> judge = {};
  std::function<HostLines(std::string_view)> host_lines = {};
};

/// Returns the tools of a backend for one stage.
/// @throws std::runtime_error if this build of Tilewise lacks the backend, if a tool is missing, or
/// if the backend does not support the flavour or coverage.
Toolchain toolchain(Backend backend, Flavour flavour, const std::string& stage_id,
                    bool covered = false);

Toolchain simt_toolchain(Flavour flavour, const std::string& stage_id);

/// Returns the options of a checked build that make the compiler report every load and store to the
/// run-time.
std::vector<std::string> reporting_options(const std::vector<std::string>& compiler);

/// Returns the options for the macros that nvcc defines for both host and device.
std::span<const char* const> definitions_of_nvcc();

/// Makes the compiler count how often each line is run, by one thread.
void add_coverage(Toolchain& simt_tools, Flavour flavour);

/// Makes the sources choose between variants at run time.
void add_variants(Toolchain& simt_tools, bool optimised);

Toolchain cuda_toolchain(const std::string& stage_id);

/// Allows the sources to include Tilewise's headers and to call cuBLAS.
void add_cublas(Toolchain& cuda_tools);

/// The time that a compiler may take.
inline constexpr double tool_time_limit_s = 120;

/// The resources that a compiler may use.
struct ToolLimits {
  double time_s = tool_time_limit_s;
  std::size_t file_bytes = std::size_t{256} << 20;  ///< the size of a file that it writes
};

/// The limits of the preprocessor by itself: five times the output for a file that includes most of
/// the standard library, and the time that this takes on a busy machine.
inline constexpr ToolLimits preprocessor_limits = {.time_s = 20,
                                                   .file_bytes = std::size_t{16} << 20};

/// The files that a compiler works on.
struct ToolFiles {
  std::vector<std::filesystem::path> readable;
  std::filesystem::path writable;        ///< the folder for its output
  std::filesystem::path working_folder;  ///< a folder that holds some of these
};

/// Returns the command that runs a compiler, with limits and few of this process's environment
/// variables. A source can make the compiler read any file, and quote it or compile it in; in a
/// sandbox the compiler therefore sees only `files`, the system's headers and libraries, and its
/// own installation.
Command tool_command(std::vector<std::string> arguments, const ToolFiles& files,
                     const Sandbox& sandbox, const ToolLimits& limits = {});

/// Says why the host code of a submission may not refer to a function, given its linker name; empty
/// where it may. The CUDA functions that it may call are those that launch kernels, manage device
/// memory, copy in ways that are counted (cmake/TilewiseWrappedCalls.cmake), order work and query
/// properties.
std::string why_refused(std::string_view name);

}  // namespace tilewise::grading
