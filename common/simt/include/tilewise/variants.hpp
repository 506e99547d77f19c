/// \file
/// Included in front of a kernel file that was rewritten to hold many variants of itself
/// (grading/repair). One compilation serves them all, and a call runs the variant that was chosen.
#pragma once

#include <stdio.h>

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "../cuda_runtime.h"

extern "C" {

/// The number of the variant that runs, from 1; 0 is the file as it was handed in. Below 0 it is
/// that file, too, and prints the blocks of statements that it enters. The worker sets the number
/// before each call.
[[gnu::weak, gnu::visibility("default")]] std::int32_t tilewise_variant = 0;

/// The same for kernels. It is constant, because reading a constant is no access that is checked.
extern const std::int32_t tilewise_chosen_variant [[gnu::weak, gnu::alias("tilewise_variant")]];
}

namespace tilewise::simt {

/// Whether U, as a parameter U&& has it, is an object of a class T.
template <class T, class U>
inline constexpr bool is_object_of =
    std::conjunction_v<std::is_class<T>, std::is_lvalue_reference<U>,
                       std::is_same<T, std::remove_cv_t<std::remove_reference_t<U>>>>;

/// What as() returns: an object of a class is handed on by reference. A copy would take long, would
/// read what nobody has stored, and functions that change their argument would change the copy.
template <class T, class U>
using As = std::conditional_t<
    is_object_of<T, U>, U,
    std::conditional_t<std::is_class_v<T> && !std::is_convertible_v<U, T>, T&, T>>;

/// Converts a value to another's type. If it cannot be converted, which a source's text does not
/// show, any value will do, because that variant comes to nothing.
template <class Other, class U>
[[gnu::always_inline]] inline As<std::decay_t<Other>, U> as(U&& value) {
  using T = std::decay_t<Other>;
  if constexpr (is_object_of<T, U>) {
    return value;
  } else if constexpr (std::is_convertible_v<U, T>) {
    return static_cast<T>(value);
  } else if constexpr (std::is_pointer_v<T> && std::is_pointer_v<std::decay_t<U>>) {
    return (T)value;
  } else if constexpr (std::is_class_v<T>) {
    static T any{};
    return any;
  } else {
    return T{};
  }
}

/// Prints that a block was entered, once for each negative number of a variant. Threads may print
/// it twice, which does no harm.
[[gnu::noinline, gnu::no_sanitize_thread]] inline void print_entered(std::size_t block) {
  constexpr std::size_t most_blocks = 4096;
  static std::int32_t printed_for[most_blocks];
  if (block >= most_blocks || printed_for[block] == tilewise_chosen_variant) return;
  printed_for[block] = tilewise_chosen_variant;
  dprintf(1, "\036%d %zu\n", static_cast<int>(tilewise_chosen_variant), block);
}

/// Stands at the beginning of each block of statements.
[[gnu::always_inline]] inline void enter(std::size_t block) {
  if (tilewise_chosen_variant < 0) print_entered(block);
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
