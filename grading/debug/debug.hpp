#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "grading/cli/submission.hpp"

namespace tilewise::grading {

/// The arguments of `tilewise debug`.
struct DebugOptions : Run {
  std::string call;    ///< empty for the one that failed last
  std::string block;   ///< "1,0,0"; empty for the one that failed
  std::string thread;  ///< "3,2,0"; empty for the one that failed
};

/// Starts gdb on a call of a contract function, stopped in one thread of one block, and waits until
/// the user has left it. Returns false, once the reason is printed, if there is nothing to debug.
/// @throws CannotGrade if something is missing, BadCall, and std::runtime_error if Tilewise itself
/// is broken
bool debug(const DebugOptions& options);

/// Whether a program may trace another one here, as a debugger does; a container may forbid it.
bool may_trace();

}  // namespace tilewise::grading
