#pragma once

#include <string>
#include <vector>

#include "grading/stages/tiled_matmul_fixture.hpp"

namespace tilewise::grading {

/// Base of the graders whose functions take a tile of 8, 16 or 32.
class ThreeTilesTest : public TiledMatmulTest {
 protected:
  /// The function with this tile, which need not be one of the three.
  virtual TiledFunction with(int tile) const = 0;

  /// The three, without those whose blocks the first GPUs cannot launch.
  static std::vector<int> tiles();

  /// Those whose rows are as long as a half-warp or a warp: 16 and 32.
  static std::vector<int> tiles_of_all_banks();

  /// Expects right products: orders of whole blocks and of parts of them, small ones, a large one,
  /// and one call after another with other orders, tiles and data.
  void expect_right_for_any_order();

  /// Expects other tiles and negative orders to be refused, and good calls to be right before and
  /// after.
  void expect_bad_arguments_refused();

  /// Expects right products, nothing touched but C, and no fault in any kernel.
  void expect_safe();

  /// Expects that what a step needs is fetched while the one before is used: after the first step,
  /// no warp puts what it loads into shared memory without anything to compute with meanwhile.
  void expect_fetched_ahead();

  /// Expects this speed at a large order with the largest tile, where it is modelled with
  /// `modelled_tile`; on a GPU measures smaller orders, too. `advice`: the hint for less.
  void expect_minimum_gflops(int modelled_tile, const std::string& advice);
};

}  // namespace tilewise::grading
