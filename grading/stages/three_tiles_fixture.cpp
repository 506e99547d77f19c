#include "grading/stages/three_tiles_fixture.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "common/base/language.hpp"

namespace tilewise::grading {
namespace {

int edge_of_block(const TiledFunction& function) { return std::max(function.rows, function.cols); }

// With these orders, a block with several results per thread has threads without any result, and
// threads with only some of their results.
std::vector<int> orders_below_a_block(int edge) {
  return {3, edge / 2 - 1, edge / 2, edge / 2 + 1};
}

}  // namespace

std::vector<int> ThreeTilesTest::tiles() {
  std::vector<int> tiles = {8, 16, 32};
  std::erase_if(tiles, [](int tile) { return tile * tile > threads_per_block(); });
  return tiles;
}

std::vector<int> ThreeTilesTest::tiles_of_all_banks() {
  std::vector<int> tiles = ThreeTilesTest::tiles();
  std::erase(tiles, 8);
  return tiles;
}

void ThreeTilesTest::expect_right_for_any_order() {
  for (const int tile : tiles()) {
    const TiledFunction function = with(tile);
    const int edge = edge_of_block(function);
    // Several steps come before a single one, because an incomplete sum shows which step is
    // missing.
    expect_right(function.with(3 * edge));
    expect_right_for(function, whole_orders(edge));
    expect_right_for(function, ragged_orders(edge));
    expect_right_for(function, orders_below_a_block(edge));
    expect_small_orders(function);
  }
  // These have more elements than 16 bits can count, and more tiles than a fixed grid would have.
  expect_right(with(8).with(265));
  expect_right_with_many_blocks(with(8).with(523));
  for (const int n : {50, 50, 13, 64, 50}) {
    for (const int tile : tiles()) expect_right(with(tile).with(n));
  }
}

void ThreeTilesTest::expect_bad_arguments_refused() {
  constexpr int n = 32;  // whole blocks, so that faults at edges do not matter here
  expect_right(with(16).with(n));
  for (const int tile : tiles()) expect_negative_orders_refused(with(tile));
  for (const int tile : {0, 1, 4, 7, 9, 15, 17, 22, 24, 31, 33, 64, 1024, -8, -16}) {
    expect_refused(with(tile).with(n), n, tr("the tile is none of 8, 16 and 32"));
  }
  expect_right(with(16).with(n));
}

void ThreeTilesTest::expect_safe() {
  std::vector<MatmulCase> cases;
  for (const int tile : tiles()) {
    const TiledFunction function = with(tile);
    const int edge = edge_of_block(function);
    // Whole blocks come first, so that a fault in them is not explained by edges.
    for (const int n : {2 * edge, 1, edge, edge + 1, 2 * edge + edge / 2}) {
      cases.push_back(function.with(n));
    }
  }
  // Races and stray accesses are looked for before the wrong results that they cause.
  expect_clean(cases);
  for (const int tile : tiles()) {
    const int edge = edge_of_block(with(tile));
    expect_inside_for(with(tile), {1, edge - 1, edge, edge + 1, 50});
  }
}

void ThreeTilesTest::expect_fetched_ahead() {
  constexpr int tile = 16, steps = 8;
  const PreparedTrial trial = prepare(with(tile).with(steps * tile));
  for (const KernelProfile& kernel : run_sampled(trial->call).profiles) {
    const simt::Footprint& block = kernel.footprint;
    // The first step cannot be fetched early, and the last may be a part on its own.
    if (2 * block.idle_intervals <= block.load_intervals) continue;
    const auto& [x, y, z] = kernel.launch.block;
    const double warps = (x * y * z + 31) / 32;
    fail(
        {.message = tr(
             "{}: nothing is fetched ahead. Between two barriers a warp loads from global memory "
             "{:.0f} times, and {:.0f} times it puts that into shared memory at once and has "
             "nothing to compute with meanwhile.",
             trial->text, double(block.load_intervals) / warps,
             double(block.idle_intervals) / warps),
         .hint = tr("What the next step needs must be under way while this one is used: ask for it "
                    "after the barrier and before the products, and keep it in variables of the "
                    "thread until the tiles are free, or put it into a second pair of tiles.")});
  }
}

void ThreeTilesTest::expect_minimum_gflops(int modelled_tile, const std::string& advice) {
  // On an H200, kernels that the compiler could not unroll are half as fast with tiles of 32 x 32
  // as with others, and at n = 4096 some kernels with two by two results are slower with them than
  // kernels with one.
  constexpr int timed_tile = 16;
  const TiledFunction function =
      with(options().models_rates() ? std::min(modelled_tile, tiles().back()) : timed_tile);
  if (!options().models_rates()) {
    measure(function.with(1024), "gflops_n1024");
    measure(function.with(2048), "gflops_n2048");
  }
  expect_fast_enough(function.with(large_order()), minimum_speed(), advice);
}

}  // namespace tilewise::grading
