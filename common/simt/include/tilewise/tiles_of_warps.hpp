#pragma once

#include "../cooperative_groups.h"

// Tiles of cooperative groups with more threads than a warp. They wait for the whole block, because
// the checks know no order but that of the block's barriers: all tiles of a block have to arrive.

namespace cooperative_groups {

/// Shared memory that such tiles need on some GPUs, but not here.
template <unsigned MostThreads = 1024>
struct block_tile_memory {
  unsigned char unused;
};

namespace details {

/// The functions of tiles of `Size` threads; `Size` is a power of two.
template <unsigned Size>
class TileOfWarps {
  static_assert(Size > 32 && Size <= 1024 && (Size & (Size - 1)) == 0, "a tile is a power of two");

 public:
  [[gnu::always_inline]] static void sync(TILEWISE_SITE) { __syncthreads(file, line); }

  static unsigned thread_rank() { return rank_in_block() % Size; }
  static constexpr unsigned num_threads() { return Size; }
  static constexpr unsigned size() { return Size; }
  static unsigned meta_group_rank() { return rank_in_block() / Size; }
  static unsigned meta_group_size() { return (block_threads() + Size - 1) / Size; }

  /// Returns one thread's value to all threads.
  template <class T>
  [[gnu::always_inline]] T shfl(T value, unsigned source, TILEWISE_SITE) const {
    if (thread_rank() == source % Size) keep(meta_group_rank(), value);
    sync(file, line);
    take(meta_group_rank(), value);
    sync(file, line);
    return value;
  }
  [[gnu::always_inline]] int any(int predicate, TILEWISE_SITE) const {
    return reduced(
        predicate != 0, [](bool a, bool b) { return a || b; }, file, line);
  }
  [[gnu::always_inline]] int all(int predicate, TILEWISE_SITE) const {
    return reduced(
        predicate != 0, [](bool a, bool b) { return a && b; }, file, line);
  }

  /// Reduces all values of the tile; each warp first reduces its own.
  template <class T, class Operation>
  [[gnu::always_inline]] T reduced(T value, Operation operation, const char* file, int line) const {
    for (unsigned lanes = 16; lanes > 0; lanes /= 2) {
      const int other = static_cast<int>(lane() ^ lanes);
      value = operation(value, from_lane(0xffffffffu, value, other, file, line));
    }
    if (lane() == 0) keep(rank_in_block() / 32, value);
    sync(file, line);
    const unsigned first = meta_group_rank() * (Size / 32);
    take(first, value);
    for (unsigned warp = first + 1; warp < first + Size / 32; ++warp) {
      T other;
      take(warp, other);
      value = operation(value, other);
    }
    sync(file, line);
    return value;
  }

 private:
  template <class T>
  static void keep(unsigned slot, const T& value) {
    static_assert(sizeof(T) <= 64, "the simulator's tiles hand on values of 64 bytes and less");
    tilewise::simt::keep_for_block(slot, &value, sizeof value);
  }
  template <class T>
  static void take(unsigned slot, T& value) {
    tilewise::simt::take_from_block(slot, &value, sizeof value);
  }
};

}  // namespace details

template <class Parent>
class thread_block_tile<64, Parent> : public details::TileOfWarps<64> {};
template <class Parent>
class thread_block_tile<128, Parent> : public details::TileOfWarps<128> {};
template <class Parent>
class thread_block_tile<256, Parent> : public details::TileOfWarps<256> {};
template <class Parent>
class thread_block_tile<512, Parent> : public details::TileOfWarps<512> {};
template <class Parent>
class thread_block_tile<1024, Parent> : public details::TileOfWarps<1024> {};

template <unsigned MostThreads>
thread_block this_thread_block(block_tile_memory<MostThreads>&) {
  return {};
}

}  // namespace cooperative_groups
