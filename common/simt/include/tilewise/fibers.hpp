#pragma once

#include "qualifiers.hpp"
#ifdef TILEWISE_DEBUG
#include "debug_stop.hpp"
#endif

namespace tilewise::simt {

/// The place where a thread of a block goes on.
using Context = void*;

/// What a thread is given when it goes on: the context of the thread that was left for it, and
/// `leaving`.
struct Transfer {
  Context fctx;
  void* data;
};

#define TILEWISE_LINKED(prefix, name) TILEWISE_LINKED_AS(prefix, name)
#define TILEWISE_LINKED_AS(prefix, name) #prefix name
#ifdef __x86_64__
#define TILEWISE_JUMP "tilewise_simt_jump"  // runtime/fiber_switch.cpp
#else
#define TILEWISE_JUMP "jump_fcontext"  // Boost.Context's; kernel files need not include its headers
#endif
Transfer jump(Context to, void* data) asm(TILEWISE_LINKED(__USER_LABEL_PREFIX__, TILEWISE_JUMP));

/// The run-time's decision when a thread came to a point where it has to wait.
struct Switch {
  Context to;     ///< the thread to run now; null: the current one goes on
  void* leaving;  ///< where to keep the context of the current thread
};

/// Stores the place where the thread that was left goes on.
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
  keep_context(from);  // in the run-time, whose own accesses are not reported
#else
  *static_cast<Context*>(from.data) = from.fctx;
#endif
}

}  // namespace tilewise::simt
