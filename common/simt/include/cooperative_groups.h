/// Cooperative groups: the block, tiles of a warp, lanes that arrived together, and the grid of a
/// cooperative launch. Clusters of blocks are a compile error.
#pragma once

#include <type_traits>

#include "cuda_runtime.h"

namespace cooperative_groups {

namespace details {

inline unsigned rank_in_block() {
  return (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
}
inline unsigned block_threads() { return blockDim.x * blockDim.y * blockDim.z; }
inline unsigned lane() { return rank_in_block() % 32; }

/// Returns another lane's value of any size, moved word by word.
template <class T>
[[gnu::always_inline]] inline T from_lane(unsigned mask, T value, int lane, const char* file,
                                          int line) {
  static_assert(std::is_trivially_copyable_v<T>, "shuffles move bytes");
  if constexpr (tilewise::simt::can_be_shuffled<T>) {
    return __shfl_sync(mask, value, lane, 32, file, line);
  } else {
    unsigned words[(sizeof(T) + 3) / 4] = {};
    __builtin_memcpy(words, &value, sizeof value);
    for (unsigned& word : words) word = __shfl_sync(mask, word, lane, 32, file, line);
    __builtin_memcpy(&value, words, sizeof value);
    return value;
  }
}

/// The functions that all groups of lanes of one warp share. They work on the lanes' mask, which
/// Group provides.
template <class Group>
class Lanes {
 public:
  [[gnu::always_inline]] void sync(TILEWISE_SITE) const { __syncwarp(mask(), file, line); }
  template <class T>
  [[gnu::always_inline]] T shfl(T value, int source, TILEWISE_SITE) const {
    return from_lane(mask(), value, lane_of(static_cast<unsigned>(source) % size()), file, line);
  }
  template <class T>
  [[gnu::always_inline]] T shfl_up(T value, unsigned delta, TILEWISE_SITE) const {
    const unsigned rank = group().thread_rank();
    return from_lane(mask(), value, lane_of(rank >= delta ? rank - delta : rank), file, line);
  }
  template <class T>
  [[gnu::always_inline]] T shfl_down(T value, unsigned delta, TILEWISE_SITE) const {
    const unsigned rank = group().thread_rank();
    return from_lane(mask(), value, lane_of(rank + delta < size() ? rank + delta : rank), file,
                     line);
  }
  [[gnu::always_inline]] int any(int predicate, TILEWISE_SITE) const {
    return __any_sync(mask(), predicate, file, line);
  }
  [[gnu::always_inline]] int all(int predicate, TILEWISE_SITE) const {
    return __all_sync(mask(), predicate, file, line);
  }
  [[gnu::always_inline]] unsigned ballot(int predicate, TILEWISE_SITE) const {
    return packed(__ballot_sync(mask(), predicate, file, line));
  }
  template <class T>
  [[gnu::always_inline]] unsigned match_any(T value, TILEWISE_SITE) const {
    return packed(__match_any_sync(mask(), value, file, line));
  }
  template <class T>
  [[gnu::always_inline]] unsigned match_all(T value, int& same, TILEWISE_SITE) const {
    return packed(__match_all_sync(mask(), value, &same, file, line));
  }

  /// The group's lanes of the warp.
  unsigned mask() const { return group().lanes_of_warp(); }

 private:
  const Group& group() const { return static_cast<const Group&>(*this); }
  unsigned size() const { return group().num_threads(); }
  int lane_of(unsigned rank) const {
    return static_cast<int>(__fns(mask(), 0, static_cast<int>(rank) + 1));
  }
  /// The bits of the group's lanes, moved side by side.
  unsigned packed(unsigned lanes) const {
    unsigned bits = 0;
    for (unsigned rank = 0; rank < size(); ++rank) bits |= (lanes >> lane_of(rank) & 1u) << rank;
    return bits;
  }
};

}  // namespace details

class thread_block {
 public:
  [[gnu::always_inline]] static void sync(TILEWISE_SITE) { __syncthreads(file, line); }

