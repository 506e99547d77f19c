#pragma once

#include <stddef.h>

#include <type_traits>

// The rewriter adds these to the declarations of `__device__` and `__constant__` variables, so that
// the checked build finds them (common/simt/runtime/module_variables.hpp). They are macros, because
// nothing else can produce attributes and composed names.

namespace tilewise::simt {

namespace of_kernel_files {  // launch.hpp

/// The layout of a variable.
struct VariableShape {
  size_t element_bytes;
  size_t row_elements;  ///< of a matrix; otherwise 0
  size_t is_array;      ///< 1 or 0
};

}  // namespace of_kernel_files

using of_kernel_files::VariableShape;

template <class T>
constexpr VariableShape shape_of() {
  using Variable = std::remove_reference_t<T>;
  constexpr size_t rank = std::rank_v<Variable>;
  return {sizeof(std::remove_all_extents_t<Variable>),
          rank > 1 ? std::extent_v<Variable, (rank > 1 ? rank - 1 : 0)> : 0, rank > 0};
}

}  // namespace tilewise::simt

/// Gives a variable a page of its own, and keeps it even if nobody reads it: threads that write to
/// it can race.
#define TILEWISE_DEVICE_VARIABLE __attribute__((__aligned__(4096), __used__))

/// For one declaration of several variables, between which no gap can be put; a variable seldom
/// fills its 64 KiB to the last byte.
#define TILEWISE_DEVICE_VARIABLES __attribute__((__aligned__(65536), __used__))

/// Keeps everything else away from a variable. One gap lies among variables that start as zeros,
/// one among those that have values.
#define TILEWISE_GAP(id)                                                            \
  static char tilewise_gap_##id[4096] __attribute__((__aligned__(4096), __used__)); \
  static char tilewise_gap_among_values_##id[4096]                                  \
      __attribute__((__aligned__(4096), __used__)) = {1};

#define TILEWISE_SHAPE(variable, name, id)                                          \
  static constexpr ::tilewise::simt::VariableShape tilewise_shape_##id##_of_##name  \
      __attribute__((__used__)) = ::tilewise::simt::shape_of<decltype(variable)>(); \
  TILEWISE_GAP(id)

/// Lists what the file declares: "device counter;constant weights;shared As;".
#define TILEWISE_VARIABLES(names)                                           \
  static const char tilewise_variables[] __attribute__((__used__)) = names; \
  TILEWISE_GAP(0)
