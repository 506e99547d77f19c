#include "common/simt/runtime/warp_products.hpp"

#include <vector>

#include "common/simt/include/mma.h"

namespace tilewise::simt {
namespace {

const ProductPart* part_of(const std::uint64_t (&offered)[32], unsigned arrived, std::size_t lane) {
  return (arrived >> lane & 1u) != 0 ? reinterpret_cast<const ProductPart*>(offered[lane])
                                     : nullptr;
}

/// One of the three matrices, row by row. Elements of lanes that did not come are 0.
template <class Number>
std::vector<Number> gathered(const std::uint64_t (&offered)[32], unsigned arrived,
                             const void* ProductPart::*matrix, int elements) {
  std::vector<Number> all(static_cast<std::size_t>(elements));
  for (std::size_t e = 0; e < all.size(); ++e) {
    const ProductPart* const part = part_of(offered, arrived, e % 32);
    if (part != nullptr) all[e] = static_cast<const Number*>(part->*matrix)[e / 32];
  }
  return all;
}

template <class Number>
void multiply(const std::uint64_t (&offered)[32], unsigned arrived, int m, int n, int k) {
  const auto a = gathered<Number>(offered, arrived, &ProductPart::a, m * k);
  const auto b = gathered<Number>(offered, arrived, &ProductPart::b, k * n);
  auto d = gathered<Number>(offered, arrived, &ProductPart::c, m * n);
  const auto at = [](int row, int columns, int column) {
    return static_cast<std::size_t>(row * columns + column);
  };
  for (int row = 0; row < m; ++row) {
    for (int i = 0; i < k; ++i) {
      for (int column = 0; column < n; ++column) {
        d[at(row, n, column)] += a[at(row, k, i)] * b[at(i, n, column)];
      }
    }
  }
  for (std::size_t e = 0; e < d.size(); ++e) {
    const ProductPart* const part = part_of(offered, arrived, e % 32);
    if (part != nullptr) static_cast<Number*>(part->d)[e / 32] = d[e];
  }
}

}  // namespace

void multiply_of_warp(const std::uint64_t (&offered)[32], unsigned arrived) {
  std::size_t first = 0;
  while (part_of(offered, arrived, first) == nullptr) ++first;
  const ProductPart& of = *part_of(offered, arrived, first);
  switch (of.numbers) {
    case ProductPart::Numbers::real:
      return multiply<float>(offered, arrived, of.m, of.n, of.k);
    case ProductPart::Numbers::double_real:
      return multiply<double>(offered, arrived, of.m, of.n, of.k);
    case ProductPart::Numbers::whole:
      return multiply<int>(offered, arrived, of.m, of.n, of.k);
  }
}

}  // namespace tilewise::simt
