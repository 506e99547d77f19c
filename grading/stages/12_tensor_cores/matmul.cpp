#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "common/base/language.hpp"
#include "common/gpu/capability.hpp"
#include "grading/examiner/matrix_fixtures.hpp"
#include "grading/profile/numbers.hpp"
#include "grading/stages/12_tensor_cores/contract.hpp"
#include "grading/stages/12_tensor_cores/tensor_products.hpp"

namespace tilewise::grading {
namespace {

/// A function of this stage that computes C = A * B, and the instructions that it uses.
struct TensorFunction {
  std::function<Call(DeviceArray& A, DeviceArray& B, DeviceArray& C, int n)> call;
  ElementType element = ElementType::float16;
  /// The number of tensor-core products for each product.
  int times = 1;
  std::uint64_t simt::Counters::*products = &simt::Counters::tensor_half_products;
  int compute_major = 8;  ///< the compute capability that it needs

  int element_bytes() const { return element == ElementType::float16 ? 2 : 4; }

  MatmulCase with(int n) const {
    return {.n = n,
            .mapping = {.tile = {}, .known = Mapping::Known::nothing},
            .call = [function = call, n](DeviceArray& A, DeviceArray& B,
                                         DeviceArray& C) { return function(A, B, C, n); },
            .inputs = element,
            .multipliers = element == ElementType::float16 ? Multipliers::tensor_half
                                                           : Multipliers::tensor_3xtf32};
  }
};

const TensorFunction wmma = {.call = contracts::matmul_wmma, .compute_major = 7};
const TensorFunction mma = {.call = contracts::matmul_mma};
const TensorFunction three_of_tf32 = {.call = contracts::matmul_3xtf32,
                                      .element = ElementType::float32,
                                      .times = 3,
                                      .products = &simt::Counters::tensor_tf32_products};

class MatmulTensor : public MatmulTest {
 protected:
  /// Skips the test on a GPU without the instructions of a function. Returns whether it did.
  bool skipped_without(const TensorFunction& function) {
    if (device().compute_major >= function.compute_major) return false;
    return skip(
        tr("The {} has compute capability {}.{}; the instructions came with {}.0.", device().name,
           device().compute_major, device().compute_minor, function.compute_major),
        tr("Grade with --backend simt, which simulates an H200."));
  }

  /// Expects right products for orders that tiles divide, orders that end within a tile, and orders
  /// with unaligned rows, and expects invalid calls to be refused.
  void expect_right_for_any_order(const TensorFunction& function) {
    // The first orders are multiples of most tiles. The second are multiples of the units of
    // ldmatrix and copies, but of no tile. The third are neither.
    for (const int n : {256, 128, 64, 16, 32}) expect_right(function.with(n));
    for (const int n : {136, 72, 40, 8, 132, 100, 4}) expect_right(function.with(n));
    for (const int n : {257, 129, 127, 63, 65, 37, 97, 202}) expect_right(function.with(n));
    expect_right(function.with(1));
    expect_nothing_done(function.with(0));
    expect_right(function.with(2));
    for (const int negative : {-1, -128, std::numeric_limits<int>::min()}) {
      expect_refused(function.with(negative), 20, tr("n is negative"));
    }
    expect_right(function.with(24));
  }

  /// Expects tensor cores to compute each product, from elements that a block has fetched once.
  void expect_tensor_cores_and_shared_tiles(const TensorFunction& function) {
    constexpr int n = 256;
    const CountedCall call = count(function.with(n));
    const std::uint64_t cubed = std::uint64_t(n) * n * n;
    if (const auto few =
            few_tensor_products(call, function.products, function.times * cubed, function.times)) {
      fail(*few);
    }
    // A helper kernel may split elements beforehand; it then stores two parts of each, and a block
    // fetches both.
    const double slack = function.times == 1 ? slack_of_tiles : 2 * slack_of_tiles;
    expect_traffic(call, global_loads, tiles_fetched_once(n, n, n, function.element_bytes()), slack,
                   core::in_language(advice_on_tiles));
    if (function.times == 1) expect_joined_stores(call, n);
  }

