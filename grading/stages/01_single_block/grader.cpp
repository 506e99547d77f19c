#include <fmt/format.h>

#include "common/base/language.hpp"
#include "grading/stages/01_single_block/contract.hpp"
#include "grading/stages/block_shape_fixture.hpp"

namespace tilewise::grading {
namespace {

class MatmulSingleBlock : public BlockShapeTest {
 protected:
  MatmulCase with(dim3 block, int n) const override {
    return {.n = n,
            .mapping = {.tile = {static_cast<int>(block.x), static_cast<int>(block.y * block.z)},
                        .single_block = true},
            .call = [=](DeviceArray& A, DeviceArray& B, DeviceArray& C) {
              return contracts::matmul_single_block(A, B, C, n, block);
            }};
  }

  /// Expects a right product, computed by launches of a single block each.
  void expect_one_block(const MatmulCase& matmul) {
    for (const LaunchInfo& launch : expect_right(matmul).launch_list) {
      if (launch.grid == std::array{1U, 1U, 1U}) continue;
      fail({.message = tr(
                "{} was launched with a grid of {}x{}x{} blocks; this stage takes one block, which "
                "walks over all tiles of C.",
                launch.kernel.empty() ? "A kernel" : launch.kernel, launch.grid[0], launch.grid[1],
                launch.grid[2]),
            .hint = tr("Launch with a grid of 1, and let each thread step through C by blockDim."),
            .file = launch.file,
            .line = launch.line});
    }
  }

  std::string advice() const override {
    return tr(
        "Take one thread and follow it: which rows and columns does it visit, and which "
        "elements of A and B does it multiply for each?");
  }
};

TEST_F(MatmulSingleBlock, IsRightWhenTheBlockDividesN) {
  expect_right_for(dividing_shapes());
  expect_one_block(with(dim3(16, 16), 50));
}

TEST_F(MatmulSingleBlock, IsRightAtRaggedEdges) {
  expect_right_for(ragged_shapes());
  expect_small_orders();
  // This has more tiles than threads, and more elements than 16 bits can count.
  expect_right(with(dim3(16, 16), 265));
}

TEST_F(MatmulSingleBlock, IsRightForAnyBlockShape) {
  expect_right_for(unusual_shapes());
  expect_right_for(alternating_shapes());
}

TEST_F(MatmulSingleBlock, RefusesBadArguments) { expect_bad_arguments_refused(); }

TEST_F(MatmulSingleBlock, KeepsInsideItsMatrices) { expect_inside_for_all_shapes(); }

TEST_F(MatmulSingleBlock, IsFreeOfRacesAndStrayAccesses) { expect_clean_for_all_shapes(); }

TEST_F(MatmulSingleBlock, FetchesNeighboursTogether) {
  if (skipped_without_simulator()) return;
  for (const auto& [block, orders] : wide_shapes()) {
    for (const int n : orders) expect_joined_loads(count(with(block, n)), block, n);
  }
}

TEST_F(MatmulSingleBlock, StoresNeighboursTogether) {
  if (skipped_without_simulator()) return;
  for (const auto& [block, orders] : wide_shapes()) {
    for (const int n : orders) expect_joined_stores(count(with(block, n)), n);
  }
}

// One block keeps at most one multiprocessor busy, so the rate is only for comparison with later
// stages.
TEST_F(MatmulSingleBlock, ReportsGflops) {
  // On the simulator the one block runs on one core.
  const int n = options().models_rates() ? 256 : 512;
  measure(with(dim3(32, threads_per_block() / 32), n), "gflops");
}

}  // namespace
}  // namespace tilewise::grading
