#include "common/simt/runtime/warp_products.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <limits>
#include <type_traits>
#include <vector>

#include "common/simt/include/cuda_runtime.h"
#include "common/simt/include/tilewise/warp_matrices.hpp"

namespace tilewise::simt {
namespace {

template <class Part>
const Part* part_of(const std::uint64_t (&offered)[32], unsigned arrived, std::size_t lane) {
  return (arrived >> lane & 1u) != 0 ? reinterpret_cast<const Part*>(offered[lane]) : nullptr;
}

/// Where an element is: number `slot` of a lane's.
struct LaneSlot {
  std::size_t lane, slot;
};

/// Which lane has which element (ProductPart::packed). Of PTX: "Matrix Fragments" of mma in its
/// manual.
class Places {
 public:
  explicit Places(const ProductPart& part) : of_(part) {}

  LaneSlot a(int row, int k) const {
    if (of_.packed == 0) return by_rows(row * of_.k + k);
    const int half = row / 8, halves = of_.m / 8, step = k / (4 * of_.packed);
    return place(row % 8, k / of_.packed % 4, (step * halves + half) * of_.packed + k % of_.packed);
  }
  LaneSlot b(int k, int col) const {
    if (of_.packed == 0) return by_rows(k * of_.n + col);
    const int step = k / (4 * of_.packed);
    return place(col, k / of_.packed % 4, step * of_.packed + k % of_.packed);
  }
  LaneSlot d(int row, int col) const {
    if (of_.packed == 0) return by_rows(row * of_.n + col);
    return place(row % 8, col / 2, row / 8 * 2 + col % 2);
  }

 private:
  static LaneSlot by_rows(int element) {
    return {static_cast<std::size_t>(element % 32), static_cast<std::size_t>(element / 32)};
  }
  static LaneSlot place(int group, int in_group, int slot) {
    return {static_cast<std::size_t>(group * 4 + in_group), static_cast<std::size_t>(slot)};
  }

  const ProductPart& of_;
};

constexpr int fraction_bits = 23;  // of a float, to which all numbers of fewer bits come

/// A number as a tensor core takes it apart: mantissa * 2^(exponent - fraction_bits). That of a
/// subnormal one has leading zeros.
struct Factor {
  std::int32_t mantissa;
  int exponent;
  bool is_finite;
};

Factor factor_of(float value, int lowest_exponent) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const int biased = static_cast<int>(bits >> fraction_bits & 0xffu);
  auto mantissa = static_cast<std::int32_t>(bits & ((1u << fraction_bits) - 1));
  constexpr int bias = 127;
  int exponent = std::max(biased, 1) - bias;
  if (biased != 0) mantissa |= 1 << fraction_bits;
  if (exponent < lowest_exponent) {  // exact: the type has no more bits there
    mantissa >>= std::min(lowest_exponent - exponent, 31);
    exponent = lowest_exponent;
  }
  return {(bits >> 31) != 0 ? -mantissa : mantissa, exponent, biased != 0xff};
}

/// mantissa * 2^(exponent - 2 fraction_bits)
struct Summand {
  std::int64_t mantissa;
  int exponent;
};

/// The addend, which other than factors has no leading zeros.
Summand addend_of(float value) {
  if (value == 0) return {0, 0};
  int exponent = 0;
  const double fraction = std::frexp(value, &exponent);
  return {static_cast<std::int64_t>(std::ldexp(fraction, 2 * fraction_bits + 1)), exponent - 1};
}

/// The sum of finite summands.
float aligned_sum(const Summand* summands, int count) {
  int largest = std::numeric_limits<int>::min();
  for (int i = 0; i < count; ++i) {
    if (summands[i].mantissa != 0) largest = std::max(largest, summands[i].exponent);
  }
  constexpr int kept = 25;  // bits behind the point of the largest one
  std::int64_t sum = 0;
  for (int i = 0; i < count; ++i) {
    if (summands[i].mantissa == 0) continue;
    const int cut_off = largest - summands[i].exponent + 2 * fraction_bits - kept;
    const std::int64_t size = std::abs(summands[i].mantissa) >> std::min(cut_off, 63);
    sum += summands[i].mantissa < 0 ? -size : size;
  }
  if (sum == 0) return 0;
  // Cut off to a float, which has no bits below 2^-149.
  const auto size = static_cast<std::uint64_t>(std::abs(sum));
  constexpr int lowest = -149;
  const int surplus = std::max(
      {0, static_cast<int>(std::bit_width(size)) - (fraction_bits + 1), lowest - (largest - kept)});
  const std::uint64_t cut = surplus < 64 ? size >> surplus << surplus : 0;
  const auto result = static_cast<float>(std::ldexp(static_cast<double>(cut), largest - kept));
  return sum < 0 ? -result : result;
}

/// Of a row of A and a column of B.
float tensor_sum(const Factor* a, const Factor* b, int count, float c) {
  constexpr int most = 32;
  Summand summands[most + 1];
  bool is_finite = std::isfinite(c);
  for (int i = 0; i < count; ++i) {
    is_finite = is_finite && a[i].is_finite && b[i].is_finite;
    summands[i] = {std::int64_t{a[i].mantissa} * b[i].mantissa, a[i].exponent + b[i].exponent};
  }
  if (!is_finite) return std::numeric_limits<float>::quiet_NaN();
  summands[count] = addend_of(c);
  return aligned_sum(summands, count + 1);
}

/// What infinite numbers and NaN among them make of a sum: all NaN that a GPU makes have these
/// bits.
float plain_sum(const float* a, const float* b, int count, float c) {
  for (int i = 0; i < count; ++i) c += a[i] * b[i];
  return std::isnan(c) ? std::bit_cast<float>(0x7fffffffu) : c;
}

/// Halves have exponents of their own.
int lowest_exponent_of(ProductPart::Numbers numbers) {
  return numbers == ProductPart::Numbers::half ? -14 : -126;
}

/// Products that are added up at once. wmma's of tf32 are two instructions.
int added_at_once(const ProductPart& of) {
  return of.numbers == ProductPart::Numbers::tf32 && of.packed == 0 ? 4 : of.k;
}

}  // namespace

