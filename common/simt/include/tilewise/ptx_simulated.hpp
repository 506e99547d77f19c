/// The simulator's part of labs/include/tilewise/ptx.hpp, which documents each of these functions.
#pragma once

#include "../cuda_fp16.h"
#include "copies_on_their_way.hpp"
#include "warp_matrices.hpp"

namespace tilewise::ptx {

template <int bytes>
[[gnu::always_inline]] inline void cp_async(void* shared, const void* global,
                                            int bytes_read = bytes) {
  static_assert(bytes == 4 || bytes == 8 || bytes == 16, "cp.async copies 4, 8 or 16 bytes");
  simt::begin_copy(shared, global, bytes, static_cast<size_t>(bytes - bytes_read));
}

[[gnu::always_inline]] inline void cp_async_commit() { simt::commit_copies(); }

template <int groups>
[[gnu::always_inline]] inline void cp_async_wait() {
  simt::wait_for_copies(groups);
}

namespace simulated {

/// 16 bytes that one load reads.
struct alignas(16) Row {
  uint32_t words[4];
};

template <int matrices>
[[gnu::always_inline]] inline void ldmatrix(unsigned (&r)[matrices], const void* row,
                                            bool transposed, simt::Site site) {
  simt::RowsPart part{{}, r, matrices, transposed};
  if (simt::lane_index() < 8 * matrices) {
    const Row read = *static_cast<const Row*>(row);
    for (int i = 0; i < 4; ++i) part.row[i] = read.words[i];
  }
  simt::hand_rows_round("ldmatrix", part, site);
}

template <class Number, int count>
struct Numbers {
  Number at[count];
};

template <int registers>
Numbers<float, 2 * registers> halves(const unsigned (&packed)[registers]) {
  Numbers<float, 2 * registers> all;
  for (int i = 0; i < registers; ++i) {
    all.at[2 * i] = __half2float(__ushort_as_half(static_cast<unsigned short>(packed[i])));
    all.at[2 * i + 1] =
        __half2float(__ushort_as_half(static_cast<unsigned short>(packed[i] >> 16)));
  }
  return all;
}

/// The part of a float that a tensor core reads: its upper 19 bits.
template <int registers>
Numbers<float, registers> of_tf32(const unsigned (&bits)[registers]) {
  Numbers<float, registers> all;
  for (int i = 0; i < registers; ++i) all.at[i] = __uint_as_float(bits[i] & ~0x1fffu);
  return all;
}

}  // namespace simulated

[[gnu::always_inline]] inline void ldmatrix_x4(unsigned (&r)[4], const void* row, TILEWISE_SITE) {
  simulated::ldmatrix(r, row, false, {file, line});
}
[[gnu::always_inline]] inline void ldmatrix_x4_trans(unsigned (&r)[4], const void* row,
                                                     TILEWISE_SITE) {
  simulated::ldmatrix(r, row, true, {file, line});
}
[[gnu::always_inline]] inline void ldmatrix_x2(unsigned (&r)[2], const void* row, TILEWISE_SITE) {
  simulated::ldmatrix(r, row, false, {file, line});
}
[[gnu::always_inline]] inline void ldmatrix_x2_trans(unsigned (&r)[2], const void* row,
                                                     TILEWISE_SITE) {
  simulated::ldmatrix(r, row, true, {file, line});
}

[[gnu::always_inline]] inline void mma_m16n8k16(float (&d)[4], const unsigned (&a)[4],
                                                const unsigned (&b)[2], TILEWISE_SITE) {
  const auto of_a = simulated::halves(a);
  const auto of_b = simulated::halves(b);
  simt::multiply_by_warp("mma.sync",
                         {simt::ProductPart::Numbers::half, 16, 8, 16, 2, of_a.at, of_b.at, d, d},
                         {file, line});
}

inline unsigned to_tf32(float value) {
  const unsigned bits = __float_as_uint(value);
  const bool is_finite = (bits & 0x7f800000u) != 0x7f800000u;
  return (is_finite ? bits + 0x1000u : bits) & ~0x1fffu;
}

[[gnu::always_inline]] inline void mma_m16n8k8_tf32(float (&d)[4], const unsigned (&a)[4],
                                                    const unsigned (&b)[2], TILEWISE_SITE) {
  const auto of_a = simulated::of_tf32(a);
  const auto of_b = simulated::of_tf32(b);
  simt::multiply_by_warp("mma.sync",
                         {simt::ProductPart::Numbers::tf32, 16, 8, 8, 1, of_a.at, of_b.at, d, d},
                         {file, line});
}

[[gnu::always_inline]] inline void mma_m8n8k4_f64(double (&d)[2], double a, double b,
                                                  TILEWISE_SITE) {
  simt::multiply_by_warp("mma.sync",
                         {simt::ProductPart::Numbers::double_real, 8, 8, 4, 1, &a, &b, d, d},
                         {file, line});
}

[[gnu::always_inline]] inline void mma_m16n8k4_f64(double (&d)[4], const double (&a)[2], double b,
                                                   TILEWISE_SITE) {
  simt::multiply_by_warp("mma.sync",
                         {simt::ProductPart::Numbers::double_real, 16, 8, 4, 1, a, &b, d, d},
                         {file, line});
}

[[gnu::always_inline]] inline void mma_m16n8k8_f64(double (&d)[4], const double (&a)[4],
                                                   const double (&b)[2], TILEWISE_SITE) {
  simt::multiply_by_warp(
      "mma.sync", {simt::ProductPart::Numbers::double_real, 16, 8, 8, 1, a, b, d, d}, {file, line});
}

[[gnu::always_inline]] inline void mma_m16n8k16_f64(double (&d)[4], const double (&a)[8],
                                                    const double (&b)[4], TILEWISE_SITE) {
  simt::multiply_by_warp("mma.sync",
                         {simt::ProductPart::Numbers::double_real, 16, 8, 16, 1, a, b, d, d},
                         {file, line});
}

}  // namespace tilewise::ptx
