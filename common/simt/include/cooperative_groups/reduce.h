/// Reductions over a tile of a warp: every lane gets the result.
#pragma once

#include "../cooperative_groups.h"

namespace cooperative_groups {

template <class T>
struct plus {
  T operator()(T a, T b) const { return a + b; }
};
template <class T>
struct less {  ///< the lesser of two
  T operator()(T a, T b) const { return b < a ? b : a; }
};
template <class T>
struct greater {
  T operator()(T a, T b) const { return a < b ? b : a; }
};

template <unsigned Size, class Parent, class T, class Operation>
[[gnu::always_inline]] inline T reduce(const thread_block_tile<Size, Parent>& tile, T value,
                                       Operation operation, TILEWISE_SITE) {
  for (unsigned lanes = Size / 2; lanes > 0; lanes /= 2) {
    value = operation(value, tile.shfl_xor(value, lanes, file, line));
  }
  return value;
}

}  // namespace cooperative_groups