std::vector<float> tensor_sums(const ProductPart& of, const std::vector<float>& a,
                               const std::vector<float>& b, const std::vector<float>& c) {
  const auto factors = [&](const std::vector<float>& values) {
    std::vector<Factor> all;
    all.reserve(values.size());
    for (const float value : values)
      all.push_back(factor_of(value, lowest_exponent_of(of.numbers)));
    return all;
  };
  const std::vector<Factor> of_a = factors(a), of_b = factors(b);
  const auto is_finite = [](const Factor& factor) { return factor.is_finite; };
  const bool all_finite = std::ranges::all_of(of_a, is_finite) &&
                          std::ranges::all_of(of_b, is_finite) &&
                          std::ranges::all_of(c, [](float value) { return std::isfinite(value); });
  const int step = added_at_once(of);
  std::vector<float> d = c;
  for (int row = 0; row < of.m; ++row) {
    for (int col = 0; col < of.n; ++col) {
      float& sum = d[static_cast<std::size_t>(row * of.n + col)];
      for (int k = 0; k < of.k; k += step) {
        const auto at_a = static_cast<std::size_t>(row * of.k + k);
        const auto at_b = static_cast<std::size_t>(col * of.k + k);
        const float exact = tensor_sum(&of_a[at_a], &of_b[at_b], step, sum);
        const bool is_plain = !all_finite && std::isnan(exact);
        sum = is_plain ? plain_sum(&a[at_a], &b[at_b], step, sum) : exact;
      }
    }
  }
  return d;
}