  std::string advice() const override {
    return tr(
        "Follow one element of C: which lane's register it is, of which rows and columns of the "
        "operands it is summed up (the layouts are in tilewise/ptx.hpp), and from where in the "
        "tiles these came. Then look at the zeros beyond the edge, and at what a step waits "
        "for.");
  }
};

class MatmulWmma : public MatmulTensor {};
class MatmulMma : public MatmulTensor {};
class Matmul3xTf32 : public MatmulTensor {};

TEST_F(MatmulWmma, IsRightForAnyOrder) {
  if (!skipped_without(wmma)) expect_right_for_any_order(wmma);
}

TEST_F(MatmulMma, IsRightForAnyOrder) {
  if (!skipped_without(mma)) expect_right_for_any_order(mma);
}

TEST_F(Matmul3xTf32, IsAsPreciseAsFloats) {
  if (skipped_without(three_of_tf32)) return;
  expect_right_for_any_order(three_of_tf32);
  // A tensor core truncates the sum in each step. If no product is negative, that loses more than
  // is allowed, or a third of that if sums restart every 256 products.
  MatmulCase positive = three_of_tf32.with(options().on_gpu() ? 2048 : 768);
  positive.is_positive = true;
  if (options().on_gpu()) {
    expect_right(positive);
  } else {
    measure(positive, "gflops_of_positive");  // a few blocks suffice; all of them would take long
  }
}

TEST_F(MatmulMma, IsFreeOfRacesAndStrayAccesses) {
  std::vector<MatmulCase> cases;
  for (const TensorFunction& function : {mma, wmma, three_of_tf32}) {
    if (skipped_without(function)) return;
    for (const int n : {128, 1, 72, 37, 130}) cases.push_back(function.with(n));
  }
  expect_clean(cases);
  for (const TensorFunction& function : {mma, wmma, three_of_tf32}) {
    for (const int n : {1, 7, 8, 64, 65, 136}) expect_inside(function.with(n));
  }
}

TEST_F(MatmulMma, KeepsItsTilesInDifferentBanks) {
  if (skipped_without_simulator()) return;
  for (const TensorFunction& function : {mma, wmma, three_of_tf32}) {
    expect_tensor_cores_and_shared_tiles(function);
  }
  const CountedCall call = count(mma.with(256));
  if (call.use.total.shared_load_requests == 0) {
    fail({.message = call.text + tr(" never reads shared memory."),
          .hint = tr("Bring tiles of A and B into shared memory, and the operands of mma.sync from "
                     "there by ldmatrix.")});
  }
  // Copies of 4 bytes into padded rows have some conflicts.
  const simt::Counters& total = call.use.total;
  const std::uint64_t wavefronts = total.shared_load_wavefronts + total.shared_store_wavefronts;
  const bool has_many = 4 * total.shared_bank_conflicts > wavefronts;
  if (auto excess = excess_bank_conflicts(call, lanes_of_a_request()); excess && has_many) {
    excess->hint = tr(
        "ldmatrix reads 8 rows of 16 bytes at a time: they lie in all 32 banks if unit u of row r "
        "is kept at u ^ (r % 8), or if rows are 16 bytes longer than a multiple of 128.");
    fail(*excess);
  }
}

// On an H200 at n = 8192 matmul_wmma reaches 46% of matmul_mma, and floats without tensor cores, as
// cuBLAS multiplies them, 66% of matmul_3xtf32 (docs/measurements/2026-11-23-tensor-cores-h200.md).
// An order that can be modelled in reasonable time has fewer blocks than an H200 has
// multiprocessors, so that few kernels differ in speed. Another test checks that they use tensor
// cores.
TEST_F(MatmulMma, ReachesMinimumGflops) {
  if (skipped_without(mma)) return;
  const int n = large_order();
  if (!options().models_rates()) measure(wmma.with(n), "gflops_wmma");
  SpeedMinimum of_floats = minimum_speed();
  of_floats.of_reference = 0.75;
  of_floats.of_peak = 0.35;
  // Each element takes three products, so half the order has enough of them to model.
  expect_fast_enough(
      three_of_tf32.with(options().models_rates() ? n / 2 : n), of_floats,
      tr("Split elements as they come from shared memory, in three instructions "
         "each, and let each that is split serve a warp's tile of 64 x 32 results or "
         "more. Copies should be several tiles ahead, operands one step."),
      "3xtf32");
  expect_fast_enough(mma.with(n), minimum_speed(),
                     tr("A warp should compute 64 x 64 results, so that it reads little of shared "
                        "memory for each product, and have the operands of the next step on their "
                        "way. Copies should be several tiles ahead."));
}

}  // namespace
}  // namespace tilewise::grading
