#pragma once

#include "qualifiers.hpp"
#ifdef TILEWISE_DEBUG
#include "debug_stop.hpp"
#endif

namespace tilewise::simt {

/// Where a thread of a block goes on.
using Context = void*;

/// What a thread that goes on is told: where the one goes on that it was left for, and `leaving`.
struct Transfer {
  Context fctx;
  void* data;
};

#define TILEWISE_LINKED(prefix, name) TILEWISE_LINKED_AS(prefix, name)
#define TILEWISE_LINKED_AS(prefix, name) #prefix name
#ifdef __x86_64__
#define TILEWISE_JUMP "tilewise_simt_jump"  // runtime/fiber_switch.cpp
#else
#define TILEWISE_JUMP "jump_fcontext"  // Boost.Context's, whose headers kernel files are spared
#endif
Transfer jump(Context to, void* data) asm(TILEWISE_LINKED(__USER_LABEL_PREFIX__, TILEWISE_JUMP));

/// What the run-time decided when a thread came to a point where it has to wait.
struct Switch {
  Context to;     ///< the thread to run now; null: this one goes on
  void* leaving;  ///< where the context of this thread is to be kept
};

/// Notes where the thread that was left goes on.
void keep_context(Transfer from);

/// Leaves the running CUDA thread for another one of its block.
///
/// Inlined into the kernel on purpose. The jump ends in an indirect jump, which the processor
/// predicts; were it wrapped in a function, the `ret` behind it would return to another thread's
/// caller and be mispredicted at every barrier (docs/decisions, "fibers").
[[gnu::always_inline]] inline void follow(Switch decision) {
  if (decision.to == nullptr) return;
#ifdef TILEWISE_DEBUG
  note_turn_end();
#endif
  const Transfer from = jump(decision.to, decision.leaving);
#ifdef TILEWISE_CHECKED
  keep_context(from);  // in the run-time, whose own accesses do not report themselves
#else
  *static_cast<Context*>(from.data) = from.fctx;
#endif
}

}  // namespace tilewise::simt
