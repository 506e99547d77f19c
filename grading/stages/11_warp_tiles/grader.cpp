#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <vector>

#include "common/base/language.hpp"
#include "common/model/matmul_counts.hpp"
#include "grading/profile/numbers.hpp"
#include "grading/stages/11_warp_tiles/contract.hpp"
#include "grading/stages/tiled_matmul_fixture.hpp"

namespace tilewise::grading {
namespace {

class WarpTilesTest : public TiledMatmulTest {
 protected:
  static TiledFunction vectorized() { return of(contracts::matmul_vectorized); }
  static TiledFunction warp_tiles() { return of(contracts::matmul_warp_tiles); }
  static TiledFunction async() { return of(contracts::matmul_async); }

  /// Expects right products, whatever the size of the tiles of blocks, warps and threads.
  void expect_right_for_any_order(const TiledFunction& function) {
    expect_right_for(function, {256, 128, 384, 64, 192});
    // These orders end within a block, first with rows that begin at multiples of 16 bytes, then
    // with others.
    expect_right_for(function, {132, 252, 100, 4, 8, 20, 36});
    expect_right_for(function, {127, 129, 130, 131, 255, 257, 3, 5, 7, 9, 17, 37, 97, 203});
    expect_small_orders(function);
    expect_right_with_many_blocks(function.with(523));
  }

  void expect_safe(const std::vector<TiledFunction>& functions) {
    std::vector<MatmulCase> cases;
    for (const TiledFunction& function : functions) {
      // Whole blocks come first, so that a fault in them is not explained by edges.
      for (const int n : {256, 1, 15, 36, 132, 133}) cases.push_back(function.with(n));
    }
    // Races and stray accesses are looked for before the wrong results that they cause.
    expect_clean(cases);
    for (const TiledFunction& function : functions) {
      expect_inside_for(function, {1, 4, 15, 16, 17, 60, 63, 64, 65, 124, 127, 129, 255, 257});
    }
  }

  /// Expects no more loads than square blocks of few results need.
  void expect_few_loads(const CountedCall& call, int n) {
    // Blocks of 64 x 32 results take 1.5 times as much, blocks of 16 x 256 twice.
    constexpr double slack = 1.75;
    constexpr int side = 64;
    const std::uint64_t along = (n + side - 1) / side;
    const std::uint64_t elements = 2 * std::uint64_t(n) * n * along;
    expect_traffic(call, global_loads,
                   {.requests = elements / lanes_of_a_request(),
                    .sectors = model::fewest_sectors(elements),
                    .reason = tr("with blocks of {0} x {0} results, {1} columns of blocks need all "
                                 "of A once, and {1} rows of them all of B",
                                 side, along)},
                   slack,
                   tr("Let a block compute 128 x 128 results, 8 x 8 a thread: each element that it "
                      "fetches then "
                      "serves 128 products."));
  }

  void expect_shared_memory_used_well(const CountedCall& call, int n) {
    expect_different_banks(call, n);
    expect_wide(
        tr("loads of shared memory"), call.text,
        {.bytes = call.use.total.shared_load_lane_bytes,
         .requests = call.use.total.shared_load_requests_merged},
        tr("Four factors of one k must lie side by side, so that a thread reads them at once: "
           "store the tile of A transposed, As[k][row], with rows that begin at multiples of "
           "16 bytes, and give a thread rows and columns in runs of four."));
  }

  struct Moved {
    std::uint64_t bytes;     ///< bytes that each lane requests, even if others request them, too
    std::uint64_t requests;  ///< requests of warps
  };

  /// Expects lanes to move several elements at a time, on average.
  void expect_wide(const std::string& what, const std::string& text, const Moved& moved,
                   const std::string& hint) {
    // If one of two matrices moves by elements and the other by float4, the average is 6.4.
    constexpr double enough = 10;
    if (moved.requests == 0) return;
    const double bytes = double(moved.bytes) / double(moved.requests * lanes_of_a_request());
    if (bytes >= enough) return;
    fail({.message = tr("{}: its {} move {:.1f} bytes a thread on average; a float4 has "
                        "{:.0f}, and takes one instruction as an element does.",
                        text, what, bytes, double(sizeof(float[4]))),
          .hint = hint});
  }