  static unsigned thread_rank() { return details::rank_in_block(); }
  static unsigned num_threads() { return details::block_threads(); }
  static unsigned size() { return num_threads(); }
  static dim3 group_index() { return {blockIdx.x, blockIdx.y, blockIdx.z}; }
  static dim3 block_index() { return group_index(); }
  static dim3 thread_index() { return {threadIdx.x, threadIdx.y, threadIdx.z}; }
  static dim3 dim_threads() { return {blockDim.x, blockDim.y, blockDim.z}; }
  static dim3 group_dim() { return dim_threads(); }
};

inline thread_block this_thread_block() { return {}; }

/// All blocks of a launch. They can wait for each other if cudaLaunchCooperativeKernel started
/// them.
class grid_group {
 public:
  static bool is_valid() { return tilewise::simt::launch_is_cooperative(); }
  [[gnu::always_inline]] static void sync(TILEWISE_SITE) {
    __threadfence();
    __syncthreads(file, line);
    if (details::rank_in_block() == 0) {
      tilewise::simt::follow(tilewise::simt::arrive_at_grid_barrier({file, line}));
    }
    __syncthreads(file, line);
  }

  static unsigned long long block_rank() {
    return (blockIdx.z * static_cast<unsigned long long>(gridDim.y) + blockIdx.y) * gridDim.x +
           blockIdx.x;
  }
  static unsigned long long num_blocks() {
    return static_cast<unsigned long long>(gridDim.x) * gridDim.y * gridDim.z;
  }
  static unsigned long long num_threads() { return num_blocks() * thread_block::size(); }
  static unsigned long long size() { return num_threads(); }
  static unsigned long long thread_rank() {
    return block_rank() * thread_block::size() + thread_block::thread_rank();
  }
  static dim3 group_dim() { return {gridDim.x, gridDim.y, gridDim.z}; }
  static dim3 dim_blocks() { return group_dim(); }
  static dim3 block_index() { return {blockIdx.x, blockIdx.y, blockIdx.z}; }
};

inline grid_group this_grid() { return {}; }

/// `Size` neighbouring lanes of a warp, a power of two.
template <unsigned Size, class Parent = void>
class thread_block_tile : public details::Lanes<thread_block_tile<Size, Parent>> {
  static_assert(Size >= 1 && Size <= 32 && (Size & (Size - 1)) == 0,
                "a tile has 1, 2, 4, ... or 1024 threads");

 public:
  thread_block_tile() = default;
  /// Converts to a tile that does not say what it is a part of, such as thread_block_tile<32>.
  template <class Whole, class = std::enable_if_t<std::is_void_v<Parent> && !std::is_void_v<Whole>>>
  thread_block_tile(const thread_block_tile<Size, Whole>&) {}

  static unsigned thread_rank() { return details::rank_in_block() % Size; }
  static constexpr unsigned num_threads() { return Size; }
  static constexpr unsigned size() { return Size; }
  static unsigned meta_group_rank() { return details::rank_in_block() / Size; }
  static unsigned meta_group_size() { return (details::block_threads() + Size - 1) / Size; }
  static unsigned lanes_of_warp() { return (0xffffffffu >> (32 - Size)) << first_lane(); }

  // Numbers that CUDA shuffles take one operation; everything else is shuffled word by word.
  template <class T>
  [[gnu::always_inline]] T shfl(T value, int source, TILEWISE_SITE) const {
    return details::from_lane(lanes_of_warp(), value,
                              static_cast<int>(first_lane()) + (source & int(Size - 1)), file,
                              line);
  }
  template <class T>
  [[gnu::always_inline]] T shfl_up(T value, unsigned delta, TILEWISE_SITE) const {
    const unsigned rank = thread_rank();
    return details::from_lane(lanes_of_warp(), value, lane_of(rank < delta ? rank : rank - delta),
                              file, line);
  }
  template <class T>
  [[gnu::always_inline]] T shfl_down(T value, unsigned delta, TILEWISE_SITE) const {
    const unsigned rank = thread_rank();
    return details::from_lane(lanes_of_warp(), value,
                              lane_of(rank + delta >= Size ? rank : rank + delta), file, line);
  }
  template <class T>
  [[gnu::always_inline]] T shfl_xor(T value, unsigned lane_mask, TILEWISE_SITE) const {
    const unsigned rank = thread_rank() ^ lane_mask;
    return details::from_lane(lanes_of_warp(), value, lane_of(rank < Size ? rank : thread_rank()),
                              file, line);
  }
  [[gnu::always_inline]] unsigned ballot(int predicate, TILEWISE_SITE) const {
    const unsigned lanes = __ballot_sync(lanes_of_warp(), predicate, file, line);
    return (lanes & lanes_of_warp()) >> first_lane();
  }

 private:
  static unsigned first_lane() { return details::lane() / Size * Size; }
  static int lane_of(unsigned rank) { return static_cast<int>(first_lane() + rank); }
};

/// Lanes of a warp that came to one place together, or with the same label.
class coalesced_group : public details::Lanes<coalesced_group> {
 public:
  explicit coalesced_group(unsigned lanes, unsigned rank = 0, unsigned groups = 1)
      : lanes_(lanes), meta_rank_(rank), meta_size_(groups) {}

