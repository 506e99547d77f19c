#pragma once

#include <stdint.h>

// Functions on integers: bits, bytes, products, and fields of a 32-bit word.

inline unsigned long long __brevll(unsigned long long x) {
  unsigned long long reversed = 0;
  for (int bit = 0; bit < 64; ++bit) reversed |= (x >> bit & 1u) << (63 - bit);
  return reversed;
}

/// Picks four of the eight bytes of x and y. The low three bits of each half byte of `selector` are
/// a byte's number; its fourth bit selects the byte's sign instead.
inline unsigned __byte_perm(unsigned x, unsigned y, unsigned selector) {
  const uint64_t both = static_cast<uint64_t>(y) << 32 | x;
  unsigned permuted = 0;
  for (int i = 0; i < 4; ++i) {
    const unsigned choice = selector >> 4 * i & 15;
    unsigned byte = static_cast<unsigned>(both >> 8 * (choice & 7)) & 255;
    if ((choice & 8) != 0) byte = (byte & 128) != 0 ? 255 : 0;
    permuted |= byte << 8 * i;
  }
  return permuted;
}

// A shift to the left returns the high word of both, a shift to the right the low one. `c` clamps
// the distance at 32; otherwise it counts modulo 32.
inline unsigned __funnelshift_l(unsigned low, unsigned high, unsigned shift) {
  return static_cast<unsigned>((static_cast<uint64_t>(high) << 32 | low) << (shift & 31) >> 32);
}
inline unsigned __funnelshift_r(unsigned low, unsigned high, unsigned shift) {
  return static_cast<unsigned>((static_cast<uint64_t>(high) << 32 | low) >> (shift & 31));
}
inline unsigned __funnelshift_lc(unsigned low, unsigned high, unsigned shift) {
  return shift >= 32 ? low : __funnelshift_l(low, high, shift);
}
inline unsigned __funnelshift_rc(unsigned low, unsigned high, unsigned shift) {
  return shift >= 32 ? high : __funnelshift_r(low, high, shift);
}

namespace tilewise::simt {
__extension__ typedef __int128 WideInteger;
__extension__ typedef unsigned __int128 WideUnsigned;
}  // namespace tilewise::simt

inline long long __mul64hi(long long x, long long y) {
  return static_cast<long long>(static_cast<tilewise::simt::WideInteger>(x) * y >> 64);
}
inline unsigned long long __umul64hi(unsigned long long x, unsigned long long y) {
  return static_cast<unsigned long long>(static_cast<tilewise::simt::WideUnsigned>(x) * y >> 64);
}

// Averages, rounded down and up, and distances.
inline int __hadd(int x, int y) { return static_cast<int>((static_cast<int64_t>(x) + y) >> 1); }
inline int __rhadd(int x, int y) {
  return static_cast<int>((static_cast<int64_t>(x) + y + 1) >> 1);
}
inline unsigned __uhadd(unsigned x, unsigned y) {
  return static_cast<unsigned>((static_cast<uint64_t>(x) + y) >> 1);
}
inline unsigned __urhadd(unsigned x, unsigned y) {
  return static_cast<unsigned>((static_cast<uint64_t>(x) + y + 1) >> 1);
}
inline unsigned __usad(unsigned x, unsigned y, unsigned z) { return (x > y ? x - y : y - x) + z; }
inline unsigned __sad(int x, int y, unsigned z) {
  return (x > y ? static_cast<unsigned>(x) - static_cast<unsigned>(y)
                : static_cast<unsigned>(y) - static_cast<unsigned>(x)) +
         z;
}

/// The position of the n-th bit that is set in `mask`, counted from `base`: upwards for n > 0,
/// downwards for n < 0. ~0 if there is none.
inline unsigned __fns(unsigned mask, unsigned base, int n) {
  if (n == 0) return (mask >> base & 1u) != 0 ? base : ~0u;
  const int step = n > 0 ? 1 : -1;
  for (int bit = static_cast<int>(base); bit >= 0 && bit < 32; bit += step) {
    if ((mask >> bit & 1u) != 0 && (n -= step) == 0) return static_cast<unsigned>(bit);
  }
  return ~0u;
}

