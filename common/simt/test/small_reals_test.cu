// cuda_fp16.h and cuda_bf16.h against arithmetic in integers that knows of nothing but the formats.

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cmath>
#include <cstdint>
#include <random>

#include "common/simt/test/testing.hpp"

namespace tilewise::simt {
namespace {

/// A number of `bits` fraction bits and a 15-bit rest, exactly: sign * size * 2^exponent.
struct Exact {
  bool negative = false, infinite = false, nan = false;
  unsigned __int128 size = 0;
  int exponent = 0;
};

template <int fraction_bits>
struct Format {
  static constexpr int exponent_bits = 15 - fraction_bits;
  static constexpr int bias = (1 << (exponent_bits - 1)) - 1;
  static constexpr unsigned infinity = ((1u << exponent_bits) - 1) << fraction_bits;

  static Exact read(unsigned short bits) {
    Exact number;
    number.negative = (bits & 0x8000) != 0;
    const unsigned rest = bits & 0x7fffu, field = rest >> fraction_bits;
    number.nan = rest > infinity;
    number.infinite = rest == infinity;
    const unsigned hidden = field == 0 ? 0 : 1u << fraction_bits;
    number.size = (rest & ((1u << fraction_bits) - 1)) | hidden;
    number.exponent = static_cast<int>(field == 0 ? 1 : field) - bias - fraction_bits;
    return number;
  }

