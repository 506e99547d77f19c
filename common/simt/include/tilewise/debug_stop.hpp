#pragma once

#include "vector_types.hpp"

/// State and hooks that a module built for a debugger (TILEWISE_DEBUG) has in addition. They let
/// gdb stop in one thread of one block without asking in all others, which would take minutes, and
/// find out which thread writes a certain element. In such a module one operating-system thread
/// runs all blocks.
namespace tilewise::simt {

struct DebugStop {
  uint3 block, thread;  ///< where gdb is to stop
  unsigned launch;      ///< the first launch of the call that counts, from 1 on
  bool armed;           ///< whether any thread is wanted
  unsigned launches;    ///< launches so far

  /// An element in device memory; null: none.
  const volatile unsigned char* watched;
  unsigned watched_bytes;
  unsigned char last[8];  ///< what the element held when it was last looked at
  bool written;
  uint3 writer_block, writer_thread;  ///< who last changed its value
  unsigned writer_launch;
};

}  // namespace tilewise::simt

extern "C" {

/// The program that loads the module fills this in.
[[gnu::visibility("default"), gnu::used]] inline tilewise::simt::DebugStop tilewise_debug_stop = {};

/// gdb sets its breakpoint here: the wanted thread is about to run the kernel.
[[gnu::visibility("default"), gnu::used, gnu::noinline]] inline void tilewise_kernel_starts() {
  asm volatile("");  // the compiler could leave out a call without effect
}
}

namespace tilewise::simt {

inline void note_thread_start() {
  DebugStop& stop = tilewise_debug_stop;
  const auto same = [](uint3 a, uint3 b) { return a.x == b.x && a.y == b.y && a.z == b.z; };
  // Blocks and threads run in order.
  const uint3 first = {0, 0, 0};
  if (same(blockIdx, first) && same(threadIdx, first)) ++stop.launches;
  if (stop.armed && stop.launches >= stop.launch && same(blockIdx, stop.block) &&
      same(threadIdx, stop.thread)) {
    tilewise_kernel_starts();
  }
}

/// Called at the end of a thread and wherever it lets others run: whatever has changed since the
/// last call is this thread's doing.
inline void note_turn_end() {
  DebugStop& stop = tilewise_debug_stop;
  if (stop.watched == nullptr) return;
  bool changed = false;
  for (unsigned i = 0; i < stop.watched_bytes; ++i) {
    changed |= stop.last[i] != stop.watched[i];
    stop.last[i] = stop.watched[i];
  }
  if (!changed) return;
  stop.written = true;
  stop.writer_block = blockIdx;
  stop.writer_thread = threadIdx;
  stop.writer_launch = stop.launches;
}

}  // namespace tilewise::simt
