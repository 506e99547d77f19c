#include <fmt/format.h>

#include <cstdint>

#include "common/base/language.hpp"
#include "grading/stages/04_prefetch/contract.hpp"
#include "grading/stages/three_tiles_fixture.hpp"

namespace tilewise::grading {
namespace {

class PrefetchTest : public ThreeTilesTest {
 protected:
  template <typename Function>
  static TiledFunction prefetching(const Function& function, int tile) {
    return {.with = [&function, tile](int n) -> MatmulCase {
              return {.n = n,
                      .mapping = {.tile = {tile, tile}},
                      .call = [&function, n, tile](DeviceArray& A, DeviceArray& B, DeviceArray& C) {
                        return function(A, B, C, n, tile);
                      }};
            },
            .rows = tile,
            .cols = tile,
            .a_run = tile,
            .b_run = tile};
  }

  void expect_each_tile_fetched_once() {
    for (const int tile : tiles()) {
      const int whole = steps * tile, ragged = whole + tile / 2 + 1;
      for (const int n : {whole, ragged}) expect_tiled_traffic(with(tile), n);
    }
    for (const int tile : tiles_of_all_banks()) expect_different_banks(with(tile), 4 * tile);
  }

  // The number of steps along k, and of blocks along each side of C, in counted calls.
  static constexpr int steps = 8;

  std::string advice() const override {
    return tr(
        "Check that the tiles hold what the step that reads them needs: the first pair is "
        "fetched before the loop, each other pair one step ahead. No store may overwrite what "
        "somebody still reads, and beyond the edges there are zeros.");
  }
};

class MatmulPrefetchRegister : public PrefetchTest {
 protected:
  TiledFunction with(int tile) const override {
    return prefetching(contracts::matmul_prefetch_register, tile);
  }
};

class MatmulPrefetchShared : public PrefetchTest {
 protected:
  TiledFunction with(int tile) const override {
    return prefetching(contracts::matmul_prefetch_shared, tile);
  }

  void expect_one_barrier_a_step(int tile) {
    const CountedCall call = count(with(tile).with(steps * tile));
    const std::uint64_t warps_of_block = (tile * tile + 31) / 32;
    // This allows one block too many in each direction, and two barriers before or after the loop:
    // 810 for each warp of a block. Two barriers per step, and one in the last, are 15 * 8 * 8 =
    // 960.
    const std::uint64_t allowed = warps_of_block * (steps + 1) * (steps + 1) * (steps + 2);
    if (call.use.total.barriers <= allowed) return;
    const std::uint64_t warps = warps_of_block * steps * steps;
    fail({.message = tr("{}: each warp waits at {:.1f} barriers for {} pairs of tiles. "
                        "One for each pair is enough.",
                        call.text, double(call.use.total.barriers) / warps, steps),
          .hint =
              tr("That is what the second pair of tiles is for: while the block computes with one "
                 "pair it fills the other, so that a single __syncthreads() a step says both that "
                 "the next pair is complete and that nobody reads this one any more.")});
  }
};

TEST_F(MatmulPrefetchRegister, IsRightForAnyOrder) { expect_right_for_any_order(); }

TEST_F(MatmulPrefetchRegister, RefusesBadArguments) { expect_bad_arguments_refused(); }

TEST_F(MatmulPrefetchShared, IsRightForAnyOrder) { expect_right_for_any_order(); }

TEST_F(MatmulPrefetchShared, RefusesBadArguments) { expect_bad_arguments_refused(); }

TEST_F(MatmulPrefetchRegister, IsFreeOfRacesAndStrayAccesses) { expect_safe(); }

TEST_F(MatmulPrefetchShared, IsFreeOfRacesAndStrayAccesses) { expect_safe(); }

TEST_F(MatmulPrefetchRegister, FetchesEachTileOnce) {
  if (skipped_without_simulator()) return;
  expect_each_tile_fetched_once();
  expect_fetched_ahead();
}

TEST_F(MatmulPrefetchShared, WaitsOnceForEachTile) {
  if (skipped_without_simulator()) return;
  for (const int tile : tiles()) expect_one_barrier_a_step(tile);
  expect_fetched_ahead();
  expect_each_tile_fetched_once();
}

// Stage 3 reaches 93% of the solution on an H200 at n = 4096, and 14% of the peak both there and on
// a GTX 1080 at n = 3200 (course2025). Fetching ahead need not gain anything, but it must not cost
// much. Right kernels of other styles reach 73% and more on an H200.
TEST_F(MatmulPrefetchRegister, ReachesMinimumGflops) {
  expect_minimum_gflops(32, tr("Load the next elements into variables of the thread right after "
                               "the barrier, compute with "
                               "the tiles that are there, and only then store the variables: a "
                               "load is waited for where its "
                               "value is first used."));
}

TEST_F(MatmulPrefetchShared, ReachesMinimumGflops) {
  expect_minimum_gflops(
      32, tr("Fill one pair of tiles while the other is read, and meet at one barrier "
             "between two steps: a second one makes all warps of a block wait at the "
             "same time again."));
}

}  // namespace
}  // namespace tilewise::grading
