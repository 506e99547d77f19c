#include "grading/examiner/contract.hpp"

#include <gtest/gtest.h>

#include <concepts>

// Declared, never defined: a grader knows no more of a contract function than its header says.
cudaError_t with_block(const float* A, const float* B, float* C, int n, dim3 block);
cudaError_t with_tile(const float* A, float* C, int n, int tile);

namespace tilewise::grading {
namespace {

constexpr auto block_contract = CONTRACT(with_block, "A", "B", "C", "n", "block");
constexpr auto tile_contract = CONTRACT(with_tile, "A", "C", "n", "tile");

TEST(Contract, NamesTheCallWithoutItsMatrices) {
  DeviceArray A("A", Access::input, 2, 2);
  DeviceArray C("C", Access::output, 2, 2);
  EXPECT_EQ(tile_contract(A, C, 37, 16).text, "with_tile(n=37, tile=16)");
  EXPECT_EQ(block_contract(A, A, C, -1, dim3(128)).text, "with_block(n=-1, block=128x1)");
  EXPECT_EQ(block_contract(A, A, C, 5, dim3(4, 3, 2)).text, "with_block(n=5, block=4x3x2)");
}

TEST(Contract, KeepsTheOrderOfTheArguments) {
  DeviceArray A("A", Access::input, 2, 2);
  DeviceArray B("B", Access::input, 2, 2);
  DeviceArray C("C", Access::output, 2, 2);
  const Call call = block_contract(A, B, C, 2, dim3(7, 13));
  EXPECT_EQ(call.function, "with_block");
  ASSERT_EQ(call.arguments.size(), 5U);
  EXPECT_EQ(std::get<DeviceArray*>(call.arguments[0]), &A);
  EXPECT_EQ(std::get<DeviceArray*>(call.arguments[1]), &B);
  EXPECT_EQ(std::get<DeviceArray*>(call.arguments[2]), &C);
  EXPECT_EQ(std::get<std::int64_t>(call.arguments[3]), 2);
  EXPECT_EQ((std::get<std::array<unsigned, 3>>(call.arguments[4])), (std::array{7U, 13U, 1U}));
}

using TileContract = decltype(tile_contract);
static_assert(std::invocable<TileContract, DeviceArray&, DeviceArray&, int, int>);
static_assert(!std::invocable<TileContract, DeviceArray&, DeviceArray&, int>);
static_assert(!std::invocable<TileContract, DeviceArray&, int, DeviceArray&, int>);
static_assert(!std::invocable<TileContract, DeviceArray&, DeviceArray&, int, dim3>);

}  // namespace
}  // namespace tilewise::grading
