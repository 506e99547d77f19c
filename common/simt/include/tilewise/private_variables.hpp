#pragma once

#include <stddef.h>

#include <type_traits>

namespace tilewise::simt {

/// A thread's private variable, as a kernel or a device function declares it.
struct PrivateVariable {
  const char* name;
  int line;
  size_t bytes;
  size_t element_bytes;  ///< `bytes` if it is no array
  size_t rank;           ///< of an array; otherwise 0
};

/// Notes that the variable has no value: a read before a store is reported.
/// @param number  belongs to the declaration, 0 at first: the run-time knows the declaration by it
void note_unset(void* variable, const PrivateVariable& declared, unsigned char& number);

/// From raise_fence() to lower_fence(), nobody may touch what lies around an array.
/// @param before, behind  fence_bytes each
void raise_fence(void* before, void* behind, const PrivateVariable& declared,
                 unsigned char& number);
void lower_fence(void* before, void* behind);

/// How far an index may be off and still be noticed: the rows of a small matrix.
inline constexpr size_t fence_bytes = 64;

namespace of_kernel_files {  // launch.hpp

template <class T>
constexpr PrivateVariable described(const char* name, int line) {
  return {name, line, sizeof(T), sizeof(std::remove_all_extents_t<T>), std::rank_v<T>};
}

/// The checked build's rewriter puts this behind a declaration without a value. The type of the
/// lambda that it passes distinguishes this declaration from all others.
template <class T, class Site>
[[gnu::always_inline]] inline void unset(T& variable, const char* name, int line, Site) {
  // A class with a constructor has the value that this gives it.
  if constexpr (std::is_trivially_default_constructible_v<std::remove_all_extents_t<T>>) {
    static unsigned char number = 0;
    note_unset(__builtin_addressof(variable), described<T>(name, line), number);
  }
}

struct Fence {
  char bytes[fence_bytes];
};

/// Keeps up the fences around an array while the object exists. `All` is a structure for one
/// declaration: fence, array, fence.
template <class All>
class Fenced {
 public:
  template <class T>
  [[gnu::always_inline]] Fenced(All& all, T& array, const char* name, int line, bool has_value)
      : all_(all) {
    static unsigned char number = 0;
    const PrivateVariable declared = described<T>(name, line);
    raise_fence(&all.tilewise_before, &all.tilewise_behind, declared, number);
    if constexpr (std::is_trivially_default_constructible_v<std::remove_all_extents_t<T>>) {
      if (!has_value) note_unset(__builtin_addressof(array), declared, number);
    }
  }
  [[gnu::always_inline]] ~Fenced() { lower_fence(&all_.tilewise_before, &all_.tilewise_behind); }
  Fenced(const Fenced&) = delete;
  Fenced& operator=(const Fenced&) = delete;

 private:
  All& all_;
};

}  // namespace of_kernel_files

using of_kernel_files::Fence;
using of_kernel_files::Fenced;
using of_kernel_files::unset;

}  // namespace tilewise::simt
