#pragma once

#include <cstdint>

namespace tilewise::grading {

/// What a worker was doing.
enum class Phase : std::int32_t {
  starting,  ///< no code of the student's has run
  loading,   ///< loading the module, which runs its static constructors
  calling,   ///< in the contract function, or in a kernel on the simulator
  waiting,   ///< the function has returned; waiting for its kernels
  idle,      ///< between calls
};

/// A worker's last words: written raw to a pipe by a signal handler, in one write of less than
/// PIPE_BUF bytes, so that records never mix. Arrives from a process whose memory may be damaged or
/// hostile: nothing in it may be trusted.
struct FaultRecord {
  static constexpr std::uint64_t expected_magic = 0x31544c4641465754;  // "TWFAFLT1"
  static constexpr std::uint32_t max_callers = 16;

  std::uint64_t magic;
  std::uint64_t address;               ///< that was accessed, for SIGSEGV and SIGBUS
  std::uint64_t pc;                    ///< of the instruction; 0 where unknown
  std::uint64_t module_base;           ///< where the module is mapped; 0 while it is not
  std::uint64_t mapped_bytes;          ///< address space in use; 0 where unknown
  std::uint64_t callers[max_callers];  ///< return addresses, innermost first
  std::uint32_t caller_count;
  std::int32_t signal;
  Phase phase;
  std::uint32_t in_kernel;       ///< 1 or 0
  std::uint32_t stack_overflow;  ///< 1: the address lies just below the main thread's stack
  std::uint32_t block[3];
  std::uint32_t thread[3];
  char kernel[128];
  char explanation[256];  ///< a sentence without its full stop; may be empty
};

}  // namespace tilewise::grading