  /// To the nearest, ties to even.
  static unsigned short rounded(const Exact& number) {
    const unsigned sign = number.negative ? 0x8000 : 0;
    if (number.nan) return 0x7fff;
    if (number.infinite) return static_cast<unsigned short>(sign | infinity);
    constexpr int lowest = 1 - bias - fraction_bits;
    int width = 0;
    while (width < 128 && (number.size >> width) != 0) ++width;
    int exponent = std::max(number.exponent + width - fraction_bits - 1, lowest);
    const int cut = exponent - number.exponent;
    unsigned __int128 kept = number.size;
    if (cut > 0) {
      kept = cut < 128 ? number.size >> cut : 0;
      const unsigned __int128 half =
          cut <= 128 ? static_cast<unsigned __int128>(1) << (cut - 1) : 0;
      const unsigned __int128 rest = cut < 128 ? number.size - (kept << cut) : number.size;
      if (half != 0 && (rest > half || (rest == half && (kept & 1) != 0))) ++kept;
    } else {
      kept <<= -cut;
    }
    if (kept == static_cast<unsigned __int128>(1) << (fraction_bits + 1)) kept >>= 1, ++exponent;
    if (kept == 0) return static_cast<unsigned short>(sign);
    const bool normal = (kept >> fraction_bits) != 0;
    const unsigned field = normal ? static_cast<unsigned>(exponent - lowest + 1) : 0;
    if (field >= (1u << exponent_bits) - 1) return static_cast<unsigned short>(sign | infinity);
    const unsigned fraction = static_cast<unsigned>(kept) & ((1u << fraction_bits) - 1);
    return static_cast<unsigned short>(sign | field << fraction_bits | fraction);
  }
};

Exact of_double(double value) {
  Exact number;
  number.negative = std::signbit(value);
  number.nan = std::isnan(value);
  number.infinite = std::isinf(value);
  if (number.nan || number.infinite) return number;
  number.size = static_cast<unsigned __int128>(
      std::ldexp(std::frexp(std::fabs(value), &number.exponent), 53));
  number.exponent -= 53;
  return number;
}

Exact product(const Exact& a, const Exact& b) {
  Exact result;
  result.negative = a.negative != b.negative;
  result.nan = a.nan || b.nan || (a.infinite && b.size == 0 && !b.infinite) ||
               (b.infinite && a.size == 0 && !a.infinite);
  result.infinite = a.infinite || b.infinite;
  result.size = a.size * b.size;
  result.exponent = a.exponent + b.exponent;
  return result;
}

/// What is too far below the larger one to be added becomes its last bit.
Exact sum(Exact a, Exact b) {
  if (a.nan || b.nan || (a.infinite && b.infinite && a.negative != b.negative))
    return {.nan = true};
  if (a.infinite || b.infinite) return a.infinite ? a : b;
  if (a.size == 0 && b.size == 0) return {.negative = a.negative && b.negative};
  if (a.size == 0) return b;
  if (b.size == 0) return a;
  if (a.exponent < b.exponent) std::swap(a, b);
  constexpr int room = 96;
  const int distance = a.exponent - b.exponent;
  if (distance <= room) {
    a.size <<= distance;
    a.exponent = b.exponent;
  } else {
    a.size <<= room;
    a.exponent -= room;
    // b reaches no bit of a's, unless it is the one with more bits.
    b.size = (b.size >> std::min(a.exponent - b.exponent, 127)) | 1;
    b.exponent = a.exponent;
  }
  Exact result;
  result.exponent = a.exponent;
  if (a.negative == b.negative) {
    result.negative = a.negative;
    result.size = a.size + b.size;
  } else {
    const bool first = a.size >= b.size;
    result.negative = a.size == b.size ? false : first ? a.negative : b.negative;
    result.size = first ? a.size - b.size : b.size - a.size;
  }
  return result;
}

template <class T>
struct Small;
template <>
struct Small<__half> : Format<10> {
  static unsigned short bits(__half x) { return __half_as_ushort(x); }
  static __half number(unsigned short bits) { return __ushort_as_half(bits); }
};
template <>
struct Small<__nv_bfloat16> : Format<7> {
  static unsigned short bits(__nv_bfloat16 x) { return __bfloat16_as_ushort(x); }
  static __nv_bfloat16 number(unsigned short bits) { return __ushort_as_bfloat16(bits); }
};

template <class T>
class SmallReals : public ::testing::Test {
 protected:
  /// Bits in which zeros, denormals, the largest numbers, infinities and NaN are as likely as all
  /// else, and neighbours of the one before.
  unsigned short draw() {
    const auto bits = static_cast<unsigned short>(random_());
    constexpr unsigned top = Small<T>::infinity;
    switch (random_() % 8) {
      case 0:
        return bits & 0x8003;
      case 1:
        return static_cast<unsigned short>((bits & 0x8000) | ((top - 2 + (bits & 3)) & 0x7fff));
      case 2:
        return static_cast<unsigned short>(last_ + (bits & 3) - 1);
      default:
        return last_ = bits;
    }
  }
  std::mt19937_64 random_{7};
  unsigned short last_ = 0;
};
using Both = ::testing::Types<__half, __nv_bfloat16>;
TYPED_TEST_SUITE(SmallReals, Both);

TYPED_TEST(SmallReals, AllOfThemAreReadAndRoundedBack) {
  using Format = Small<TypeParam>;
  for (unsigned bits = 0; bits < 0x10000; ++bits) {
    const auto small = static_cast<unsigned short>(bits);
    const Exact exact = Format::read(small);
    const float value = static_cast<float>(Format::number(small));
    if (exact.nan) {
      EXPECT_TRUE(std::isnan(value)) << bits;
      continue;
    }
    const double expected =
        exact.infinite ? INFINITY : std::ldexp(static_cast<double>(exact.size), exact.exponent);
    ASSERT_EQ(value, exact.negative ? -expected : expected) << bits;
    ASSERT_EQ(std::signbit(value), exact.negative) << bits;
    ASSERT_EQ(Format::bits(TypeParam(value)), small);
    ASSERT_EQ(Format::bits(TypeParam(static_cast<double>(value))), small);
  }
}

TYPED_TEST(SmallReals, NumbersBetweenTwoGoToTheNearestAndThenToTheEvenOne) {
  using Format = Small<TypeParam>;
  for (unsigned bits = 0; bits < Format::infinity; ++bits) {
    const double low = static_cast<float>(Format::number(static_cast<unsigned short>(bits)));
    const double high =
        bits + 1 == Format::infinity
            ? 2 * low - static_cast<float>(Format::number(static_cast<unsigned short>(bits - 1)))
            : static_cast<float>(Format::number(static_cast<unsigned short>(bits + 1)));
    const double middle = (low + high) / 2, tiny = (high - low) * 0x1p-12;
    for (const double value : {middle, middle - tiny, middle + tiny, std::nextafter(middle, low),
                               std::nextafter(middle, high)}) {
      const unsigned short expected = Format::rounded(of_double(value));
      ASSERT_EQ(Format::bits(TypeParam(value)), expected) << bits;
      ASSERT_EQ(Format::bits(TypeParam(-value)), expected | 0x8000) << bits;
      if (static_cast<double>(static_cast<float>(value)) == value) {
        ASSERT_EQ(Format::bits(TypeParam(static_cast<float>(value))), expected) << bits;
      }
    }
  }
}

TYPED_TEST(SmallReals, ArithmeticRoundsTheExactResult) {
  using Format = Small<TypeParam>;
  constexpr int draws = 300000;
  for (int i = 0; i < draws; ++i) {
    const unsigned short x = this->draw(), y = this->draw(), z = this->draw();
    const TypeParam a = Format::number(x), b = Format::number(y), c = Format::number(z);
    const Exact p = Format::read(x), q = Format::read(y), r = Format::read(z);
    Exact minus = q;
    minus.negative = !minus.negative;
    ASSERT_EQ(Format::bits(a + b), Format::rounded(sum(p, q))) << x << " + " << y;
    ASSERT_EQ(Format::bits(a - b), Format::rounded(sum(p, minus))) << x << " - " << y;
    ASSERT_EQ(Format::bits(a * b), Format::rounded(product(p, q))) << x << " * " << y;
    ASSERT_EQ(Format::bits(__hfma(a, b, c)), Format::rounded(sum(product(p, q), r)))
        << x << " * " << y << " + " << z;
    // A quotient is right where no neighbour is nearer: q * b is exact in double.
    const float quotient = a / b, divided = a, divisor = b;
    if (std::isfinite(quotient) && std::isfinite(divisor) && quotient != 0) {
      const unsigned short bits = Format::bits(a / b);
      const auto away = [&](int step) {
        const double near =
            static_cast<float>(Format::number(static_cast<unsigned short>(bits + step)));
        return std::fabs(near * divisor - divided);
      };
      if (std::isfinite(
              static_cast<float>(Format::number(static_cast<unsigned short>(bits + 1))))) {
        ASSERT_LE(away(0), away(1)) << x << " / " << y;
      }
      ASSERT_LE(away(0), away(-1)) << x << " / " << y;
    }
  }
}

TEST(Halves, RoundByTheModeOfTheirName) {
  struct Case {
    float value;
    unsigned short nearest, to_zero, down, up;
  };
  const Case cases[] = {
      {1.0f, 0x3c00, 0x3c00, 0x3c00, 0x3c00},     {1.0001f, 0x3c00, 0x3c00, 0x3c00, 0x3c01},
      {-1.0001f, 0xbc00, 0xbc00, 0xbc01, 0xbc00}, {1e6f, 0x7c00, 0x7bff, 0x7bff, 0x7c00},
      {-1e6f, 0xfc00, 0xfbff, 0xfc00, 0xfbff},    {1e-9f, 0x0000, 0x0000, 0x0000, 0x0001},
      {-1e-9f, 0x8000, 0x8000, 0x8001, 0x8000},   {INFINITY, 0x7c00, 0x7c00, 0x7c00, 0x7c00},
      {NAN, 0x7fff, 0x7fff, 0x7fff, 0x7fff},      {65519.0f, 0x7bff, 0x7bff, 0x7bff, 0x7c00},
      {65520.0f, 0x7c00, 0x7bff, 0x7bff, 0x7c00}};
  for (const Case& of : cases) {
    EXPECT_EQ(__half_as_ushort(__float2half_rn(of.value)), of.nearest) << of.value;
    EXPECT_EQ(__half_as_ushort(__float2half_rz(of.value)), of.to_zero) << of.value;
    EXPECT_EQ(__half_as_ushort(__float2half_rd(of.value)), of.down) << of.value;
    EXPECT_EQ(__half_as_ushort(__float2half_ru(of.value)), of.up) << of.value;
  }
  EXPECT_EQ(__half2int_rn(__float2half(2.5f)), 2);
  EXPECT_EQ(__half2int_ru(__float2half(2.5f)), 3);
  EXPECT_EQ(__half2int_rz(CUDART_NAN_FP16), 0);
  EXPECT_EQ(__half2short_rz(CUDART_INF_FP16), 32767);
  EXPECT_EQ(__half2uint_rz(__float2half(-3.0f)), 0u);
  EXPECT_EQ(__half_as_ushort(__int2half_rz(70000)), 0x7bff);
}

TEST(Halves, ComparePickAndClamp) {
  const __half nan = CUDART_NAN_FP16, one = 1.0f, two = 2.0f;
  EXPECT_FALSE(__heq(nan, nan));
  EXPECT_TRUE(__hequ(nan, one));
  EXPECT_FALSE(__hne(nan, one));
  EXPECT_TRUE(__hneu(nan, one));
  EXPECT_EQ(__hlt2_mask(__halves2half2(one, nan), __halves2half2(two, two)), 0x0000ffffu);
  EXPECT_EQ(__half_as_ushort(__hmax(nan, one)), 0x3c00);
  EXPECT_EQ(__half_as_ushort(__hmax_nan(nan, one)), 0x7fff);
  EXPECT_EQ(__half_as_ushort(__hmax(CUDART_NEG_ZERO_FP16, CUDART_ZERO_FP16)), 0x0000);
  EXPECT_EQ(__half_as_ushort(__hmin(CUDART_ZERO_FP16, CUDART_NEG_ZERO_FP16)), 0x8000);
  EXPECT_EQ(__half_as_ushort(__hadd_sat(one, two)), 0x3c00);
  EXPECT_EQ(__half_as_ushort(__hfma_sat(nan, one, two)), 0x0000);
  EXPECT_EQ(__half_as_ushort(__hfma_relu(one, two, __half(-3.0f))), 0x0000);
  EXPECT_EQ(__half_as_ushort(hsqrt(two)), 0x3da8);
  EXPECT_EQ(__half_as_ushort(hexp(one)), 0x4170);
  const float2 pair = __half22float2(__hfma2({one, two}, {two, two}, {one, one}));
  EXPECT_EQ(pair.x, 3.0f);
  EXPECT_EQ(pair.y, 5.0f);
}

__global__ void use_halves(__half* sum, __half2* pair, float* got) {
  atomicAdd(sum, __half(0.5f));
  atomicAdd(pair, __half2(1.0f, 2.0f));
  const __half mine = static_cast<float>(threadIdx.x);
  got[threadIdx.x] = __shfl_xor_sync(0xffffffffu, mine, 1);
}

TEST(Halves, AreAddedAtomicallyAndShuffled) {
  DeviceVector<__half> sum(std::vector<__half>{__half(1.0f), __half(7.0f)});
  DeviceVector<__half2> pair(std::vector<__half2>{{0.0f, 0.0f}});
  DeviceVector<float> got(32);
  use_halves<<<1, 32>>>(sum.data(), pair.data(), got.data());
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_EQ(static_cast<float>(sum.values()[0]), 17.0f);
  EXPECT_EQ(static_cast<float>(sum.values()[1]), 7.0f) << "the neighbour";
  EXPECT_EQ(static_cast<float>(pair.values()[0].y), 64.0f);
  EXPECT_EQ(got.values()[6], 7.0f);
}

}  // namespace
}  // namespace tilewise::simt
