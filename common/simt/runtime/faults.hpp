#pragma once

#include <sys/types.h>

#include <cstdint>

#include "common/simt/simt.hpp"

namespace tilewise::simt {

class Block;

/// Explains what is known of the address at which a fault occurred. Async-signal-safe.
/// @param block the block that ran, for a fault in a kernel
/// @param code why the system sent the signal (siginfo_t::si_code)
void explain(Fault& fault, const Block* block, int code);

/// From here on, SIGXCPU is passed on to that process if no kernel runs.
void pass_time_limits_to(pid_t host);

/// Gives the calling thread a stack for signal handlers, so that a thread whose own stack is full
/// can still report that. Every thread that runs kernels needs one.
void use_alternate_signal_stack();

}  // namespace tilewise::simt

namespace tilewise::simt {

/// Exists while a block runs: functions of the module then keep a copy of their return address, and
/// compare it when they return (runtime/indirect_calls.cpp).
class KeepingReturns {
 public:
  KeepingReturns();
  ~KeepingReturns();
  KeepingReturns(const KeepingReturns&) = delete;
  KeepingReturns& operator=(const KeepingReturns&) = delete;
};

}  // namespace tilewise::simt
