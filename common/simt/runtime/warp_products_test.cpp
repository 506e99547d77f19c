#include "common/simt/runtime/warp_products.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "common/base/files.hpp"
#include "common/simt/include/mma.h"

namespace tilewise::simt {
namespace {

using Numbers = ProductPart::Numbers;

/// A sum of products that a tensor core has computed.
struct MeasuredSum {
  std::string instruction;
  ProductPart of;
  std::vector<float> a, b;
  float c, d;
};

Numbers numbers_of(const std::string& instruction) {
  if (instruction == "tf32" || instruction == "wmma_tf32") return Numbers::tf32;
  return instruction == "wmma_bf16" ? Numbers::bfloat16 : Numbers::half;
}

float number(std::uint32_t bits, Numbers numbers) {
  switch (numbers) {
    case Numbers::half:
      return __half2float(__ushort_as_half(static_cast<unsigned short>(bits)));
    case Numbers::bfloat16:
      return std::bit_cast<float>(bits << 16);
    default:
      return std::bit_cast<float>(bits & ~0x1fffu);
  }
}

std::vector<MeasuredSum> measured_sums() {
  std::ifstream file(core::project_root() / "common/simt/test/testdata/tensor_sums_h200.csv");
  std::vector<MeasuredSum> all;
  std::string line;
  std::getline(file, line);  // the names of the columns
  while (std::getline(file, line)) {
    std::istringstream cells(line);
    MeasuredSum& sum = all.emplace_back();
    std::getline(cells, sum.instruction, ',');
    std::vector<std::uint32_t> bits;
    for (std::string cell; std::getline(cells, cell, ',');) {
      bits.push_back(static_cast<std::uint32_t>(std::stoul(cell, nullptr, 16)));
    }
    const Numbers numbers = numbers_of(sum.instruction);
    sum.c = std::bit_cast<float>(bits.at(0));
    sum.d = std::bit_cast<float>(bits.at(1));
    for (std::size_t i = 2; i + 1 < bits.size(); i += 2) {
      sum.a.push_back(number(bits[i], numbers));
      sum.b.push_back(number(bits[i + 1], numbers));
    }
    const bool is_of_ptx = sum.instruction == "f16" || sum.instruction == "tf32";
    sum.of = {numbers, 1,       1,      static_cast<int>(sum.a.size()), is_of_ptx ? 1 : 0, nullptr,
              nullptr, nullptr, nullptr};
  }
  return all;
}

TEST(TensorSums, AreThoseOfAnH200BitByBit) {
  const std::vector<MeasuredSum> all = measured_sums();
  ASSERT_GE(all.size(), 300u);
  for (std::size_t i = 0; i < all.size(); ++i) {
    const MeasuredSum& sum = all[i];
    float found = sum.c;
    tensor_sums(sum.of, sum.a.data(), sum.b.data(), &found);
    EXPECT_EQ(std::bit_cast<std::uint32_t>(found), std::bit_cast<std::uint32_t>(sum.d))
        << sum.instruction << " on line " << i + 2 << ": " << found << ", measured " << sum.d;
  }
}

}  // namespace
}  // namespace tilewise::simt
