/// \file
/// Included in front of a kernel file that was rewritten to hold many variants of itself
/// (grading/repair). One compilation serves them all, and a call runs the variant that was chosen.
#pragma once

#include <cstdint>
#include <type_traits>

#include "../cuda_runtime.h"

extern "C" {

/// The number of the variant that runs, from 1; 0 is the file as it was handed in. The worker sets
/// it before each call.
[[gnu::weak, gnu::visibility("default")]] std::int32_t tilewise_variant = 0;

/// The same for kernels. It is constant, because reading a constant is no access that is checked.
extern const std::int32_t tilewise_chosen_variant [[gnu::weak, gnu::alias("tilewise_variant")]];
}

namespace tilewise::simt {

/// Converts a value to another's type. If it cannot be converted, which a source's text does not
/// show, any value will do, because that variant comes to nothing.
template <class Other, class U>
[[gnu::always_inline]] inline std::decay_t<Other> as(U&& value) {
  using T = std::decay_t<Other>;
  if constexpr (std::is_convertible_v<U, T>) {
    return static_cast<T>(value);
  } else if constexpr (std::is_pointer_v<T> && std::is_pointer_v<std::decay_t<U>>) {
    return (T)value;
  } else {
    return T{};
  }
}

/// Sets a number, or all numbers of an array, to 0.
template <class T>
[[gnu::always_inline]] inline void clear(T& value) {
  if constexpr (std::is_array_v<T>) {
    for (auto& each : value) clear(each);
  } else {
    value = T{};
  }
}

}  // namespace tilewise::simt
