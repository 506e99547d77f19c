#include <string>

#include "common/base/language.hpp"
#include "grading/stages/05_work_2x2/contract.hpp"
#include "grading/stages/three_tiles_fixture.hpp"

namespace tilewise::grading {
namespace {

// A block of 32x32 threads has so many registers that one register per thread decides whether two
// blocks share an SM of a GTX 1080. Nvcc's number and an estimate would then lead to different
// verdicts.
constexpr int modelled_tile = 16;

constexpr const char* advice_on_speed = marked(
    "In each step of k read two elements of each tile into variables, and add their four products "
    "to four sums of the thread: one read of shared memory a product, where one result a thread "
    "takes two.");

class FourResultsTest : public ThreeTilesTest {
 protected:
  // The number of blocks along each side of C for which traffic is counted. With fewer, a block too
  // many in each direction would look like tiles fetched twice; with more, the largest tile would
  // take seconds.
  static constexpr int blocks = 6;

  std::string advice() const override {
    return tr(
        "Follow one result of one thread: the row of As and the column of Bs that it is summed "
        "up from, where they were fetched, and the element of C it is stored to.");
  }
};

class Matmul2x2 : public FourResultsTest {
 protected:
  TiledFunction with(int tile) const override {
    return {.with = [=](int n) -> MatmulCase {
              return {.n = n,
                      .mapping = {.tile = {2 * tile, 2 * tile}, .results = {2, 2}},
                      .call = [=](DeviceArray& A, DeviceArray& B, DeviceArray& C) {
                        return contracts::matmul_2x2(A, B, C, n, tile);
                      }};
            },
            .rows = 2 * tile,
            .cols = 2 * tile,
            .a_run = tile,
            .b_run = 2 * tile};
  }

  // Checks that fetches use whole sectors. The limits for traffic allow half as much again, and
  // fetching one factor's elements from twice as many sectors as needed takes just that.
  void expect_full_sectors(int tile) {
    // The rows of a padded copy of an input may be unaligned, so that a run of 32 elements lies in
    // 5 sectors instead of 4.
    constexpr double slack = 1.3;
    const CountedCall call = count(with(tile).with(blocks * 2 * tile));
    const simt::Counters& total = call.use.total;
    auto excess =
        excess_traffic(call, global_loads,
                       {.requests = total.global_load_requests,
                        .sectors = fewest_sectors(total, global_loads),
                        .reason = tr("the pieces that a block fetches lie in rows of A and of B")},
                       slack, "");
    if (!excess) return;
    excess->hint = tr(
        "Who fetches an element need not be who uses it: let neighbouring threads fetch "
        "neighbouring elements, tx and Tile + tx of a row of B rather than 2 * tx and 2 * tx + 1.");
    fail(*excess);
  }
};

class Matmul2x2Strided : public FourResultsTest {
 protected:
  TiledFunction with(int tile) const override {
    return {.with = [=](int n) -> MatmulCase {
              const int half = (n + 1) / 2;
              return {.n = n,
                      .mapping = {.tile = {tile, tile}, .part = TileShape{half, half}},
                      .call = [=](DeviceArray& A, DeviceArray& B, DeviceArray& C) {
                        return contracts::matmul_2x2_strided(A, B, C, n, tile);
                      }};
            },
            .rows = 2 * tile,
            .cols = 2 * tile,
            .a_run = tile,
            .b_run = tile};
  }
};

TEST_F(Matmul2x2, IsRightForAnyOrder) { expect_right_for_any_order(); }

TEST_F(Matmul2x2, RefusesBadArguments) { expect_bad_arguments_refused(); }

TEST_F(Matmul2x2Strided, IsRightForAnyOrder) { expect_right_for_any_order(); }

TEST_F(Matmul2x2Strided, RefusesBadArguments) { expect_bad_arguments_refused(); }

TEST_F(Matmul2x2, IsFreeOfRacesAndStrayAccesses) { expect_safe(); }

TEST_F(Matmul2x2Strided, IsFreeOfRacesAndStrayAccesses) { expect_safe(); }

TEST_F(Matmul2x2, FetchesNeighboursTogether) {
  if (skipped_without_simulator()) return;
  for (const int tile : tiles()) expect_tiled_traffic(with(tile), blocks * 2 * tile);
  expect_full_sectors(16);
  // These orders are half a block larger. On compute capability 1.x a store of every other element
  // moves a whole segment, so that unaligned rows would take too many.
  for (const int tile : tiles()) expect_tiled_traffic(with(tile), blocks * 2 * tile + tile);
  expect_fetched_ahead();
}

TEST_F(Matmul2x2Strided, KeepsItsThreadsInDifferentBanks) {
  if (skipped_without_simulator()) return;
  for (const int tile : tiles_of_all_banks()) expect_different_banks(with(tile), 4 * tile);
  expect_tiled_traffic(with(16), blocks * 2 * 16);
  expect_fetched_ahead();
}

// One result per thread reaches at most 14.3% of the peak on a GTX 1080 (n = 3200, course2025), and
// two by two reach 28% (n = 4096, put2025). On an H200 at n = 4096 with tile 16, stage 4 reaches
// 50% of the solution, and right kernels of other styles 71% and more.
TEST_F(Matmul2x2, ReachesMinimumGflops) {
  expect_minimum_gflops(modelled_tile, core::in_language(advice_on_speed));
}

TEST_F(Matmul2x2Strided, ReachesMinimumGflops) {
  expect_minimum_gflops(modelled_tile, core::in_language(advice_on_speed));
}

}  // namespace
}  // namespace tilewise::grading
