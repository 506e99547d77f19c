#include <fmt/format.h>

#include <string>

#include "common/base/language.hpp"
#include "grading/stages/02_multi_block_grid/contract.hpp"
#include "grading/stages/block_shape_fixture.hpp"

namespace tilewise::grading {
namespace {

class MatmulGrid : public BlockShapeTest {
 protected:
  MatmulCase with(dim3 block, int n) const override {
    return {.n = n,
            .mapping = {.tile = {static_cast<int>(block.x), static_cast<int>(block.y * block.z)}},
            .call = [=](DeviceArray& A, DeviceArray& B, DeviceArray& C) {
              return contracts::matmul_grid(A, B, C, n, block);
            }};
  }

  /// Expects a right product of more than one block.
  void expect_many_blocks(const MatmulCase& matmul) {
    unsigned blocks = 0;
    for (const LaunchInfo& launch : expect_right(matmul).launch_list) {
      blocks += launch.grid[0] * launch.grid[1] * launch.grid[2];
    }
    if (blocks > 1) return;
    fail({.message = tr("A single block computed all {} elements; this stage takes a grid "
                        "of blocks, one thread for each element.",
                        matmul.n * matmul.n),
          .hint = tr("Launch n / block.x by n / block.y blocks, both rounded up.")});
  }

  std::string advice() const override {
    return tr(
        "Take the thread that owns this element and compute its row and col by hand: "
        "row = blockIdx.y * blockDim.y + threadIdx.y, col = blockIdx.x * blockDim.x + "
        "threadIdx.x.");
  }
};

TEST_F(MatmulGrid, IsRightWhenTheBlockDividesN) {
  expect_right_for(dividing_shapes());
  expect_many_blocks(with(dim3(16, 16), 50));
}

TEST_F(MatmulGrid, IsRightAtRaggedEdges) {
  expect_right_for(ragged_shapes());
  expect_small_orders();
  // These have more elements than 16 bits can count, and more blocks than a fixed grid would have.
  expect_right(with(dim3(16, 16), 523));
  expect_right_with_many_blocks(with(dim3(16, 16), 1031));
}

TEST_F(MatmulGrid, IsRightForAnyBlockShape) {
  expect_right_for(unusual_shapes());
  expect_right_for(alternating_shapes());
}

TEST_F(MatmulGrid, RefusesBadArguments) { expect_bad_arguments_refused(); }

TEST_F(MatmulGrid, KeepsInsideItsMatrices) { expect_inside_for_all_shapes(); }

TEST_F(MatmulGrid, IsFreeOfRacesAndStrayAccesses) { expect_clean_for_all_shapes(); }

TEST_F(MatmulGrid, FetchesNeighboursTogether) {
  if (skipped_without_simulator()) return;
  for (const auto& [block, orders] : wide_shapes()) {
    for (const int n : orders) expect_joined_loads(count(with(block, n)), block, n);
  }
  // This records what the block's shape decides, whatever the kernel: a warp of the second shape
  // covers 32 rows.
  for (const dim3 block : {dim3(128, 1), dim3(1, 128)}) {
    const simt::Counters total = count(with(block, 256)).use.total;
    const std::string shape = fmt::format("{}x{}", block.x, block.y);
    record_measurement("sectors_a_load_" + shape, sectors_per_request(total, global_loads));
    record_measurement("load_efficiency_pct_" + shape, efficiency_pct(total, global_loads));
  }
}

TEST_F(MatmulGrid, StoresNeighboursTogether) {
  if (skipped_without_simulator()) return;
  for (const auto& [block, orders] : wide_shapes()) {
    for (const int n : orders) expect_joined_stores(count(with(block, n)), n);
  }
}

// The minimum only has to tell wide from narrow memory accesses. On a GTX 280 blocks of 128x1 reach
// 5.9% of the peak, and blocks of 1x128, whose accesses are not coalesced, 0.6% (muni2009). On an
// H200 right kernels of other styles reach 39% of the solution and more; kernels with narrow
// accesses, or with sums in C, reach 25% and less.
TEST_F(MatmulGrid, ReachesMinimumGflops) {
  const dim3 block(32, 16);  // each warp is a row; the solution's fastest shape on an H200
  if (!options().models_rates()) {
    measure(with(block, 1024), "gflops_n1024");
    measure(with(block, 2048), "gflops_n2048");
  }
  expect_fast_enough(with(block, large_order()), minimum_speed(),
                     tr("Neighbouring threads should read and write neighbouring elements of B "
                        "and C, so that the accesses of a warp join: take the column from "
                        "threadIdx.x and the row from threadIdx.y."));
}

}  // namespace
}  // namespace tilewise::grading
