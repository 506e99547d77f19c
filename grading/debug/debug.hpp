#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "grading/cli/submission.hpp"

namespace tilewise::grading {

/// `tilewise debug` as asked for on the command line.
struct DebugOptions : Run {
  std::string call;    ///< "matmul_shared(n=37, tile=16)"; empty: the one that failed last
  std::string block;   ///< "1,0,0"; empty: the one that failed
  std::string thread;  ///< "3,2,0"; empty: the one that failed
};

/// Starts gdb on a call of a contract function, stopped in one thread of one block, and waits until
/// the user has left it. Returns whether there was something to debug; else the reason was printed.
/// @throws CannotGrade where something is missing, BadCall, and std::runtime_error where Tilewise
/// itself is broken.
bool debug(const DebugOptions& options);

/// Whether a program may trace another one here, as a debugger does; a container may forbid it.
bool may_trace();

}  // namespace tilewise::grading
