/// Cooperative groups as far as kernels of one block size need them: the block, tiles of a warp,
/// the grid without its barrier. What is missing is a compile error.
#pragma once

#include <type_traits>

#include "cuda_runtime.h"

namespace cooperative_groups {

class thread_block {
 public:
  [[gnu::always_inline]] void sync(TILEWISE_SITE) const { __syncthreads(file, line); }

  unsigned thread_rank() const {
    return (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
  }
  unsigned num_threads() const { return blockDim.x * blockDim.y * blockDim.z; }
  unsigned size() const { return num_threads(); }
  dim3 group_index() const { return {blockIdx.x, blockIdx.y, blockIdx.z}; }
  dim3 thread_index() const { return {threadIdx.x, threadIdx.y, threadIdx.z}; }
  dim3 dim_threads() const { return {blockDim.x, blockDim.y, blockDim.z}; }
  dim3 group_dim() const { return dim_threads(); }
};

inline thread_block this_thread_block() { return {}; }

class grid_group {
 public:
  unsigned long long block_rank() const {
    return (blockIdx.z * static_cast<unsigned long long>(gridDim.y) + blockIdx.y) * gridDim.x +
           blockIdx.x;
  }
  unsigned long long num_blocks() const {
    return static_cast<unsigned long long>(gridDim.x) * gridDim.y * gridDim.z;
  }
  unsigned long long num_threads() const { return num_blocks() * thread_block().size(); }
  unsigned long long size() const { return num_threads(); }
  unsigned long long thread_rank() const {
    return block_rank() * thread_block().size() + thread_block().thread_rank();
  }
  dim3 group_dim() const { return {gridDim.x, gridDim.y, gridDim.z}; }
};

inline grid_group this_grid() { return {}; }

/// `Size` neighbouring lanes of a warp, a power of two.
template <unsigned Size, class Parent = void>
class thread_block_tile {
  static_assert(Size >= 1 && Size <= 32 && (Size & (Size - 1)) == 0,
                "the simulator has tiles of 1, 2, 4, 8, 16 or 32 lanes");

 public:
  thread_block_tile() = default;
  /// As thread_block_tile<32>, which does not say what it is a part of.
  template <class Whole, class = std::enable_if_t<std::is_void_v<Parent> && !std::is_void_v<Whole>>>
  thread_block_tile(const thread_block_tile<Size, Whole>&) {}

  unsigned thread_rank() const { return thread_block().thread_rank() % Size; }
  static constexpr unsigned num_threads() { return Size; }
  static constexpr unsigned size() { return Size; }
  unsigned meta_group_rank() const { return thread_block().thread_rank() / Size; }
  unsigned meta_group_size() const { return (thread_block().size() + Size - 1) / Size; }

  [[gnu::always_inline]] void sync(TILEWISE_SITE) const { __syncwarp(mask(), file, line); }
  template <class T>
  [[gnu::always_inline]] T shfl(T value, int source, TILEWISE_SITE) const {
    return __shfl_sync(mask(), value, source, Size, file, line);
  }
  template <class T>
  [[gnu::always_inline]] T shfl_up(T value, unsigned delta, TILEWISE_SITE) const {
    return __shfl_up_sync(mask(), value, delta, Size, file, line);
  }
  template <class T>
  [[gnu::always_inline]] T shfl_down(T value, unsigned delta, TILEWISE_SITE) const {
    return __shfl_down_sync(mask(), value, delta, Size, file, line);
  }
  template <class T>
  [[gnu::always_inline]] T shfl_xor(T value, unsigned lane_mask, TILEWISE_SITE) const {
    return __shfl_xor_sync(mask(), value, static_cast<int>(lane_mask), Size, file, line);
  }
  [[gnu::always_inline]] int any(int predicate, TILEWISE_SITE) const {
    return __any_sync(mask(), predicate, file, line);
  }
  [[gnu::always_inline]] int all(int predicate, TILEWISE_SITE) const {
    return __all_sync(mask(), predicate, file, line);
  }
  [[gnu::always_inline]] unsigned ballot(int predicate, TILEWISE_SITE) const {
    return (__ballot_sync(mask(), predicate, file, line) & mask()) >> first_lane();
  }

 private:
  unsigned first_lane() const { return thread_block().thread_rank() % 32 / Size * Size; }
  unsigned mask() const { return (0xffffffffu >> (32 - Size)) << first_lane(); }
};

template <unsigned Size, class Parent>
thread_block_tile<Size, Parent> tiled_partition(const Parent&) {
  return {};
}

/// A block or a tile of a warp, for functions that take either.
class thread_group {
 public:
  thread_group(const thread_block&) {}
  template <unsigned Size, class Parent>
  thread_group(const thread_block_tile<Size, Parent>&) : lanes_(Size) {}

  [[gnu::always_inline]] void sync(TILEWISE_SITE) const {
    lanes_ == 0 ? __syncthreads(file, line) : __syncwarp(mask(), file, line);
  }
  unsigned num_threads() const { return lanes_ == 0 ? thread_block().size() : lanes_; }
  unsigned size() const { return num_threads(); }
  unsigned thread_rank() const { return thread_block().thread_rank() % num_threads(); }

 private:
  unsigned mask() const {
    return (0xffffffffu >> (32 - lanes_)) << thread_block().thread_rank() % 32 / lanes_ * lanes_;
  }

  unsigned lanes_ = 0;  ///< of a tile
};

template <class Group>
[[gnu::always_inline]] inline void sync(const Group& group, TILEWISE_SITE) {
  group.sync(file, line);
}

}  // namespace cooperative_groups
