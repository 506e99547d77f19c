#include "common/simt/runtime/warp_products.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <type_traits>

#include "common/simt/include/cuda_runtime.h"
#include "common/simt/include/tilewise/warp_matrices.hpp"

namespace tilewise::simt {
namespace {

template <class Part>
const Part* part_of(const std::uint64_t (&offered)[32], unsigned arrived, int lane) {
  return (arrived >> lane & 1u) != 0 ? reinterpret_cast<const Part*>(offered[lane]) : nullptr;
}

/// The largest number of elements of a matrix: matrices have at most 32 x 16 elements, as one of
/// wmma's has.
constexpr int largest_matrix = 512;

template <class Number>
using Elements = std::array<Number, largest_matrix>;

// These functions say which lane holds which element: they call visit(lane, slot, element) for all
// elements, where `slot` is the element's number within its lane (ProductPart::packed). Elements
// are counted as tensor_sums() has them. The layout follows PTX ("Matrix Fragments" of mma in its
// manual), whose groups are lanes 4 g to 4 g + 3.

template <class Visit>
void visit_in_turn(int elements, Visit visit) {
  for (int i = 0; i < elements; ++i) visit(i % 32, i / 32, i);
}

template <class Visit>
void visit_a(const ProductPart& of, Visit visit) {
  if (of.packed == 0) return visit_in_turn(of.m * of.k, visit);
  const int halves = of.m / 8;
  for (int slot = 0; slot < of.m * of.k / 32; ++slot) {
    const int reg = slot / of.packed, step = reg / halves, half = reg % halves;
    for (int lane = 0; lane < 32; ++lane) {
      const int row = half * 8 + lane / 4;
      const int k = (step * 4 + lane % 4) * of.packed + slot % of.packed;
      visit(lane, slot, row * of.k + k);
    }
  }
}

template <class Visit>
void visit_b(const ProductPart& of, Visit visit) {
  if (of.packed == 0) {
    return visit_in_turn(of.k * of.n, [&](int lane, int slot, int i) {
      visit(lane, slot, i % of.n * of.k + i / of.n);
    });
  }
  for (int slot = 0; slot < of.k * of.n / 32; ++slot) {
    const int step = slot / of.packed;
    for (int lane = 0; lane < 32; ++lane) {
      const int k = (step * 4 + lane % 4) * of.packed + slot % of.packed;
      visit(lane, slot, lane / 4 * of.k + k);
    }
  }
}

template <class Visit>
void visit_d(const ProductPart& of, Visit visit) {
  if (of.packed == 0) return visit_in_turn(of.m * of.n, visit);
  for (int slot = 0; slot < of.m * of.n / 32; ++slot) {
    for (int lane = 0; lane < 32; ++lane) {
      visit(lane, slot, (slot / 2 * 8 + lane / 4) * of.n + lane % 4 * 2 + slot % 2);
    }
  }
}

// Those of a float, to which all numbers of fewer bits are converted.
constexpr int fraction_bits = 23;

/// Returns the power of 2 by which a tensor core aligns a number. Unlike a floating-point unit, it
/// does not look for the first bit of a subnormal number. The result for 0 is far below all others.
int alignment_of(float value, int lowest_exponent) {
  constexpr int bias = 127, of_zero = -100'000;
  const auto biased =
      static_cast<int>(std::bit_cast<std::uint32_t>(value) >> fraction_bits & 0xffu);
  return value == 0 ? of_zero : std::max(std::max(biased, 1) - bias, lowest_exponent);
}

/// Returns the same for the addend, which has no leading zeros, unlike factors.
int alignment_of_addend(float value) {
  constexpr int lowest = -126;
  const int zeros =
      std::max(0, std::countl_zero(std::bit_cast<std::uint32_t>(std::fabs(value))) - 8);
  return alignment_of(value, lowest) - (value == 0 ? 0 : zeros);
}

/// The factors of one matrix, taken apart once for all the sums in which they are used.
struct Factors {
  Elements<double> value;
  Elements<int> alignment;
};

/// Returns 2^exponent, for a normal number.
double power_of_2(int exponent) {
  return std::bit_cast<double>(static_cast<std::uint64_t>(exponent + 1023) << 52);
}

/// Returns the sum of an addend and the products of a row of A and a column of B, from the elements
/// `at_a` and `at_b` on. All numbers are finite. Products are exact in a double; each is cut off 25
/// bits behind the binary point of the largest.
float tensor_sum(const Factors& a, int at_a, const Factors& b, int at_b, int count, float c) {
  int largest = alignment_of_addend(c);
  for (int i = 0; i < count; ++i) {
    largest = std::max(largest, a.alignment[at_a + i] + b.alignment[at_b + i]);
  }
  constexpr int kept = 25, least = -1000;
  if (largest < least) return 0;  // all numbers are zeros
  const double scale = power_of_2(kept - largest);
  // A product is less than 4 times its alignment, so it fits into 28 bits.
  std::int64_t sum = static_cast<std::int32_t>(double{c} * scale);
  for (int i = 0; i < count; ++i) {
    sum += static_cast<std::int32_t>(a.value[at_a + i] * b.value[at_b + i] * scale);
  }
  if (sum == 0) return 0;
  // The sum is cut off to a float, which has no bits below 2^-149.
  const auto size = static_cast<std::uint64_t>(std::abs(sum));
  constexpr int lowest = -149;
  const int surplus = std::max(
      {0, static_cast<int>(std::bit_width(size)) - (fraction_bits + 1), lowest - (largest - kept)});
  const std::uint64_t cut = surplus < 64 ? size >> surplus << surplus : 0;
  const auto result = static_cast<float>(static_cast<double>(cut) * power_of_2(largest - kept));
  return sum < 0 ? -result : result;
}

/// Returns a sum in which some numbers are infinite or NaN. Every NaN that a GPU produces has these
/// bits.
float plain_sum(const float* a, const float* b, int count, float c) {
  for (int i = 0; i < count; ++i) c += a[i] * b[i];
  return std::isnan(c) ? std::bit_cast<float>(0x7fffffffu) : c;
}

/// Returns the lowest exponent; that of halves differs from the others.
int lowest_exponent_of(ProductPart::Numbers numbers) {
  return numbers == ProductPart::Numbers::half ? -14 : -126;
}

/// Returns how many products are added up at once. wmma's products of tf32 are two instructions.
int added_at_once(const ProductPart& of) {
  return of.numbers == ProductPart::Numbers::tf32 && of.packed == 0 ? 4 : of.k;
}

}  // namespace

void tensor_sums(const ProductPart& of, const float* a, const float* b, float* d) {
  Factors of_a, of_b;
  const auto is_finite = [](float value) { return std::isfinite(value); };
  bool all_finite = std::all_of(d, d + of.m * of.n, is_finite);
  const auto take_apart = [&](const float* values, int count, Factors& factors) {
    for (int i = 0; i < count; ++i) {
      factors.value[i] = values[i];
      factors.alignment[i] = alignment_of(values[i], lowest_exponent_of(of.numbers));
    }
    all_finite = all_finite && std::all_of(values, values + count, is_finite);
  };
  take_apart(a, of.m * of.k, of_a);
  take_apart(b, of.n * of.k, of_b);
  const int step = added_at_once(of);
  for (int row = 0; row < of.m; ++row) {
    for (int col = 0; col < of.n; ++col) {
      float& sum = d[row * of.n + col];
      for (int k = 0; k < of.k; k += step) {
        const int at_a = row * of.k + k, at_b = col * of.k + k;
        const bool is_plain =
            !all_finite && !(is_finite(sum) && std::all_of(a + at_a, a + at_a + step, is_finite) &&
                             std::all_of(b + at_b, b + at_b + step, is_finite));
        if (is_plain) {
          sum = plain_sum(a + at_a, b + at_b, step, sum);
        } else if (!std::isfinite(sum)) {
          // The step before exceeded the range of a float.
          sum = std::numeric_limits<float>::quiet_NaN();
        } else {
          sum = tensor_sum(of_a, at_a, of_b, at_b, step, sum);
        }
      }
    }
  }
}

namespace {

/// Computes the same as tensor_sums().
template <class Number>
void add_products(const ProductPart& of, const Number* a, const Number* b, Number* d) {
  if constexpr (std::is_same_v<Number, float>) return tensor_sums(of, a, b, d);
  for (int row = 0; row < of.m; ++row) {
    for (int col = 0; col < of.n; ++col) {
      Number& sum = d[row * of.n + col];
      for (int k = 0; k < of.k; ++k) {
        const Number factor_a = a[row * of.k + k], factor_b = b[col * of.k + k];
        if constexpr (std::is_same_v<Number, double>) {
          // Products are added one after another, as an H200 does.
          sum = std::fma(factor_a, factor_b, sum);
        } else {
          sum += factor_a * factor_b;
        }
      }
    }
  }
}

template <class Number>
void multiply(const std::uint64_t (&offered)[32], unsigned arrived, const ProductPart& of) {
  Elements<Number> a, b, d;
  const auto gather = [&](const void* ProductPart::*matrix, Elements<Number>& elements) {
    return [&, matrix](int lane, int slot, int element) {
      const auto* const part = part_of<ProductPart>(offered, arrived, lane);
      // The elements of lanes that did not arrive are 0.
      elements[element] =
          part == nullptr ? Number{} : static_cast<const Number*>(part->*matrix)[slot];
    };
  };
  visit_a(of, gather(&ProductPart::a, a));
  visit_b(of, gather(&ProductPart::b, b));
  visit_d(of, gather(&ProductPart::c, d));
  add_products(of, a.data(), b.data(), d.data());
  visit_d(of, [&](int lane, int slot, int element) {
    const auto* const part = part_of<ProductPart>(offered, arrived, lane);
    if (part != nullptr) static_cast<Number*>(part->d)[slot] = d[element];
  });
}

const ProductPart& any_part(const std::uint64_t (&offered)[32], unsigned arrived) {
  return *part_of<ProductPart>(offered, arrived, std::countr_zero(arrived));
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
  for (int lane = 0; lane < 32; ++lane) {
    const auto* const part = part_of<RowsPart>(offered, arrived, lane);
    if (part == nullptr) continue;
    const auto element = [&](int matrix, int row, int col) {
      const auto* const from = part_of<RowsPart>(offered, arrived, matrix * 8 + row);
      return from == nullptr ? 0u : from->row[col / 2] >> (col % 2 * 16) & 0xffffu;
    };
    const int group = lane / 4, first = lane % 4 * 2, second = first + 1;
    for (int i = 0; i < part->matrices; ++i) {
      part->to[i] = part->transposed ? element(i, first, group) | element(i, second, group) << 16
                                     : element(i, group, first) | element(i, group, second) << 16;
    }
  }
}

bool needs_all_lanes(int source) {
  return source == static_cast<int>(WarpFold::product) ||
         source == static_cast<int>(WarpFold::rows);
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
