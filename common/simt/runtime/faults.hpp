#pragma once

namespace tilewise::simt {

/// Gives the calling thread a stack for signal handlers, so that a thread whose own stack is full
/// can still say so. Every thread that runs kernels needs one.
void use_alternate_signal_stack();

}  // namespace tilewise::simt
