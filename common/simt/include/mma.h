/// Products of small matrices that a warp computes together (CUDA C++ Programming Guide, "Warp
/// Matrix Functions"): fragments of half, bfloat16, tf32, double and 8-bit integers. Programs may
/// not rely on which lane holds which element.
#pragma once

#include "cuda_bf16.h"
#include "cuda_fp16.h"
#include "tilewise/warp_matrices.hpp"

namespace nvcuda::wmma {

struct matrix_a {};
struct matrix_b {};
struct accumulator {};
struct row_major {};
struct col_major {};
enum layout_t { mem_row_major, mem_col_major };

namespace precision {
struct tf32 {};
}  // namespace precision

namespace details {

/// The types in which elements are stored and calculated with.
template <class T>
struct ElementOf {
  using Stored = T;
  using Calculated = float;
};
template <>
struct ElementOf<precision::tf32> {
  using Stored = float;
  using Calculated = float;
};
template <>
struct ElementOf<double> {
  using Stored = double;
  using Calculated = double;
};
template <class T>
struct WholeElement {
  using Stored = T;
  using Calculated = int;
};
template <>
struct ElementOf<signed char> : WholeElement<signed char> {};
template <>
struct ElementOf<unsigned char> : WholeElement<unsigned char> {};
template <>
struct ElementOf<int> : WholeElement<int> {};

inline unsigned lane() {
  return ((threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x) % 32;
}

template <class Use, int m, int n, int k>
constexpr int rows_of() {
  return std::is_same_v<Use, matrix_b> ? k : m;
}
template <class Use, int m, int n, int k>
constexpr int columns_of() {
  return std::is_same_v<Use, matrix_a> ? k : n;
}

/// The part of a number that a tensor core reads: for tf32, the upper 19 bits.
template <class T, class Stored>
typename ElementOf<T>::Calculated seen(Stored value) {
  if constexpr (std::is_same_v<T, precision::tf32>) {
    return __uint_as_float(__float_as_uint(value) & ~0x1fffu);
  } else {
    return static_cast<typename ElementOf<T>::Calculated>(value);
  }
}

template <class Fragment>
long place(int slot, unsigned leading, bool by_rows) {
  const int element = slot * 32 + static_cast<int>(lane());
  const int row = element / Fragment::columns, column = element % Fragment::columns;
  return by_rows ? static_cast<long>(row) * leading + column
                 : static_cast<long>(column) * leading + row;
}

}  // namespace details

template <class Use, int m, int n, int k, class T, class Layout = void>
struct fragment {
  static_assert(
      (m == 16 && n == 16 && (k == 16 || k == 8)) || (m == 32 && n == 8 && k == 16) ||
          (m == 8 && n == 32 && k == 16) || (m == 8 && n == 8 && k == 4),
      "wmma has the shapes 16x16x16, 32x8x16, 8x32x16, for tf32 16x16x8, for double 8x8x4");
  using element_type = T;
  using storage_element_type = typename details::ElementOf<T>::Stored;
  static constexpr int rows = details::rows_of<Use, m, n, k>();
  static constexpr int columns = details::columns_of<Use, m, n, k>();
  static constexpr int num_elements = rows * columns / 32;
  static constexpr int num_storage_elements = num_elements;

