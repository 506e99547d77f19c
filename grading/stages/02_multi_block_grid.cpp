#include <fmt/format.h>

#include "grading/stages/block_shape_test.hpp"
#include "labs/02_multi_block_grid/matmul_grid.hpp"

namespace tilewise::grading {
namespace {

constexpr auto matmul = CONTRACT(matmul_grid, "A", "B", "C", "n", "block");

class MatmulGrid : public BlockShapeTest {
 protected:
  MatmulCase with(dim3 block, int n) const override {
    return {.n = n,
            .mapping = {.tile = {static_cast<int>(block.x), static_cast<int>(block.y)}},
            .call = [=](DeviceArray& A, DeviceArray& B, DeviceArray& C) {
              return matmul(A, B, C, n, block);
            }};
  }

  std::string advice() const override {
    return "Take the thread that owns this element and compute its row and col by hand: "
           "row = blockIdx.y * blockDim.y + threadIdx.y, col = blockIdx.x * blockDim.x + "
           "threadIdx.x.";
  }
};

TEST_F(MatmulGrid, IsRightWhenTheBlockDividesN) { expect_right_for(dividing_shapes()); }

TEST_F(MatmulGrid, IsRightAtRaggedEdges) {
  expect_right_for(ragged_shapes());
  // More blocks than a fixed grid would have, more elements than 16 bits count.
  expect_right(with(dim3(16, 16), 1031));
}

TEST_F(MatmulGrid, IsRightForAnyBlockShape) { expect_right_for(unusual_shapes()); }

TEST_F(MatmulGrid, IsRightForOrdersOneAndZero) { expect_small_orders(); }

TEST_F(MatmulGrid, DependsOnItsArgumentsAlone) { expect_right_for(alternating_shapes()); }

TEST_F(MatmulGrid, KeepsInsideItsMatrices) { expect_inside_for_all_shapes(); }

TEST_F(MatmulGrid, RefusesBadArguments) { expect_bad_arguments_refused(); }

TEST_F(MatmulGrid, ComputesWithManyBlocksOnTheDevice) {
  const CallReply reply = expect_right(with(dim3(16, 16), 50));
  unsigned blocks = 0;
  for (const LaunchInfo& launch : reply.launch_list) {
    blocks += launch.grid[0] * launch.grid[1] * launch.grid[2];
  }
  if (blocks > 1) return;
  fail({.message =
            "A single block of 256 threads computed all 2500 elements; this stage takes a grid "
            "of blocks, one thread for each element.",
        .hint = "Launch n / block.x by n / block.y blocks, both rounded up."});
}

// A minimum that tells wide from narrow memory accesses, no more: on a GTX 280 blocks of 128x1
// reach 5.9% of the peak, blocks of 1x128, whose accesses do not join, 0.6% (muni2009).
TEST_F(MatmulGrid, ReachesMinimumGflops) {
  if (skipped_without_gpu()) return;
  const dim3 block(32, 16);  // rows of a warp; the fastest shape of the solution on an H200
  measure(with(block, 1024), "gflops_n1024");
  measure(with(block, 2048), "gflops_n2048");
  expect_fraction_of_peak(with(block, 4096), 0.02);
}

}  // namespace
}  // namespace tilewise::grading
