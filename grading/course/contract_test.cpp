#include "grading/course/contract.hpp"

#include <gtest/gtest.h>

#include <concepts>

#include "grading/examiner/device_array.hpp"

// These functions are declared but never defined: a grader knows a contract function only by its
// header.
cudaError_t with_block(const float* A, const float* B, float* C, int n, dim3 block);
cudaError_t with_tile(const float* A, float* C, int n, int tile);
cudaError_t in_double(int n, double alpha, const double* A, int lda, double* B);

namespace tilewise::grading {
namespace {

constexpr auto block_contract =
    CONTRACT(with_block, "2 * n", "A(1, n)", "B(1, n)", "C(2, n)", "n", "block");
constexpr auto tile_contract = CONTRACT(with_tile, "", "A(1, n)", "C(2, n)", "n", "tile");
constexpr auto double_contract =
    CONTRACT(in_double, "n", "n", "alpha=1", "A(n, n, lda)", "lda=n", "B(n, n)");

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

TEST(Contract, TellsWhatItsParametersAre) {
  const ContractInfo info = block_contract.info();
  EXPECT_EQ(info.function, "with_block");
  const struct {
    const char* name;
    ParameterKind kind;
    std::size_t element_bytes;
    bool read_only;
  } expected[] = {
      {"A", ParameterKind::matrix, 4, true},      {"B", ParameterKind::matrix, 4, true},
      {"C", ParameterKind::matrix, 4, false},     {"n", ParameterKind::integer, 0, false},
      {"block", ParameterKind::extent, 0, false},
  };
  ASSERT_EQ(info.parameters.size(), std::size(expected));
  for (std::size_t i = 0; i < std::size(expected); ++i) {
    EXPECT_EQ(info.parameters[i].name, expected[i].name);
    EXPECT_EQ(info.parameters[i].kind, expected[i].kind) << expected[i].name;
    EXPECT_EQ(info.parameters[i].element_bytes, expected[i].element_bytes) << expected[i].name;
    EXPECT_EQ(info.parameters[i].read_only, expected[i].read_only) << expected[i].name;
  }
  EXPECT_EQ(info.parameters[2].shape, "2, n");
  EXPECT_EQ(info.parameters[3].shape, "");
  EXPECT_EQ(info.flop, "2 * n");
}

TEST(Contract, NamesRealsAsTheyAreWritten) {
  DeviceArray A("A", Access::input, 2, 2, 2, ElementType::float64);
  EXPECT_EQ(double_contract(2, 1, A, 5, A).text, "in_double(n=2, alpha=1, lda=5)");
  EXPECT_EQ(double_contract(2, -0.5, A, 5, A).text, "in_double(n=2, alpha=-0.5, lda=5)");
  EXPECT_EQ(std::get<double>(double_contract(2, 0.1, A, 5, A).arguments[1]), 0.1);
}

TEST(Contract, TellsDefaultsAndPrecision) {
  const ContractInfo info = double_contract.info();
  const struct {
    const char* name;
    ParameterKind kind;
    std::size_t element_bytes;
    bool read_only;
    const char* default_value;
  } expected[] = {
      {"n", ParameterKind::integer, 0, false, ""}, {"alpha", ParameterKind::real, 0, false, "1"},
      {"A", ParameterKind::matrix, 8, true, ""},   {"lda", ParameterKind::integer, 0, false, "n"},
      {"B", ParameterKind::matrix, 8, false, ""},
  };
  ASSERT_EQ(info.parameters.size(), std::size(expected));
  for (std::size_t i = 0; i < std::size(expected); ++i) {
    SCOPED_TRACE(expected[i].name);
    EXPECT_EQ(info.parameters[i].name, expected[i].name);
    EXPECT_EQ(info.parameters[i].kind, expected[i].kind);
    EXPECT_EQ(info.parameters[i].element_bytes, expected[i].element_bytes);
    EXPECT_EQ(info.parameters[i].read_only, expected[i].read_only);
    EXPECT_EQ(info.parameters[i].default_value, expected[i].default_value);
  }
}

using TileContract = decltype(tile_contract);
static_assert(std::invocable<TileContract, DeviceArray&, DeviceArray&, int, int>);
static_assert(!std::invocable<TileContract, DeviceArray&, DeviceArray&, int>);
static_assert(!std::invocable<TileContract, DeviceArray&, int, DeviceArray&, int>);
static_assert(!std::invocable<TileContract, DeviceArray&, DeviceArray&, int, dim3>);

}  // namespace
}  // namespace tilewise::grading
