#pragma once

#include "../cuda_runtime.h"

namespace tilewise::simt {

/// One thread's share of a copy that a group makes together, in pieces of up to 16 bytes, as
/// hardware makes them. It is made at once: a program that waits for it sees no difference.
inline void copy_share(void* to, const void* from, size_t bytes, unsigned rank, unsigned threads) {
  const auto bits = reinterpret_cast<uintptr_t>(to) | reinterpret_cast<uintptr_t>(from) | bytes;
  const auto copy = [&](auto piece) {
    using Piece = decltype(piece);
    for (size_t i = rank; i < bytes / sizeof(Piece); i += threads) {
      static_cast<Piece*>(to)[i] = static_cast<const Piece*>(from)[i];
    }
  };
  if (bits % 16 == 0) return copy(uint4{});
  if (bits % 8 == 0) return copy(uint2{});
  if (bits % 4 == 0) return copy(0u);
  copy(static_cast<unsigned char>(0));
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
