#pragma once

#include <sys/types.h>

#include <cstdint>

#include "common/simt/simt.hpp"

namespace tilewise::simt {

class Block;

/// Says what is known of the address that a fault is about. Async-signal-safe.
/// @param block that ran, for a fault in a kernel
/// @param code why the system sent the signal (siginfo_t::si_code)
void explain(Fault& fault, const Block* block, int code);

/// From here on SIGXCPU goes to that process where no kernel runs.
void pass_time_limits_to(pid_t host);

/// Gives the calling thread a stack for signal handlers, so that a thread whose own stack is full
/// can still say so. Every thread that runs kernels needs one.
void use_alternate_signal_stack();

}  // namespace tilewise::simt

namespace tilewise::simt {

/// For the lifetime of a block's run: functions of the module keep where they return to, and look
/// at it when they do (runtime/indirect_calls.cpp).
class KeepingReturns {
 public:
  KeepingReturns();
  ~KeepingReturns();
  KeepingReturns(const KeepingReturns&) = delete;
  KeepingReturns& operator=(const KeepingReturns&) = delete;
};

}  // namespace tilewise::simt
