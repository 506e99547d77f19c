#pragma once

#include <utility>

namespace tilewise::simt {

/// Notes that the running thread has left a loop, so that the checked build finds lanes of a warp
/// that did so after different numbers of passes together again behind it, where hardware makes
/// them wait for each other. Which loop it was says the address this returns to.
void note_loop_exit();

namespace of_kernel_files {  // launch.hpp

/// The checked build's rewriter puts one around every loop of device code:
///
///     for (LoopExit exit; exit.once();) for (int k = 0; k < n; ++k) sum += a[k];
///
/// A destructor sees every way out of a loop: its end, break, return and goto.
class LoopExit {
 public:
  [[gnu::always_inline]] ~LoopExit() {
    note_loop_exit();
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