namespace tilewise::simt {

/// The i-th field of `bits` bits in a word, with its sign.
inline int field(unsigned word, int bits, int i) {
  return static_cast<int>(word << (32 - bits * (i + 1))) >> (32 - bits);
}
inline unsigned unsigned_field(unsigned word, int bits, int i) {
  return word >> bits * i & (0xffffffffu >> (32 - bits));
}

}  // namespace tilewise::simt

// Sums of products of bytes, and of half words with bytes.
inline int __dp4a(int x, int y, int sum) {
  using tilewise::simt::field;
  for (int i = 0; i < 4; ++i) sum += field(x, 8, i) * field(y, 8, i);
  return sum;
}
inline unsigned __dp4a(unsigned x, unsigned y, unsigned sum) {
  using tilewise::simt::unsigned_field;
  for (int i = 0; i < 4; ++i) sum += unsigned_field(x, 8, i) * unsigned_field(y, 8, i);
  return sum;
}
inline int __dp2a_lo(int x, int y, int sum) {
  using tilewise::simt::field;
  return sum + field(x, 16, 0) * field(y, 8, 0) + field(x, 16, 1) * field(y, 8, 1);
}
inline int __dp2a_hi(int x, int y, int sum) {
  return __dp2a_lo(x, static_cast<int>(static_cast<unsigned>(y) >> 16), sum);
}
inline unsigned __dp2a_lo(unsigned x, unsigned y, unsigned sum) {
  using tilewise::simt::unsigned_field;
  return sum + unsigned_field(x, 16, 0) * unsigned_field(y, 8, 0) +
         unsigned_field(x, 16, 1) * unsigned_field(y, 8, 1);
}
inline unsigned __dp2a_hi(unsigned x, unsigned y, unsigned sum) {
  return __dp2a_lo(x, y >> 16, sum);
}

inline unsigned umin(unsigned a, unsigned b) { return a < b ? a : b; }
inline unsigned umax(unsigned a, unsigned b) { return a > b ? a : b; }
inline long long llmin(long long a, long long b) { return a < b ? a : b; }
inline long long llmax(long long a, long long b) { return a > b ? a : b; }
inline unsigned long long ullmin(unsigned long long a, unsigned long long b) {
  return a < b ? a : b;
}
inline unsigned long long ullmax(unsigned long long a, unsigned long long b) {
  return a > b ? a : b;
}

