#pragma once

#include <array>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

namespace tilewise::core {

/// One thread of a launch.
struct ThreadOfGrid {
  std::array<unsigned, 3> block = {};
  std::array<unsigned, 3> thread = {};

  bool operator==(const ThreadOfGrid&) const = default;
};

/// Something that is wrong with a student's code or with what it computed. All layers use this one
/// type: the simulator's run-time, which knows what a kernel did and where; the examiner, which
/// adds the call in which that happened and what to do next; and whatever shows a result.
struct Finding {
  /// What the simulator found: "barrier", "warp", "deadlock", "launch", "reset", "free" or, in a
  /// whole program, "assert" or "leak"; in the checked build "out-of-bounds", "misaligned",
  /// "uninitialised", "above-diagonal", "race", "warp-race", "read-only", "host-pointer",
  /// "host-call" or "arithmetic". For a message of the build: "compile". For the way a process
  /// ended: "crash", "exit", "output" or "time-out". For the result of a call: "launch",
  /// "no-launch", "out-of-bounds", "read-only" or "wrong-result". For what may explain a wrong
  /// result, and is no fault: "refused" or "lost-shuffle". Empty for anything else.
  std::string kind = {};
  std::string message = {};     ///< what happened
  std::string hint = {};        ///< what to do next; empty: nothing special
  std::string file = {};        ///< where; empty: unknown
  int line = 0;                 ///< 1-based line in `file`, 0: unknown
  std::string other_file = {};  ///< for a race or a barrier: where the other thread was
  int other_line = 0;
  std::optional<ThreadOfGrid> place = {};  ///< of the thread at fault; in a race, of the later one
  std::string call = {};  ///< that led to the finding: "matmul_shared(n=37, tile=16)"; or empty
  /// The array of a stray, early or racing access, or the input that is read at a wrong place, as
  /// messages name it: "A", "As". For an array without a name this is its type, "float [2]", whose
  /// first bracket is the one to blame. Empty: unknown.
  std::string array = {};
  int bracket = 0;  ///< for a named array, which of its indices, from 1, lies outside; 0: unknown
  std::string matrix = {};  ///< the matrix with a wrong element; empty: none is known
  int row = 0;              ///< of the first wrong element
  int col = 0;

  bool operator==(const Finding&) const = default;
};

/// Conversions that nlohmann::json finds by name; they leave out unknown fields. Reading trusts
/// nothing: it throws std::runtime_error naming a field that is missing, mistyped or out of range.
void to_json(nlohmann::json& document, const Finding& finding);
void from_json(const nlohmann::json& document, Finding& finding);

/// What a worker was doing.
enum class Phase : std::int32_t {
  starting,  ///< no student code has run yet
  loading,   ///< loading the module, which runs its static constructors
  calling,   ///< in the contract function, or in a kernel on the simulator
  waiting,   ///< the function has returned; waiting for its kernels
  idle,      ///< between calls
};

/// A worker's last report, about a fatal signal. The simulator fills in what it knows of that
/// moment and the worker adds the rest. Its signal handler writes the record raw to a pipe, in one
/// write of less than PIPE_BUF bytes, so that records never mix. The record arrives from a process
/// whose memory may be damaged or hostile: nothing in it may be trusted.
struct Fault {
  static constexpr std::uint64_t expected_magic = 0x31544c4641465754;  // "TWFAFLT1"
  static constexpr std::uint32_t max_callers = 16;

  std::uint64_t magic;
  std::uint64_t address;               ///< the address that was accessed, for SIGSEGV and SIGBUS
  std::uint64_t pc;                    ///< the instruction's address; 0 if unknown
  std::uint64_t module_base;           ///< where the module is mapped; 0 if it is not
  std::uint64_t mapped_bytes;          ///< address space in use; 0 if unknown
  std::uint64_t callers[max_callers];  ///< return addresses, innermost first
  std::uint32_t caller_count;
  std::int32_t signal;
  Phase phase;
  std::uint32_t in_kernel;       ///< 1 or 0
  std::uint32_t stack_overflow;  ///< 1: the address lies just below the main thread's stack
  std::uint32_t block[3];
  std::uint32_t thread[3];
  char kernel[128];
  char explanation[256];  ///< a sentence without its full stop; empty if the signal says enough
};

}  // namespace tilewise::core
