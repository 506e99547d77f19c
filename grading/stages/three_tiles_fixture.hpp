#pragma once

#include <string>
#include <vector>

#include "grading/stages/tiled_matmul_fixture.hpp"

namespace tilewise::grading {

/// Base of the graders whose functions take a tile of 8, 16 or 32.
class ThreeTilesTest : public TiledMatmulTest {
 protected:
  /// Returns the function with this tile, which need not be one of the three.
  virtual TiledFunction with(int tile) const = 0;

  /// Returns the three tiles, without those whose blocks the first GPUs cannot launch.
  static std::vector<int> tiles();

  /// Returns the tiles whose rows are as long as a half-warp or a warp: 16 and 32.
  static std::vector<int> tiles_of_all_banks();

  /// Expects right products for orders of whole blocks and of parts of blocks, for small orders and
  /// a large one, and for successive calls with other orders, tiles and data.
  void expect_right_for_any_order();

  /// Expects other tiles and negative orders to be refused, and good calls to be right before and
  /// after.
  void expect_bad_arguments_refused();

  /// Expects right products, no writes outside of C, and no fault in any kernel.
  void expect_safe();

  /// Expects each step's elements to be fetched while the previous step's are used: after the first
  /// step, no warp may put loaded elements into shared memory without anything to compute
  /// meanwhile.
  void expect_fetched_ahead();

  /// Expects the minimum speed at a large order. Modelled, the tile is `modelled_tile`; on a GPU it
  /// is 16, and smaller orders are measured, too. `advice` is the hint for kernels that are too
  /// slow.
  void expect_minimum_gflops(int modelled_tile, const std::string& advice);
};

}  // namespace tilewise::grading
