/// The functions with which the rewriter replaces inline PTX (common/simt/rewrite/assembly.cpp):
/// instructions and special registers of the PTX ISA for which CUDA C++ has no function.
#pragma once

#include "barriers.hpp"
#include "integer_intrinsics.hpp"
#include "intrinsics.hpp"
#include "launch.hpp"

namespace tilewise::simt::ptx_instructions {

/// The position of the highest bit that is set, from 0; all ones if none is set.
inline unsigned bfind(unsigned x) { return x == 0 ? ~0u : 31u - static_cast<unsigned>(__clz(x)); }

/// Extracts `length` bits of x from `position` on; position and length are 8 bits wide.
inline unsigned bfe(unsigned x, unsigned position, unsigned length) {
  position &= 255, length &= 255;
  if (position > 31 || length == 0) return 0;
  x >>= position;
  return length > 31 ? x : x & ((1u << length) - 1);
}

/// The same, filled up with the topmost of these bits, or with that of x if they reach beyond its
/// end.
inline int bfe_signed(int x, unsigned position, unsigned length) {
  position &= 255, length &= 255;
  if (length == 0) return 0;
  const unsigned top = position + length - 1 < 31 ? position + length - 1 : 31;
  const unsigned sign = static_cast<unsigned>(x) >> top & 1;
  const unsigned bits = bfe(static_cast<unsigned>(x), position, length);
  const unsigned known = position > 31 ? 0 : top - position + 1;
  if (known > 31 || sign == 0) return static_cast<int>(bits);
  return static_cast<int>(bits | ~0u << known);
}

/// Puts the lowest bits of x in the place of bits of y.
inline unsigned bfi(unsigned x, unsigned y, unsigned position, unsigned length) {
  position &= 255, length &= 255;
  if (position > 31 || length == 0) return y;
  const unsigned mask = (length > 31 ? ~0u : (1u << length) - 1) << position;
  return (y & ~mask) | (x << position & mask);
}

/// Each bit of the result is the bit of `table` whose number the three inputs' bits form.
inline unsigned lop3(unsigned a, unsigned b, unsigned c, unsigned table) {
  unsigned result = 0;
  for (unsigned i = 0; i < 8; ++i) {
    if ((table >> i & 1) == 0) continue;
    result |= (i & 4 ? a : ~a) & (i & 2 ? b : ~b) & (i & 1 ? c : ~c);
  }
  return result;
}

/// The sum of c and the differences of the four pairs of bytes, without their signs.
inline unsigned vabsdiff4_add(unsigned a, unsigned b, unsigned c) {
  for (int shift = 0; shift < 32; shift += 8) {
    const unsigned x = a >> shift & 255, y = b >> shift & 255;
    c += x > y ? x - y : y - x;
  }
  return c;
}

inline unsigned add(unsigned x, unsigned y) { return x + y; }
inline unsigned subtract(unsigned x, unsigned y) { return x - y; }
inline unsigned multiply(unsigned x, unsigned y) { return x * y; }
inline unsigned multiply_add(unsigned x, unsigned y, unsigned z) { return x * y + z; }
inline unsigned bits_and(unsigned x, unsigned y) { return x & y; }
inline unsigned bits_or(unsigned x, unsigned y) { return x | y; }
inline unsigned bits_xor(unsigned x, unsigned y) { return x ^ y; }

using ::__brev;
using ::__byte_perm;
using ::__clz;
using ::__fmaf_rn;
using ::__popc;
using ::__threadfence;
using ::__threadfence_block;
using ::__threadfence_system;
using ::__umulhi;

[[gnu::always_inline]] inline unsigned rank() {
  return (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
}
inline unsigned read_laneid() { return rank() % 32; }
inline unsigned read_warpid() { return rank() / 32; }
inline unsigned read_lanemask_eq() { return 1u << read_laneid(); }
inline unsigned read_lanemask_lt() { return read_lanemask_eq() - 1; }
inline unsigned read_lanemask_le() { return read_lanemask_lt() | read_lanemask_eq(); }
inline unsigned read_lanemask_gt() { return ~read_lanemask_le(); }
inline unsigned read_lanemask_ge() { return ~read_lanemask_lt(); }
inline unsigned read_tid_x() { return threadIdx.x; }
inline unsigned read_tid_y() { return threadIdx.y; }
inline unsigned read_tid_z() { return threadIdx.z; }
inline unsigned read_ntid_x() { return blockDim.x; }
inline unsigned read_ntid_y() { return blockDim.y; }
inline unsigned read_ntid_z() { return blockDim.z; }
inline unsigned read_ctaid_x() { return blockIdx.x; }
inline unsigned read_ctaid_y() { return blockIdx.y; }
inline unsigned read_ctaid_z() { return blockIdx.z; }
inline unsigned read_nctaid_x() { return gridDim.x; }
inline unsigned read_nctaid_y() { return gridDim.y; }
inline unsigned read_nctaid_z() { return gridDim.z; }
inline unsigned read_clock() { return static_cast<unsigned>(clock64()); }
inline unsigned long long read_clock64() { return static_cast<unsigned long long>(clock64()); }
inline unsigned long long read_globaltimer() { return read_clock64(); }

}  // namespace tilewise::simt::ptx_instructions
