#pragma once

#include <boost/context/detail/fcontext.hpp>

#include "qualifiers.hpp"
#ifdef TILEWISE_DEBUG
#include "debug_stop.hpp"
#endif

namespace tilewise::simt {

/// What the run-time decided when a thread came to a point where it has to wait.
struct Switch {
  boost::context::detail::fcontext_t to;  ///< the thread to run now; null: this one goes on
  void* leaving;                          ///< where the context of this thread is to be kept
};

/// Notes where the thread that was left goes on.
void keep_context(boost::context::detail::transfer_t from);

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
  const auto from = boost::context::detail::jump_fcontext(decision.to, decision.leaving);
#ifdef TILEWISE_CHECKED
  keep_context(from);  // in the run-time, whose own accesses do not report themselves
#else
  *static_cast<boost::context::detail::fcontext_t*>(from.data) = from.fctx;
#endif
}

}  // namespace tilewise::simt
