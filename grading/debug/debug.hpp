#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

namespace tilewise::grading {

/// `tilewise debug` as asked for on the command line.
struct DebugOptions {
  std::string stage;
  bool solutions = false;            ///< debug solutions/ rather than labs/
  std::filesystem::path submission;  ///< debug this folder's labs/; empty: the course's own
  std::string call;        ///< "matmul_shared(n=37, tile=16)"; empty: the one that failed last
  std::string block;       ///< "1,0,0"; empty: the one that failed
  std::string thread;      ///< "3,2,0"; empty: the one that failed
  std::uint64_t seed = 0;  ///< of the inputs, where a failure must be looked for first
};

/// Starts gdb on a call of a contract function, stopped in one thread of one block, and waits until
/// the user has left it. Returns whether there was something to debug; else the reason was printed.
/// @throws CannotGrade where something is missing, BadCall, and std::runtime_error where Tilewise
/// itself is broken.
bool debug(const DebugOptions& options);

/// Whether a program may trace another one here, as a debugger does; a container may forbid it.
bool may_trace();

}  // namespace tilewise::grading