  unsigned num_threads() const { return static_cast<unsigned>(__popc(lanes_)); }
  unsigned size() const { return num_threads(); }
  unsigned thread_rank() const {
    return static_cast<unsigned>(__popc(lanes_ & ((1u << details::lane()) - 1)));
  }
  unsigned meta_group_rank() const { return meta_rank_; }
  unsigned meta_group_size() const { return meta_size_; }
  unsigned lanes_of_warp() const { return lanes_; }

 private:
  unsigned lanes_, meta_rank_, meta_size_;
};

inline coalesced_group coalesced_threads() { return coalesced_group(__activemask()); }

template <unsigned Size, class Parent>
thread_block_tile<Size, Parent> tiled_partition(const Parent&) {
  return {};
}

/// A block, or lanes of a warp, for functions that take either.
class thread_group {
 public:
  thread_group(const thread_block&) {}
  template <class Group>
  thread_group(const details::Lanes<Group>& group) : lanes_(group.mask()) {}

  [[gnu::always_inline]] void sync(TILEWISE_SITE) const {
    lanes_ == 0 ? __syncthreads(file, line) : __syncwarp(lanes_, file, line);
  }
  unsigned num_threads() const {
    return lanes_ == 0 ? details::block_threads() : static_cast<unsigned>(__popc(lanes_));
  }
  unsigned size() const { return num_threads(); }
  unsigned thread_rank() const {
    return lanes_ == 0 ? details::rank_in_block()
                       : static_cast<unsigned>(__popc(lanes_ & ((1u << details::lane()) - 1)));
  }
  /// The lanes of the warp; 0 stands for the block.
  unsigned mask() const { return lanes_; }

 private:
  unsigned lanes_ = 0;
};

/// Makes tiles whose size is only known when the kernel runs.
inline thread_group tiled_partition(const thread_group& parent, unsigned size) {
  const unsigned first =
      parent.mask() == 0 ? details::lane() / size * size : parent.thread_rank() / size * size;
  if (parent.mask() == 0) return coalesced_group((0xffffffffu >> (32 - size)) << first);
  unsigned lanes = 0;
  for (unsigned rank = first; rank < first + size && rank < parent.size(); ++rank) {
    lanes |= 1u << __fns(parent.mask(), 0, static_cast<int>(rank) + 1);
  }
  return coalesced_group(lanes);
}

/// Returns the threads of a group that come with the same label.
template <class Group, class Label>
[[gnu::always_inline]] inline coalesced_group labeled_partition(const Group& group, Label label,
                                                                TILEWISE_SITE) {
  const unsigned lanes = __match_any_sync(group.mask(), label, file, line);
  unsigned groups = 0, rank = 0;
  // Each new group is counted at its first lane.
  const unsigned firsts = __ballot_sync(
      group.mask(), details::lane() == __ffs(static_cast<int>(lanes)) - 1u, file, line);
  groups = static_cast<unsigned>(__popc(firsts));
  rank = static_cast<unsigned>(__popc(firsts & ((lanes & (0u - lanes)) - 1)));
  return coalesced_group(lanes, rank, groups);
}
template <class Group>
[[gnu::always_inline]] inline coalesced_group binary_partition(const Group& group, bool label,
                                                               TILEWISE_SITE) {
  const unsigned truths = __ballot_sync(group.mask(), label, file, line);
  return coalesced_group(label ? truths & group.mask() : group.mask() & ~truths, label ? 0 : 1, 2);
}

/// Lets one thread of the group run a function; the others go on.
template <class Group, class Function, class... Arguments>
void invoke_one(const Group& group, Function&& function, Arguments&&... arguments) {
  if (group.thread_rank() == 0) function(static_cast<Arguments&&>(arguments)...);
}
/// The same, but all threads get its result.
template <class Group, class Function, class... Arguments>
auto invoke_one_broadcast(const Group& group, Function&& function, Arguments&&... arguments) {
  decltype(function(static_cast<Arguments&&>(arguments)...)) result{};
  if (group.thread_rank() == 0) result = function(static_cast<Arguments&&>(arguments)...);
  return group.shfl(result, 0);
}

template <class Group>
[[gnu::always_inline]] inline void sync(const Group& group, TILEWISE_SITE) {
  group.sync(file, line);
}

}  // namespace cooperative_groups

#include "tilewise/tiles_of_warps.hpp"
