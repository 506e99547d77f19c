/// Running sums over lanes of a warp, by rank.
#pragma once

#include <limits>

#include "reduce.h"

namespace cooperative_groups {

namespace details {

/// The result of an exclusive scan in the first lane.
template <class T, class Operation>
T identity_of(const Operation&) {
  return T{};
}
template <class T>
T identity_of(const less<T>&) {
  constexpr T largest = std::numeric_limits<T>::max();
  return largest;
}
template <class T>
T identity_of(const greater<T>&) {
  constexpr T lowest = std::numeric_limits<T>::lowest();
  return lowest;
}
template <class T>
T identity_of(const bit_and<T>&) {
  return static_cast<T>(~T{});
}

}  // namespace details

template <class Group, class T, class Operation>
[[gnu::always_inline]] inline T inclusive_scan(const Group& group, T value, Operation operation,
                                               TILEWISE_SITE) {
  const unsigned rank = group.thread_rank(), size = group.size();
  for (unsigned distance = 1; distance < size; distance *= 2) {
    const T before = group.shfl_up(value, distance, file, line);
    if (rank >= distance) value = operation(before, value);
  }
  return value;
}

template <class Group, class T, class Operation>
[[gnu::always_inline]] inline T exclusive_scan(const Group& group, T value, Operation operation,
                                               TILEWISE_SITE) {
  const T inclusive = inclusive_scan(group, value, operation, file, line);
  const T before = group.shfl_up(inclusive, 1, file, line);
  return group.thread_rank() == 0 ? details::identity_of<T>(operation) : before;
}

template <class Group, class T>
[[gnu::always_inline]] inline T inclusive_scan(const Group& group, T value, TILEWISE_SITE) {
  return inclusive_scan(group, value, plus<T>(), file, line);
}
template <class Group, class T>
[[gnu::always_inline]] inline T exclusive_scan(const Group& group, T value, TILEWISE_SITE) {
  return exclusive_scan(group, value, plus<T>(), file, line);
}

}  // namespace cooperative_groups