  /// Returns an order large enough for blocks of 128 x 256 results to fill a GPU. The model
  /// simulates only a few of these blocks.
  static int order_of_speed() { return options().models_rates() ? 2048 : large_order(); }

  std::string advice() const override {
    return tr(
        "Follow one element of C: which warp and which lane sums it up, from which row of the "
        "tile of A and which column of that of B, and who brought these. Then look at the "
        "barriers, and at the zeros beyond the edge.");
  }

 private:
  template <typename Contract>
  static TiledFunction of(const Contract& function) {
    // The kernel's author chooses the blocks.
    return {.with = [&function](int n) -> MatmulCase {
              return {.n = n,
                      .mapping = {.tile = {}, .known = Mapping::Known::nothing},
                      .call = [&function, n](DeviceArray& A, DeviceArray& B, DeviceArray& C) {
                        return function(A, B, C, n);
                      }};
            },
            .rows = 128,
            .cols = 128,
            .a_run = 8,
            .b_run = 128};
  }
};

class MatmulVectorized : public WarpTilesTest {};

class MatmulWarpTiles : public WarpTilesTest {
 protected:
  void expect_wide_in_global_memory(const CountedCall& call) {
    const simt::Counters& total = call.use.total;
    expect_wide(tr("loads of global memory"), call.text,
                {.bytes = total.global_load_lane_bytes, .requests = total.global_load_requests},
                tr("Where 4 divides n, let each thread fetch four neighbours of a row of A as one "
                   "float4, and four of a row of B: *reinterpret_cast<const float4*>(A + i). Other "
                   "orders need a way of their own."));
    expect_wide(tr("stores of global memory"), call.text,
                {.bytes = total.global_store_lane_bytes, .requests = total.global_store_requests},
                tr("Where 4 divides n, let each thread store four neighbours of a row of C as one "
                   "float4."));
  }

  /// Expects a warp to read about as many different elements of A as of B.
  void expect_compact_warps(const CountedCall& call, int n) {
    // With t x t results per thread, a square of 32 t^2 results needs the fewest reads. 4 x 8 lanes
    // take 1.06 times as many, and with 8 x 16 results 1.18 times. 2 x 16 lanes, in thread order,
    // take 1.59 times as many.
    constexpr double slack = 1.4;
    const double products = double(n) * n * n;
    const double of_threads = double(call.use.total.shared_load_lane_bytes) / sizeof(float);
    const double of_warps = double(call.use.total.shared_load_bytes) / sizeof(float);
    const double side_of_thread = 2 * products / of_threads;
    const double least = 2 * products / (std::sqrt(32.0) * side_of_thread);
    if (of_warps <= slack * least) return;
    fail({.message = tr(
              "{}: its warps read {} different elements of shared memory; {} suffice, if the 32 "
              "threads of a warp compute a tile that is about as high as wide.",
              call.text, with_commas(std::uint64_t(of_warps)), with_commas(std::uint64_t(least))),
          .hint =
              tr("Let the lanes of a warp stand in 4 rows of 8, or 8 rows of 4, rather than in two "
                 "rows of 16: with 8 x 8 results each, a warp then has a tile of 32 x 64 and "
                 "reads 96 elements for each k, not 144.")});
  }
};

class MatmulAsync : public WarpTilesTest {
 protected:
  /// Skips the test on a card without asynchronous copies. Returns whether it did.
  bool skipped_without_copies() {
    return device().compute_major < 8 &&
           skip(tr("The {} has no asynchronous copies, which came with compute capability "
                   "8.0.",
                   device().name),
                tr("Grade with --backend simt, which takes an H200 for it."));
  }