namespace {

/// C and D row by row, B column by column.
template <class Number>
std::vector<Number> sums_of_products(const ProductPart& of, const std::vector<Number>& a,
                                     const std::vector<Number>& b, const std::vector<Number>& c) {
  if constexpr (std::is_same_v<Number, float>) return tensor_sums(of, a, b, c);
  std::vector<Number> d = c;
  for (int row = 0; row < of.m; ++row) {
    for (int col = 0; col < of.n; ++col) {
      Number& sum = d[static_cast<std::size_t>(row * of.n + col)];
      for (int k = 0; k < of.k; ++k) {
        const Number factor_a = a[static_cast<std::size_t>(row * of.k + k)];
        const Number factor_b = b[static_cast<std::size_t>(col * of.k + k)];
        if constexpr (std::is_same_v<Number, double>) {
          sum = std::fma(factor_a, factor_b, sum);  // one after another, as an H200 does
        } else {
          sum += factor_a * factor_b;
        }
      }
    }
  }
  return d;
}

template <class Number>
void multiply(const std::uint64_t (&offered)[32], unsigned arrived, const ProductPart& of) {
  const Places places(of);
  const auto read = [&](const void* ProductPart::*matrix, LaneSlot from) {
    const auto* const part = part_of<ProductPart>(offered, arrived, from.lane);
    // Elements of lanes that did not come are 0.
    return part == nullptr ? Number{} : static_cast<const Number*>(part->*matrix)[from.slot];
  };
  const auto size = [](int rows, int cols) { return static_cast<std::size_t>(rows * cols); };
  const auto at = [](int row, int cols, int col) {
    return static_cast<std::size_t>(row * cols + col);
  };
  std::vector<Number> a(size(of.m, of.k)), b(size(of.n, of.k)), c(size(of.m, of.n));
  for (int k = 0; k < of.k; ++k) {
    for (int row = 0; row < of.m; ++row) {
      a[at(row, of.k, k)] = read(&ProductPart::a, places.a(row, k));
    }
    for (int col = 0; col < of.n; ++col) {
      b[at(col, of.k, k)] = read(&ProductPart::b, places.b(k, col));
    }
  }
  for (int row = 0; row < of.m; ++row) {
    for (int col = 0; col < of.n; ++col) {
      c[at(row, of.n, col)] = read(&ProductPart::c, places.d(row, col));
    }
  }
  const std::vector<Number> d = sums_of_products(of, a, b, c);
  for (int row = 0; row < of.m; ++row) {
    for (int col = 0; col < of.n; ++col) {
      const LaneSlot to = places.d(row, col);
      const auto* const part = part_of<ProductPart>(offered, arrived, to.lane);
      if (part != nullptr) static_cast<Number*>(part->d)[to.slot] = d[at(row, of.n, col)];
    }
  }
}

const ProductPart& any_part(const std::uint64_t (&offered)[32], unsigned arrived) {
  return *part_of<ProductPart>(offered, arrived,
                               static_cast<std::size_t>(std::countr_zero(arrived)));
}

}  // namespace

void multiply_of_warp(const std::uint64_t (&offered)[32], unsigned arrived) {
  const ProductPart of = any_part(offered, arrived);
  switch (of.numbers) {
    case ProductPart::Numbers::half:
    case ProductPart::Numbers::bfloat16:
    case ProductPart::Numbers::tf32:
      return multiply<float>(offered, arrived, of);
    case ProductPart::Numbers::double_real:
      return multiply<double>(offered, arrived, of);
    case ProductPart::Numbers::whole:
      return multiply<int>(offered, arrived, of);
  }
}

void hand_rows_round_warp(const std::uint64_t (&offered)[32], unsigned arrived) {
  for (std::size_t lane = 0; lane < 32; ++lane) {
    const auto* const part = part_of<RowsPart>(offered, arrived, lane);
    if (part == nullptr) continue;
    const auto element = [&](std::size_t matrix, std::size_t row, std::size_t col) {
      const auto* const from = part_of<RowsPart>(offered, arrived, matrix * 8 + row);
      return from == nullptr ? 0u : from->row[col / 2] >> (col % 2 * 16) & 0xffffu;
    };
    const std::size_t group = lane / 4, in_group = lane % 4;
    for (std::size_t i = 0; i < static_cast<std::size_t>(part->matrices); ++i) {
      const std::size_t first = 2 * in_group, second = first + 1;
      part->to[i] = part->transposed ? element(i, first, group) | element(i, second, group) << 16
                                     : element(i, group, first) | element(i, group, second) << 16;
    }
  }
}

WarpProduct product_of_warp(std::uint64_t offered) {
  const auto& part = *reinterpret_cast<const ProductPart*>(offered);
  const auto multiply_adds = static_cast<std::uint64_t>(part.m) *
                             static_cast<std::uint64_t>(part.n) *
                             static_cast<std::uint64_t>(part.k);
  switch (part.numbers) {
    case ProductPart::Numbers::half:
    case ProductPart::Numbers::bfloat16:
      return {WarpProduct::Numbers::half, multiply_adds};
    case ProductPart::Numbers::tf32:
      return {WarpProduct::Numbers::tf32, multiply_adds};
    case ProductPart::Numbers::double_real:
      return {WarpProduct::Numbers::double_real, multiply_adds};
    case ProductPart::Numbers::whole:
      break;
  }
  return {WarpProduct::Numbers::whole, multiply_adds};
}

}  // namespace tilewise::simt
