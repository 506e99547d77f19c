/// Reductions over lanes of a warp, and over tiles of several warps: every thread gets the result.
#pragma once

#include "../cooperative_groups.h"

namespace cooperative_groups {

template <class T = void>
struct plus {
  T operator()(T a, T b) const { return a + b; }
};
template <class T = void>
struct less {  ///< the lesser of two
  T operator()(T a, T b) const { return b < a ? b : a; }
};
template <class T = void>
struct greater {
  T operator()(T a, T b) const { return a < b ? b : a; }
};
template <class T = void>
struct bit_and {
  T operator()(T a, T b) const { return a & b; }
};
template <class T = void>
struct bit_or {
  T operator()(T a, T b) const { return a | b; }
};
template <class T = void>
struct bit_xor {
  T operator()(T a, T b) const { return a ^ b; }
};

template <unsigned Size, class Parent, class T, class Operation>
[[gnu::always_inline]] inline T reduce(const thread_block_tile<Size, Parent>& tile, T value,
                                       Operation operation, TILEWISE_SITE) {
  if constexpr (Size > 32) {
    return tile.reduced(value, operation, file, line);
  } else {
    for (unsigned lanes = Size / 2; lanes > 0; lanes /= 2) {
      value = operation(value, tile.shfl_xor(value, lanes, file, line));
    }
    return value;
  }
}

template <class T, class Operation>
[[gnu::always_inline]] inline T reduce(const coalesced_group& group, T value, Operation operation,
                                       TILEWISE_SITE) {
  const unsigned rank = group.thread_rank(), size = group.size();
  for (unsigned distance = 1; distance < size; distance *= 2) {
    const T other = group.shfl_down(value, distance, file, line);
    if (rank + distance < size) value = operation(value, other);
  }
  return group.shfl(value, 0, file, line);
}

}  // namespace cooperative_groups
