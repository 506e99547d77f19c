#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "grading/examiner/process/source_location.hpp"
#include "grading/worker/call.hpp"

namespace tilewise::grading {

/// A worker's largest file: room for a log and for the CUDA driver's cache, none for filling a
/// disk.
inline constexpr std::size_t largest_file_bytes = std::size_t{256} << 20;

/// What a worker was asked to do when it failed, and within which limits.
struct Situation {
  std::string function;  ///< that was called; empty while the module was loading
  double time_limit_s = 0;
  std::size_t address_space_bytes = 0;  ///< 0: no limit
};

/// A fatal signal that the worker reported.
std::string describe_crash(const Fault& fault, const SourceLocation& location,
                           const Situation& situation);

/// A process that ended without a report.
/// @param wait_status as from waitpid
std::string describe_end(int wait_status, const Situation& situation);

/// A call that ran into the time limit.
/// @param fault the worker's answer to where it is, if it gave one
std::string describe_time_out(const std::optional<Fault>& fault, const SourceLocation& location,
                              const Situation& situation);

}  // namespace tilewise::grading
