#pragma once

#include <utility>

namespace tilewise::simt {

/// Notes that the running thread has left a loop, so that the checked build finds lanes of a warp
/// that did so after different numbers of passes together again behind it, where hardware makes
/// them wait for each other. Which loop it was says the address this returns to.
/// @param mark loop_exit_mark
void note_loop_exit(unsigned mark);

/// By a call with this argument who reads the machine code knows where a loop ends. A number that
/// fits into one instruction, and that nothing else is likely to be called with.
inline constexpr unsigned loop_exit_mark = 0xe417;

/// Notes that the running thread begins another pass of a loop. Put into loops in which some thread
/// may make none of the accesses that others make, so that it is known what pass its next one is
/// in:
///
///     for (int k = 0; k < n; ++k) if (note_loop_pass(); false) {} else if (k < row) sum += a[k];
void note_loop_pass();

/// Notes that the running thread has come to the end of its kernel, rather than to a `return`: it
/// has made all the choices there are, so that a barrier which others pass is one that it skipped.
void note_kernel_end();

namespace of_kernel_files {  // launch.hpp

/// The checked build's rewriter puts one around every loop of device code:
///
///     for (LoopExit exit; exit.once();) for (int k = 0; k < n; ++k) sum += a[k];
///
/// A destructor sees every way out of a loop: its end, break, return and goto.
class LoopExit {
 public:
  [[gnu::always_inline]] ~LoopExit() {
    note_loop_exit(loop_exit_mark);
    // Keeps the call from becoming a jump at a function's end, which would return elsewhere.
    asm volatile("");
  }

  [[gnu::always_inline]] bool once() { return !std::exchange(passed_, true); }

 private:
  bool passed_ = false;
};

}  // namespace of_kernel_files

using of_kernel_files::LoopExit;

}  // namespace tilewise::simt
