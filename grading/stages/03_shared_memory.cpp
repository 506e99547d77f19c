#include <limits>

#include "grading/examiner/matmul_test.hpp"
#include "labs/03_shared_memory/matmul_shared.hpp"

namespace tilewise::grading {
namespace {

constexpr auto matmul = CONTRACT(matmul_shared, "A", "B", "C", "n", "tile");

class MatmulShared : public MatmulTest {
 protected:
  static MatmulCase with(int tile, int n) {
    return {.n = n,
            .mapping = {.tile = {tile, tile}},
            .call = [=](DeviceArray& A, DeviceArray& B, DeviceArray& C) {
              return matmul(A, B, C, n, tile);
            }};
  }

  // The contract's tiles, without those whose blocks the first GPUs cannot launch.
  std::vector<int> tiles() const {
    std::vector<int> tiles = {8, 16, 22, 32};
    std::erase_if(tiles, [&](int tile) { return tile * tile > threads_per_block(); });
    return tiles;
  }

  std::string advice() const override {
    return "Check both barriers (after the tiles are filled, and before they are filled again), "
           "the indices with which the tiles are filled, and the zeros beyond the edge.";
  }
};

TEST_F(MatmulShared, IsRightWhenTheTileDividesN) {
  for (const int tile : tiles()) {
    for (const int n : {tile, 2 * tile, 3 * tile, 5 * tile}) expect_right(with(tile, n));
  }
}

TEST_F(MatmulShared, IsRightAtRaggedEdges) {
  for (const int tile : tiles()) {
    for (const int n :
         {tile - 1, tile + 1, 2 * tile - 1, 2 * tile + 1, 3 * tile + tile / 2, 37, 97}) {
      expect_right(with(tile, n));
    }
  }
  // More tiles than a fixed grid would have, more elements than 16 bits count.
  expect_right(with(8, 523));
}

TEST_F(MatmulShared, IsRightForOrdersOneAndZero) {
  for (const int tile : tiles()) {
    expect_right(with(tile, 1));
    expect_nothing_done(with(tile, 0));
    expect_right(with(tile, 2));
  }
}

TEST_F(MatmulShared, DependsOnItsArgumentsAlone) {
  for (const int n : {50, 50, 13, 64, 50}) {
    for (const int tile : tiles()) expect_right(with(tile, n));
  }
}

TEST_F(MatmulShared, KeepsInsideItsMatrices) {
  for (const int tile : tiles()) {
    for (const int n : {1, tile - 1, tile, tile + 1, 50}) expect_inside(with(tile, n));
  }
}

TEST_F(MatmulShared, RefusesBadArguments) {
  constexpr int n = 20;
  expect_right(with(16, n));
  for (const int tile : tiles()) {
    for (const int negative : {-1, -tile, std::numeric_limits<int>::min()}) {
      expect_refused(with(tile, negative), n, "n is negative");
    }
  }
  for (const int tile : {0, 1, 4, 7, 9, 15, 17, 21, 24, 31, 33, 64, 1024, -8, -16}) {
    expect_refused(with(tile, n), n, "the tile is none of 8, 16, 22 and 32");
  }
  expect_right(with(16, n));
}

TEST_F(MatmulShared, ComputesOnTheDevice) { expect_right(with(16, 50)); }

// A third of what this kernel reaches on a GTX 1080 at n = 4096, tile 32: 13% of the peak
// (put2025).
TEST_F(MatmulShared, ReachesMinimumGflops) {
  if (skipped_without_gpu()) return;
  measure(with(32, 1024), "gflops_n1024");
  measure(with(32, 2048), "gflops_n2048");
  expect_fraction_of_peak(with(32, 4096), 0.04);
}

}  // namespace
}  // namespace tilewise::grading
