#pragma once

#include <utility>

namespace tilewise::simt {

/// Notes that the running thread has left a loop. Behind the loop, hardware makes the lanes of a
/// warp wait for each other; by this note the checked build knows that lanes which left after
/// different numbers of passes are together again. The return address says which loop it was.
/// @param mark loop_exit_mark
void note_loop_exit(unsigned mark);

/// A call with this argument shows a reader of the machine code where a loop ends. The number fits
/// into one instruction, and nothing else is likely to be called with it.
inline constexpr unsigned loop_exit_mark = 0xe417;

/// Notes that the running thread begins another pass of a loop. The rewriter puts it into loops in
/// which some thread may make none of the accesses that others make, so that the pass of its next
/// access is known:
///
///     for (int k = 0; k < n; ++k) if (note_loop_pass(); false) {} else if (k < row) sum += a[k];
void note_loop_pass();

/// Notes that the running thread has come to the end of its kernel rather than to a `return`: it
/// has no further choice to make, so it has skipped any barrier that others pass.
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
    // Keeps the compiler from turning the call into a jump at a function's end, which would return
    // elsewhere.
    asm volatile("");
  }

  [[gnu::always_inline]] bool once() { return !std::exchange(passed_, true); }

 private:
  bool passed_ = false;
};

}  // namespace of_kernel_files

using of_kernel_files::LoopExit;

}  // namespace tilewise::simt