  void expect_tiles_on_their_way(const TiledFunction& function, int n) {
    const PreparedTrial trial = prepare(function.with(n));
    simt::Footprint all;
    std::uint64_t fetched = 0;
    for (const KernelProfile& kernel : run_sampled(trial->call).profiles) {
      all.copied_bytes += kernel.footprint.copied_bytes;
      all.reading_intervals += kernel.footprint.reading_intervals;
      all.overlapped_intervals += kernel.footprint.overlapped_intervals;
      fetched += kernel.counters.global_load_lane_bytes / kernel.blocks;
    }
    // Some of the tiles at the edges may go through registers.
    if (2 * all.copied_bytes < fetched) {
      fail({.message = tr("{}: a block fetches {} bytes, and {} of them come by "
                          "asynchronous copies.",
                          trial->text, with_commas(fetched), with_commas(all.copied_bytes)),
            .hint =
                tr("tilewise::ptx::cp_async<16>(to, from) of tilewise/ptx.hpp, or "
                   "__pipeline_memcpy_async() of <cuda_pipeline.h>, brings an element or four into "
                   "shared memory while the thread goes on: no register holds them meanwhile.")});
    }
    // While the last tiles are multiplied, nothing is left to copy.
    if (2 * all.overlapped_intervals >= all.reading_intervals) return;
    fail(
        {.message = tr(
             "{}: nothing is computed while copies are on their way. Of {} stretches between two "
             "barriers in which a block reads its tiles, copies are on their way meanwhile in {}.",
             trial->text, all.reading_intervals, all.overlapped_intervals),
         .hint = tr("Begin the copies of a later tile, then multiply this one, and wait for the "
                    "copies only before the barrier behind it. With three tiles or more a wait can "
                    "leave the latest group on its way: cp_async_wait<1>().")});
  }
};

TEST_F(MatmulVectorized, IsRightForAnyOrder) { expect_right_for_any_order(vectorized()); }

TEST_F(MatmulWarpTiles, IsRightForAnyOrder) { expect_right_for_any_order(warp_tiles()); }

TEST_F(MatmulAsync, IsRightForAnyOrder) {
  if (!skipped_without_copies()) expect_right_for_any_order(async());
}

TEST_F(MatmulAsync, RefusesBadArguments) {
  if (skipped_without_copies()) return;
  constexpr int n = 256;  // whole blocks, so that nothing else can be wrong
  for (const TiledFunction& function : {vectorized(), warp_tiles(), async()}) {
    expect_right(function.with(n));
    expect_negative_orders_refused(function);
    expect_right(function.with(n));
  }
}

TEST_F(MatmulWarpTiles, IsFreeOfRacesAndStrayAccesses) {
  expect_safe({vectorized(), warp_tiles()});
}

TEST_F(MatmulAsync, IsFreeOfRacesAndStrayAccesses) {
  if (!skipped_without_copies()) expect_safe({async()});
}

TEST_F(MatmulWarpTiles, MovesFourElementsAtATime) {
  if (skipped_without_simulator()) return;
  constexpr int n = 256;
  for (const TiledFunction& function : {vectorized(), warp_tiles()}) {
    const CountedCall call = count(function.with(n));
    expect_wide_in_global_memory(call);
    expect_shared_memory_used_well(call, n);
    expect_few_loads(call, n);
    expect_joined_stores(call, n);
  }
  expect_compact_warps(count(warp_tiles().with(n)), n);
}

TEST_F(MatmulAsync, HasTilesOnTheirWay) {
  if (skipped_without_simulator()) return;
  constexpr int n = 256;
  expect_tiles_on_their_way(async(), n);
  const CountedCall call = count(async().with(n));
  expect_shared_memory_used_well(call, n);
  expect_few_loads(call, n);
  expect_joined_stores(call, n);
}

// On an H200 at n = 4096 stage 6 reaches 78% of the solution's matmul_warp_tiles and 69% of its
// matmul_async. matmul_vectorized reaches 82% of matmul_warp_tiles, and matmul_warp_tiles 89% of
// matmul_async.
TEST_F(MatmulWarpTiles, ReachesMinimumGflops) {
  if (!options().models_rates()) {
    measure(vectorized().with(order_of_speed()), "gflops_vectorized");
    measure(warp_tiles().with(2048), "gflops_n2048");
  }
  expect_fast_enough(
      warp_tiles().with(order_of_speed()), minimum_speed(),
      tr("Let each thread have 8 x 8 results, fetch the next pair of tiles while this "
         "one is multiplied, and meet at one barrier a step."));
}

TEST_F(MatmulAsync, ReachesMinimumGflops) {
  if (skipped_without_copies()) return;
  if (!options().models_rates()) {
    measure(async().with(1024), "gflops_n1024");
    measure(async().with(2048), "gflops_n2048");
  }
  expect_fast_enough(async().with(order_of_speed()), minimum_speed(),
                     tr("Count what is no multiply-add in the loop of k: each of these takes the "
                        "place of one. More results a thread, longer tiles and addresses that only "
                        "grow leave fewer."));
}

}  // namespace
}  // namespace tilewise::grading
