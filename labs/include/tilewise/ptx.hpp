/// \file
/// Instructions of tensor cores and of asynchronous copies for which CUDA C++ has no function, by
/// the names that they have in PTX ("Parallel Thread Execution ISA"). nvcc makes the instructions
/// of them; on the simulator they do the same, and are checked and counted like all the rest.
///
/// Lanes: g = lane / 4 is a lane's group, t = lane % 4 its place in it. All 32 lanes of a warp must
/// make such a call of ldmatrix or mma together.
#pragma once

#include <cuda_runtime.h>

#ifdef TILEWISE_SITE  // only the simulator's cuda_runtime.h defines it
#include "tilewise/ptx_simulated.hpp"
#else

namespace tilewise::ptx {

/// An instruction of a card that is younger than the one the code is compiled for. Who calls it
/// should have asked the device's compute capability first: the kernel ends there.
[[noreturn]] __device__ inline void missing() {
  __trap();
  __builtin_unreachable();
}

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
#define TILEWISE_PTX(...) asm volatile(__VA_ARGS__)
#else
#define TILEWISE_PTX(...) ::tilewise::ptx::missing()
#endif

/// The address of something in shared memory as instructions of PTX take it.
__device__ inline unsigned shared_address(const void* in_shared) {
  return static_cast<unsigned>(__cvta_generic_to_shared(in_shared));
}

/// cp.async: begins a copy from global into shared memory, past the registers, and goes on. Both
/// addresses are multiples of its bytes. 16 bytes bypass L1.
/// \param bytes_read  how many come from global memory; the rest is filled with zeros
/// From compute capability 8.0 on.
template <int bytes>
__device__ inline void cp_async(void* shared, const void* global, int bytes_read = bytes) {
  static_assert(bytes == 4 || bytes == 8 || bytes == 16, "cp.async copies 4, 8 or 16 bytes");
  if constexpr (bytes == 16) {
    TILEWISE_PTX("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(shared_address(shared)),
                 "l"(global), "r"(bytes_read)
                 : "memory");
  } else {
    TILEWISE_PTX("cp.async.ca.shared.global [%0], [%1], %2, %3;" ::"r"(shared_address(shared)),
                 "l"(global), "n"(bytes), "r"(bytes_read)
                 : "memory");
  }
}

/// cp.async.commit_group: makes a group of the copies that this thread has begun since the last.
__device__ inline void cp_async_commit() { TILEWISE_PTX("cp.async.commit_group;" ::: "memory"); }

/// cp.async.wait_group: waits until at most so many of this thread's latest groups are still on
/// their way. What other threads copy is there after a barrier behind their wait.
template <int groups>
__device__ inline void cp_async_wait() {
  TILEWISE_PTX("cp.async.wait_group %0;" ::"n"(groups) : "memory");
}

/// ldmatrix: loads four matrices of 8 x 8 elements of 16 bits from shared memory. A lane gives the
/// address of a row of 16 bytes: lanes 0 to 7 those of the first matrix, 8 to 15 of the second, and
/// so on. It gets of matrix i in r[i] the elements (g, 2 t) and (g, 2 t + 1).
/// From compute capability 7.5 on.
__device__ inline void ldmatrix_x4(unsigned (&r)[4], const void* row) {
  TILEWISE_PTX("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
               : "r"(shared_address(row))
               : "memory");
}

/// The same, each matrix transposed: of matrix i the elements (2 t, g) and (2 t + 1, g).
__device__ inline void ldmatrix_x4_trans(unsigned (&r)[4], const void* row) {
  TILEWISE_PTX("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
               : "r"(shared_address(row))
               : "memory");
}

/// Two matrices, whose rows lanes 0 to 15 give.
__device__ inline void ldmatrix_x2(unsigned (&r)[2], const void* row) {
  TILEWISE_PTX("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0, %1}, [%2];"
               : "=r"(r[0]), "=r"(r[1])
               : "r"(shared_address(row))
               : "memory");
}
__device__ inline void ldmatrix_x2_trans(unsigned (&r)[2], const void* row) {
  TILEWISE_PTX("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0, %1}, [%2];"
               : "=r"(r[0]), "=r"(r[1])
               : "r"(shared_address(row))
               : "memory");
}

/// mma.sync: d += a b, of halves with sums in single precision. A: (16, 16), B: (16, 8),
/// D: (16, 8). Two halves lie in a register, the one with the smaller k in its lower part.
/// - a: (g, 2t..), (g + 8, 2t..), (g, 2t + 8..), (g + 8, 2t + 8..)
/// - b: (2t.., g), (2t + 8.., g)
/// - d: (g, 2t), (g, 2t + 1), (g + 8, 2t), (g + 8, 2t + 1)
/// From compute capability 8.0 on, as the next.
__device__ inline void mma_m16n8k16(float (&d)[4], const unsigned (&a)[4], const unsigned (&b)[2]) {
  TILEWISE_PTX(
      "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
      "{%8, %9}, {%0, %1, %2, %3};"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

/// A float as tensor cores take it: the nearest number of 10 fraction bits (cvt.rna.tf32.f32).
__device__ inline unsigned to_tf32(float value) {
  unsigned rounded = 0;
  TILEWISE_PTX("cvt.rna.tf32.f32 %0, %1;" : "=r"(rounded) : "f"(value));
  return rounded;
}

/// The same of tf32, A: (16, 8), B: (8, 8), D: (16, 8).
/// - a: (g, t), (g + 8, t), (g, t + 4), (g + 8, t + 4)
/// - b: (t, g), (t + 4, g)
/// - d: (g, 2t), (g, 2t + 1), (g + 8, 2t), (g + 8, 2t + 1)
__device__ inline void mma_m16n8k8_tf32(float (&d)[4], const unsigned (&a)[4],
                                        const unsigned (&b)[2]) {
  TILEWISE_PTX(
      "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
      "{%8, %9}, {%0, %1, %2, %3};"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

/// The same in double precision, A: (8, 4), B: (4, 8), D: (8, 8): a (g, t), b (t, g),
/// d (g, 2t), (g, 2t + 1).
__device__ inline void mma_m8n8k4_f64(double (&d)[2], double a, double b) {
  TILEWISE_PTX(
      "mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%0, %1};"
      : "+d"(d[0]), "+d"(d[1])
      : "d"(a), "d"(b));
}

/// In double precision, A: (16, 4), B: (4, 8), D: (16, 8): a (g, t), (g + 8, t), b (t, g),
/// d (g, 2t), (g, 2t + 1), (g + 8, 2t), (g + 8, 2t + 1). One instruction from compute capability 9.0
/// on, two before.
__device__ inline void mma_m16n8k4_f64(double (&d)[4], const double (&a)[2], double b) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  TILEWISE_PTX(
      "mma.sync.aligned.m16n8k4.row.col.f64.f64.f64.f64 {%0, %1, %2, %3}, {%4, %5}, {%6}, "
      "{%0, %1, %2, %3};"
      : "+d"(d[0]), "+d"(d[1]), "+d"(d[2]), "+d"(d[3])
      : "d"(a[0]), "d"(a[1]), "d"(b));
#else
  double upper[2] = {d[0], d[1]}, lower[2] = {d[2], d[3]};
  mma_m8n8k4_f64(upper, a[0], b);
  mma_m8n8k4_f64(lower, a[1], b);
  d[0] = upper[0], d[1] = upper[1], d[2] = lower[0], d[3] = lower[1];
#endif
}

/// The same, A: (16, 8), B: (8, 8), D: (16, 8); elements as those of tf32.
__device__ inline void mma_m16n8k8_f64(double (&d)[4], const double (&a)[4], const double (&b)[2]) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  TILEWISE_PTX(
      "mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
      "{%8, %9}, {%0, %1, %2, %3};"
      : "+d"(d[0]), "+d"(d[1]), "+d"(d[2]), "+d"(d[3])
      : "d"(a[0]), "d"(a[1]), "d"(a[2]), "d"(a[3]), "d"(b[0]), "d"(b[1]));
#else
  const double first_a[2] = {a[0], a[1]}, second_a[2] = {a[2], a[3]};
  mma_m16n8k4_f64(d, first_a, b[0]);
  mma_m16n8k4_f64(d, second_a, b[1]);
#endif
}

/// The same, A: (16, 16), B: (16, 8), D: (16, 8).
/// - a[2 i], a[2 i + 1]: (g, t + 4 i), (g + 8, t + 4 i)
/// - b[i]: (t + 4 i, g)
__device__ inline void mma_m16n8k16_f64(double (&d)[4], const double (&a)[8],
                                        const double (&b)[4]) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  TILEWISE_PTX(
      "mma.sync.aligned.m16n8k16.row.col.f64.f64.f64.f64 {%0, %1, %2, %3}, "
      "{%4, %5, %6, %7, %8, %9, %10, %11}, {%12, %13, %14, %15}, {%0, %1, %2, %3};"
      : "+d"(d[0]), "+d"(d[1]), "+d"(d[2]), "+d"(d[3])
      : "d"(a[0]), "d"(a[1]), "d"(a[2]), "d"(a[3]), "d"(a[4]), "d"(a[5]), "d"(a[6]), "d"(a[7]),
        "d"(b[0]), "d"(b[1]), "d"(b[2]), "d"(b[3]));
#else
  const double first_a[4] = {a[0], a[1], a[2], a[3]}, first_b[2] = {b[0], b[1]};
  const double second_a[4] = {a[4], a[5], a[6], a[7]}, second_b[2] = {b[2], b[3]};
  mma_m16n8k8_f64(d, first_a, first_b);
  mma_m16n8k8_f64(d, second_a, second_b);
#endif
}

#undef TILEWISE_PTX

}  // namespace tilewise::ptx

#endif