  storage_element_type x[num_elements];
};

template <class Use, int m, int n, int k, class T, class Layout>
void fill_fragment(fragment<Use, m, n, k, T, Layout>& filled,
                   typename tilewise::simt::Operand<
                       typename fragment<Use, m, n, k, T, Layout>::storage_element_type>
                       value) {
  for (auto& element : filled.x) element = value;
}

template <class Use, int m, int n, int k, class T, class Layout, class Memory>
[[gnu::always_inline]] inline void load_matrix_sync(fragment<Use, m, n, k, T, Layout>& loaded,
                                                    const Memory* from, unsigned leading,
                                                    TILEWISE_SITE) {
  static_assert(!std::is_void_v<Layout>, "say how an accumulator lies: mem_row_major");
  using Fragment = fragment<Use, m, n, k, T, Layout>;
  __syncwarp(0xffffffffu, file, line);
  for (int slot = 0; slot < Fragment::num_elements; ++slot) {
    loaded.x[slot] =
        from[details::place<Fragment>(slot, leading, std::is_same_v<Layout, row_major>)];
  }
}

template <int m, int n, int k, class T>
[[gnu::always_inline]] inline void load_matrix_sync(fragment<accumulator, m, n, k, T>& loaded,
                                                    const T* from, unsigned leading,
                                                    layout_t layout, TILEWISE_SITE) {
  using Fragment = fragment<accumulator, m, n, k, T>;
  __syncwarp(0xffffffffu, file, line);
  for (int slot = 0; slot < Fragment::num_elements; ++slot) {
    loaded.x[slot] = from[details::place<Fragment>(slot, leading, layout == mem_row_major)];
  }
}

template <int m, int n, int k, class T>
[[gnu::always_inline]] inline void store_matrix_sync(
    T* to, const fragment<accumulator, m, n, k, T>& stored, unsigned leading, layout_t layout,
    TILEWISE_SITE) {
  using Fragment = fragment<accumulator, m, n, k, T>;
  __syncwarp(0xffffffffu, file, line);
  for (int slot = 0; slot < Fragment::num_elements; ++slot) {
    to[details::place<Fragment>(slot, leading, layout == mem_row_major)] = stored.x[slot];
  }
}

/// D = A B + C; D may be C.
template <int m, int n, int k, class T, class LayoutA, class LayoutB, class D, class C>
[[gnu::always_inline]] inline void mma_sync(fragment<accumulator, m, n, k, D>& d,
                                            const fragment<matrix_a, m, n, k, T, LayoutA>& a,
                                            const fragment<matrix_b, m, n, k, T, LayoutB>& b,
                                            const fragment<accumulator, m, n, k, C>& c,
                                            bool saturates = false, TILEWISE_SITE) {
  static_cast<void>(saturates);
  using Number = typename details::ElementOf<T>::Calculated;
  using tilewise::simt::ProductPart;
  constexpr auto numbers = std::is_same_v<Number, double>       ? ProductPart::Numbers::double_real
                           : std::is_same_v<Number, int>        ? ProductPart::Numbers::whole
                           : std::is_same_v<T, precision::tf32> ? ProductPart::Numbers::tf32
                           : std::is_same_v<T, __nv_bfloat16>   ? ProductPart::Numbers::bfloat16
                                                                : ProductPart::Numbers::half;
  Number of_a[sizeof a.x / sizeof a.x[0]], of_b[sizeof b.x / sizeof b.x[0]];
  Number of_c[sizeof c.x / sizeof c.x[0]], of_d[sizeof d.x / sizeof d.x[0]];
  for (int i = 0; i < a.num_elements; ++i) of_a[i] = details::seen<T>(a.x[i]);
  for (int i = 0; i < b.num_elements; ++i) of_b[i] = details::seen<T>(b.x[i]);
  for (int i = 0; i < c.num_elements; ++i) of_c[i] = static_cast<Number>(c.x[i]);
  tilewise::simt::multiply_by_warp("mma_sync()", {numbers, m, n, k, 0, of_a, of_b, of_c, of_d},
                                   {file, line});
  for (int i = 0; i < d.num_elements; ++i) d.x[i] = static_cast<D>(of_d[i]);
}

/// Rounds to the nearest number with 10 fraction bits; ties go away from zero.
inline float __float_to_tf32(float value) {
  if (isnan(value) || isinf(value)) return value;
  return __uint_as_float((__float_as_uint(value) + 0x1000u) & ~0x1fffu);
}

}  // namespace nvcuda::wmma