namespace tilewise::simt {

/// The operation that the functions below apply to each field of two words.
enum class FieldByField {
  add,
  addss,
  addus,
  sub,
  subss,
  subus,
  abs,
  absss,
  neg,
  negss,
  absdiffs,
  absdiffu,
  avgs,
  avgu,
  haddu,
  maxs,
  maxu,
  mins,
  minu,
  cmpeq,
  cmpne,
  cmpges,
  cmpgeu,
  cmpgts,
  cmpgtu,
  cmples,
  cmpleu,
  cmplts,
  cmpltu
};

/// @param s, t the two words' fields with their signs
/// @param u, v the same fields without signs
inline int of_fields(FieldByField what, int s, int t, int u, int v, int bits) {
  const int largest = (1 << (bits - 1)) - 1, largest_unsigned = (1 << bits) - 1;
  const auto within = [](int value, int low, int high) {
    return value < low ? low : value > high ? high : value;
  };
  switch (what) {
    case FieldByField::add:
      return u + v;
    case FieldByField::addss:
      return within(s + t, -largest - 1, largest);
    case FieldByField::addus:
      return within(u + v, 0, largest_unsigned);
    case FieldByField::sub:
      return u - v;
    case FieldByField::subss:
      return within(s - t, -largest - 1, largest);
    case FieldByField::subus:
      return within(u - v, 0, largest_unsigned);
    case FieldByField::abs:
      return s < 0 ? -s : s;
    case FieldByField::absss:
      return within(s < 0 ? -s : s, 0, largest);
    case FieldByField::neg:
      return -s;
    case FieldByField::negss:
      return within(-s, -largest, largest);
    case FieldByField::absdiffs:
      return s > t ? s - t : t - s;
    case FieldByField::absdiffu:
      return u > v ? u - v : v - u;
    case FieldByField::avgs:
      return (s + t + (s + t >= 0)) >> 1;
    case FieldByField::avgu:
      return (u + v + 1) / 2;
    case FieldByField::haddu:
      return (u + v) / 2;
    case FieldByField::maxs:
      return s > t ? s : t;
    case FieldByField::maxu:
      return u > v ? u : v;
    case FieldByField::mins:
      return s < t ? s : t;
    case FieldByField::minu:
      return u < v ? u : v;
    case FieldByField::cmpeq:
      return u == v;
    case FieldByField::cmpne:
      return u != v;
    case FieldByField::cmpges:
      return s >= t;
    case FieldByField::cmpgeu:
      return u >= v;
    case FieldByField::cmpgts:
      return s > t;
    case FieldByField::cmpgtu:
      return u > v;
    case FieldByField::cmples:
      return s <= t;
    case FieldByField::cmpleu:
      return u <= v;
    case FieldByField::cmplts:
      return s < t;
    case FieldByField::cmpltu:
      return u < v;
  }
  return 0;
}

/// @param truth what a field holds if a comparison is true: all bits, or the lowest
inline unsigned field_by_field(FieldByField what, int bits, unsigned a, unsigned b, int truth = 1) {
  unsigned result = 0;
  for (int i = 0; i < 32 / bits; ++i) {
    const int value = of_fields(what, field(a, bits, i), field(b, bits, i),
                                static_cast<int>(unsigned_field(a, bits, i)),
                                static_cast<int>(unsigned_field(b, bits, i)), bits) *
                      truth;
    result |= (static_cast<unsigned>(value) & (0xffffffffu >> (32 - bits))) << bits * i;
  }
  return result;
}

inline unsigned sum_of_fields(int bits, unsigned word) {
  unsigned sum = 0;
  for (int i = 0; i < 32 / bits; ++i) sum += unsigned_field(word, bits, i);
  return sum;
}

}  // namespace tilewise::simt

// Video instructions, which work on two fields of 16 bits or four of 8.
#define TILEWISE_FIELDS(name)                                                            \
  inline unsigned __v##name##2(unsigned a, unsigned b) {                                 \
    return tilewise::simt::field_by_field(tilewise::simt::FieldByField::name, 16, a, b); \
  }                                                                                      \
  inline unsigned __v##name##4(unsigned a, unsigned b) {                                 \
    return tilewise::simt::field_by_field(tilewise::simt::FieldByField::name, 8, a, b);  \
  }
#define TILEWISE_FIELDS_OF_ONE(name)                                                     \
  inline unsigned __v##name##2(unsigned a) {                                             \
    return tilewise::simt::field_by_field(tilewise::simt::FieldByField::name, 16, a, 0); \
  }                                                                                      \
  inline unsigned __v##name##4(unsigned a) {                                             \
    return tilewise::simt::field_by_field(tilewise::simt::FieldByField::name, 8, a, 0);  \
  }
#define TILEWISE_FIELDS_COMPARED(name)                                                            \
  inline unsigned __vcmp##name##2(unsigned a, unsigned b) {                                       \
    return tilewise::simt::field_by_field(tilewise::simt::FieldByField::cmp##name, 16, a, b, -1); \
  }                                                                                               \
  inline unsigned __vcmp##name##4(unsigned a, unsigned b) {                                       \
    return tilewise::simt::field_by_field(tilewise::simt::FieldByField::cmp##name, 8, a, b, -1);  \
  }                                                                                               \
  inline unsigned __vset##name##2(unsigned a, unsigned b) {                                       \
    return tilewise::simt::field_by_field(tilewise::simt::FieldByField::cmp##name, 16, a, b);     \
  }                                                                                               \
  inline unsigned __vset##name##4(unsigned a, unsigned b) {                                       \
    return tilewise::simt::field_by_field(tilewise::simt::FieldByField::cmp##name, 8, a, b);      \
  }
