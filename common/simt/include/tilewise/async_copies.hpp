#pragma once

#include "../cuda_runtime.h"
#include "copies_on_their_way.hpp"

namespace tilewise::simt {

/// One thread's share of a copy that a group makes together, in pieces of up to 16 bytes, as
/// hardware makes them. It arrives when the thread waits for it.
[[gnu::always_inline]] inline void copy_share(void* to, const void* from, size_t bytes,
                                              unsigned rank, unsigned threads) {
  const auto bits = reinterpret_cast<uintptr_t>(to) | reinterpret_cast<uintptr_t>(from) | bytes;
  const size_t piece = bits % 16 == 0 ? 16 : bits % 8 == 0 ? 8 : bits % 4 == 0 ? 4 : 1;
  for (size_t i = rank * piece; i < bytes; i += threads * piece) {
    begin_copy(static_cast<char*>(to) + i, static_cast<const char*>(from) + i, piece, 0);
  }
}

inline unsigned threads_of_block() { return blockDim.x * blockDim.y * blockDim.z; }

}  // namespace tilewise::simt

namespace cuda {

enum thread_scope {
  thread_scope_system,
  thread_scope_device,
  thread_scope_block,
  thread_scope_thread,
};

template <size_t alignment>
struct aligned_size_t {
  size_t value;
  explicit aligned_size_t(size_t bytes) : value(bytes) {}
  operator size_t() const { return value; }
};

}  // namespace cuda
