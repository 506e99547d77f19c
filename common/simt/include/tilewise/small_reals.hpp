#pragma once

#include "../cuda_runtime.h"

// How numbers of 16 bits are rounded. Sums, differences, products, quotients and roots of them are
// right if they are computed as float and rounded once more (Figueroa, "When is double rounding
// innocuous?", 1995). Everything else is computed as a double whose last bit shows whether anything
// was cut off.

namespace tilewise::simt {

/// IEEE 754's binary16.
struct HalfFormat {
  static unsigned short nearest(float value) {
    const unsigned bits = __builtin_bit_cast(unsigned, value), sign = bits >> 16 & 0x8000;
    const unsigned size = bits & 0x7fffffff;
    constexpr unsigned infinity = 0x7f800000, overflow = 0x477ff000, normal = 0x38800000;
    if (size > infinity) return 0x7fff;
    if (size >= overflow) return static_cast<unsigned short>(sign | 0x7c00);
    if (size < normal) {
      // The last bit of 0.5f is worth as much as that of the smallest numbers.
      const float shifted = __builtin_bit_cast(float, size) + 0.5f;
      return static_cast<unsigned short>(sign | (__builtin_bit_cast(unsigned, shifted) & 0xfff));
    }
    constexpr unsigned other_bias = 112u << 23;
    return static_cast<unsigned short>(sign | (size - other_bias + 0xfff + (size >> 13 & 1)) >> 13);
  }
  static float value(unsigned short half) {
    constexpr unsigned exponents = 0x1fu << 23, other_bias = 112u << 23;
    unsigned bits = (half & 0x7fffu) << 13;
    const unsigned exponent = bits & exponents;
    bits += other_bias;
    if (exponent == exponents) bits += other_bias;
    if (exponent == 0) {
      const float size = __builtin_bit_cast(float, bits + (1u << 23)) - 0x1p-14f;
      bits = __builtin_bit_cast(unsigned, size);
    }
    return __builtin_bit_cast(float, bits | (half & 0x8000u) << 16);
  }
};

/// The upper half of a float.
struct Bfloat16Format {
  static unsigned short nearest(float value) {
    const unsigned bits = __builtin_bit_cast(unsigned, value);
    if ((bits & 0x7fffffff) > 0x7f800000) return 0x7fff;
    return static_cast<unsigned short>((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
  }
  static float value(unsigned short upper) {
    return __builtin_bit_cast(float, static_cast<unsigned>(upper) << 16);
  }
};

/// Rounds to zero, but sets the last bit if anything was cut off, so that rounding the result once
/// more gives what a single rounding would give.
inline float keeping_remainder(double value) {
  const float cut = cut_to<float, double>(value);
  if (cut != cut || static_cast<double>(cut) == value) return cut;
  return __builtin_bit_cast(float, __builtin_bit_cast(unsigned, cut) | 1u);
}

/// Returns product + z with the remainder kept in the same way. The product is exact.
inline double sum_keeping_remainder(double product, double z) {
  const double sum = product + z;
  if (!(fabs(sum) <= 0x1p1023)) return sum;
  const double part = sum - product;
  const double rest = (product - (sum - part)) + (z - part);
  if (rest == 0) return sum;
  auto bits = __builtin_bit_cast(uint64_t, sum);
  // The odd neighbour on the side of the remainder.
  if ((bits & 1) == 0) bits += (rest < 0) == (sum < 0) ? 1 : -1;
  return __builtin_bit_cast(double, bits);
}

template <class Format>
unsigned short nearest(double value) {
  return Format::nearest(keeping_remainder(value));
}

/// The bits of the next smaller number.
inline unsigned short step_down(unsigned short bits) {
  if (bits == 0) return 0x8001;
  return static_cast<unsigned short>((bits & 0x8000) != 0 ? bits + 1 : bits - 1);
}
template <class Format>
unsigned short rounded_down(double value) {
  const unsigned short near = nearest<Format>(value);
  return static_cast<double>(Format::value(near)) > value ? step_down(near) : near;
}
template <class Format>
unsigned short rounded_up(double value) {
  const unsigned short mirrored = rounded_down<Format>(-value);
  return value != value ? mirrored : static_cast<unsigned short>(mirrored ^ 0x8000);
}
template <class Format>
unsigned short rounded_to_zero(double value) {
  return value < 0 ? rounded_up<Format>(value) : rounded_down<Format>(value);
}

}  // namespace tilewise::simt