// clang-format off
TILEWISE_FIELDS(add) TILEWISE_FIELDS(addss) TILEWISE_FIELDS(addus)
TILEWISE_FIELDS(sub) TILEWISE_FIELDS(subss) TILEWISE_FIELDS(subus)
TILEWISE_FIELDS(absdiffs) TILEWISE_FIELDS(absdiffu) TILEWISE_FIELDS(avgs) TILEWISE_FIELDS(avgu)
TILEWISE_FIELDS(haddu) TILEWISE_FIELDS(maxs) TILEWISE_FIELDS(maxu) TILEWISE_FIELDS(mins)
TILEWISE_FIELDS(minu)
TILEWISE_FIELDS_OF_ONE(abs) TILEWISE_FIELDS_OF_ONE(absss) TILEWISE_FIELDS_OF_ONE(neg)
TILEWISE_FIELDS_OF_ONE(negss)
TILEWISE_FIELDS_COMPARED(eq) TILEWISE_FIELDS_COMPARED(ne) TILEWISE_FIELDS_COMPARED(ges)
TILEWISE_FIELDS_COMPARED(geu) TILEWISE_FIELDS_COMPARED(gts) TILEWISE_FIELDS_COMPARED(gtu)
TILEWISE_FIELDS_COMPARED(les) TILEWISE_FIELDS_COMPARED(leu) TILEWISE_FIELDS_COMPARED(lts)
TILEWISE_FIELDS_COMPARED(ltu)
// clang-format on
#undef TILEWISE_FIELDS
#undef TILEWISE_FIELDS_OF_ONE
#undef TILEWISE_FIELDS_COMPARED
#define TILEWISE_FIELDS_SUMMED(count, bits, sign)                              \
  inline unsigned __vsad##sign##count(unsigned a, unsigned b) {                \
    return tilewise::simt::sum_of_fields(bits, __vabsdiff##sign##count(a, b)); \
  }
                                            TILEWISE_FIELDS_SUMMED(2, 16, s)
                                                TILEWISE_FIELDS_SUMMED(2, 16, u)
                                                    TILEWISE_FIELDS_SUMMED(4, 8, s)
                                                        TILEWISE_FIELDS_SUMMED(4, 8, u)
#undef TILEWISE_FIELDS_SUMMED

// The larger or smaller of two or three numbers, or of a sum and a third number; `relu` bounds it
// below by 0.
#define TILEWISE_DPX(T, type)                                                                   \
  inline T __vimax3_##type(T a, T b, T c) { return a > b ? (a > c ? a : c) : (b > c ? b : c); } \
  inline T __vimin3_##type(T a, T b, T c) { return a < b ? (a < c ? a : c) : (b < c ? b : c); } \
  inline T __viaddmax_##type(T a, T b, T c) { return T(a + b) > c ? T(a + b) : c; }             \
  inline T __viaddmin_##type(T a, T b, T c) { return T(a + b) < c ? T(a + b) : c; }             \
  inline T __vibmax_##type(T a, T b, bool* first) { return *first = a >= b, a >= b ? a : b; }   \
  inline T __vibmin_##type(T a, T b, bool* first) { return *first = a <= b, a <= b ? a : b; }
                                                            TILEWISE_DPX(int, s32)
                                                                TILEWISE_DPX(unsigned, u32)
#undef TILEWISE_DPX
                                                                    inline int __viaddmax_s32_relu(
                                                                        int a, int b, int c) {
  return __vimax3_s32(a + b, c, 0);
}
inline int __vimax_s32_relu(int a, int b) { return __vimax3_s32(a, b, 0); }
inline int __vimin_s32_relu(int a, int b) { return a < b ? (a > 0 ? a : 0) : (b > 0 ? b : 0); }
