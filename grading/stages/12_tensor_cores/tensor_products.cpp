#include "grading/stages/12_tensor_cores/tensor_products.hpp"

#include <fmt/format.h>

#include "common/base/language.hpp"
#include "grading/profile/numbers.hpp"

namespace tilewise::grading {

std::optional<Finding> few_tensor_products(const CountedCall& call,
                                           std::uint64_t simt::Counters::*products,
                                           std::uint64_t needed, int times) {
  const std::uint64_t made = call.use.total.*products;
  if (made >= needed) return std::nullopt;
  const std::string of_result =
      times == 1 ? tr("one for each product") : tr("{} for each product", times);
  return Finding{
      .message = made == 0 ? call.text + tr(" never uses tensor cores for numbers of this type.")
                           : tr("{}: tensor cores make {} multiply-adds; {} are needed, {}.",
                                call.text, with_commas(made), with_commas(needed), of_result),
      .hint =
          tr("Multiply by mma_sync() of nvcuda::wmma, or by a function of tilewise/ptx.hpp, and "
             "fill tiles that hang over an edge with zeros rather than compute there otherwise.")};
}

TrafficTheory tiles_fetched_once(int m, int n, int k, int element_bytes) {
  constexpr std::uint64_t side = 64, lanes = 32;
  const auto blocks = [](int count) { return (std::uint64_t(count) + side - 1) / side; };
  const std::uint64_t elements =
      std::uint64_t(m) * k * blocks(n) + std::uint64_t(k) * n * blocks(m);
  return {.requests = elements / lanes,
          .sectors = elements * element_bytes / sector_bytes,
          .reason = tr("with blocks of {0} x {0} results, {1} columns of them need all of "
                       "A once, and {2} rows all of B",
                       side, blocks(n), blocks(m))};
}

}  // namespace tilewise::grading
