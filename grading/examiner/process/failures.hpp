#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "common/process/sandbox.hpp"
#include "grading/worker/call.hpp"

namespace tilewise::grading {

/// A place in the source of a module.
struct SourceLocation {
  std::string file;  ///< without folders; empty where unknown
  int line = 0;
};

/// Looks up the source line of an instruction of a module with addr2line (binutils), if it is
/// installed. If functions are inlined into one another, it names the innermost one that is in a
/// kernel file.
/// @param offset of the instruction from the module's start
/// @param sandbox for addr2line, which reads data that a student can shape
SourceLocation find_source_location(const std::filesystem::path& module, std::uint64_t offset,
                                    const Sandbox& sandbox);

/// Parses the output of `addr2line -i -s`: "file:line" for each function, innermost first.
SourceLocation parse_source_location(const std::string& output);

/// Finds compute-sanitizer of the CUDA Toolkit, on PATH or where CUDA's installer puts it.
std::optional<std::filesystem::path> find_compute_sanitizer();

/// An error that compute-sanitizer reports.
struct SanitizerError {
  std::string message;   ///< what it says, in one line
  SourceLocation place;  ///< the first place that it names
};

/// Returns the first error in a log of compute-sanitizer (--log-file), whichever of its tools wrote
/// it.
std::optional<SanitizerError> first_sanitizer_error(const std::string& log);

/// Whether the error may be a false alarm. For an asynchronous copy that fills up with zeros,
/// memcheck takes the size of the copy for what is read, as that of CUDA 13.0 does, and so reports
/// that the last copy of an array reads beyond the array's end.
bool may_be_short_copy(const SanitizerError& error);

/// The largest file that a worker may write. It leaves room for a log and for the CUDA driver's
/// cache, but not for filling a disk.
inline constexpr std::size_t largest_file_bytes = std::size_t{256} << 20;

/// What a worker was asked to do when it failed, and within which limits.
struct Situation {
  std::string function;  ///< the function called; empty while the module was loading
  double time_limit_s = 0;
  std::size_t address_space_bytes = 0;  ///< 0: no limit
};

/// Describes a fatal signal that the worker reported.
std::string describe_crash(const Fault& fault, const SourceLocation& location,
                           const Situation& situation);

/// Describes the end of a process that sent no report.
/// @param wait_status as from waitpid
std::string describe_end(int wait_status, const Situation& situation);

/// Describes a call that ran into the time limit.
/// @param fault the worker's answer to the question where it is, if it gave one
std::string describe_time_out(const std::optional<Fault>& fault, const SourceLocation& location,
                              const Situation& situation);

}  // namespace tilewise::grading
