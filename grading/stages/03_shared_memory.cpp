#include <fmt/format.h>

#include <cstdint>
#include <limits>

#include "common/theory/matmul_counts.hpp"
#include "grading/examiner/matmul_test.hpp"
#include "grading/stages/03_shared_memory_contract.hpp"

namespace tilewise::grading {
namespace {

class MatmulShared : public MatmulTest {
 protected:
  static MatmulCase with(int tile, int n) {
    return {.n = n,
            .mapping = {.tile = {tile, tile}},
            .call = [=](DeviceArray& A, DeviceArray& B, DeviceArray& C) {
              return contracts::matmul_shared(A, B, C, n, tile);
            }};
  }

  // The contract's tiles, without those whose blocks the first GPUs cannot launch.
  std::vector<int> tiles() const {
    std::vector<int> tiles = {8, 16, 22, 32};
    std::erase_if(tiles, [&](int tile) { return tile * tile > threads_per_block(); });
    return tiles;
  }

  /// Expects A and B to be loaded once for each row and each column of blocks, by neighbouring
  /// threads beside each other.
  void expect_tiled_loads(const CountedCall& call, int tile, int n) {
    // Room for a tile too many in each direction, or one more step. Scattered accesses take more
    // than twice as much, a kernel without tiles `tile` times.
    constexpr double slack = 1.5;
    const std::uint64_t elements = theory::tiled_accesses({.tile = tile}, n).loads;
    const bool rows_begin_at_sectors = n % 8 == 0 && tile % 8 == 0;
    const std::uint64_t sectors_a_row =
        theory::fewest_sectors(tile) + (rows_begin_at_sectors ? 0 : 1);
    expect_traffic(
        call, global_loads,
        {.requests = elements / lanes_of_a_request(),
         .sectors = elements / tile * sectors_a_row,
         .reason = fmt::format("each of the {0} rows and {0} columns of blocks needs all of A or B "
                               "once",
                               theory::blocks_along_x({.tile = tile}, n))},
        slack,
        "Load each element of a tile once a block, into shared memory, and let the inner loop read "
        "the tiles alone.");
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
    expect_right(with(tile, 1));
    expect_nothing_done(with(tile, 0));
    expect_right(with(tile, 2));
  }
  // More tiles than a fixed grid would have, more elements than 16 bits count.
  expect_right(with(8, 523));
}

TEST_F(MatmulShared, DependsOnItsArgumentsAlone) {
  for (const int n : {50, 50, 13, 64, 50}) {
    for (const int tile : tiles()) expect_right(with(tile, n));
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

TEST_F(MatmulShared, KeepsInsideItsMatrices) {
  for (const int tile : tiles()) {
    for (const int n : {1, tile - 1, tile, tile + 1, 50}) expect_inside(with(tile, n));
  }
}

TEST_F(MatmulShared, IsFreeOfRacesAndStrayAccesses) {
  std::vector<MatmulCase> cases;
  for (const int tile : tiles()) {
    for (const int n : {1, tile, 2 * tile, 2 * tile + tile / 2}) cases.push_back(with(tile, n));
  }
  expect_clean(cases);
}

TEST_F(MatmulShared, FetchesEachTileOnce) {
  if (skipped_without_simulator()) return;
  for (const int tile : tiles()) {
    const int whole = 8 * tile, ragged = whole + tile / 2 + 1;
    for (const int n : {whole, ragged}) {
      const CountedCall call = count(with(tile, n));
      expect_tiled_loads(call, tile, n);
      expect_joined_stores(call, n);
    }
  }
}

TEST_F(MatmulShared, KeepsItsThreadsInDifferentBanks) {
  if (skipped_without_simulator()) return;
  for (const int tile : tiles()) {
    if (tile != 16 && tile != 32) continue;  // rows of the others do not fit a warp or the banks
    const CountedCall call = count(with(tile, 4 * tile));
    if (call.use.total.shared_load_requests == 0) {
      fail({.message = call.text + " never read shared memory.",
            .hint = "Bring tiles of A and B into __shared__ arrays, and let the inner loop read "
                    "these."});
    }
    if (const auto excess = excess_bank_conflicts(call)) fail(*excess);
  }
}

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
