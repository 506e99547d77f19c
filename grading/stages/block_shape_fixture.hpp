#pragma once

#include <cuda_runtime.h>

#include <vector>

#include "grading/examiner/matrix_fixtures.hpp"

namespace tilewise::grading {

/// A block and the orders to try it with.
struct BlockShape {
  dim3 block;
  std::vector<int> orders;
};

/// Orders that both sides of the block divide, with equal or different numbers of blocks along x
/// and y.
std::vector<BlockShape> dividing_shapes();

/// Orders just below or above a multiple of a side, and primes.
std::vector<BlockShape> ragged_shapes();

/// Blocks that are single threads, rows or columns, have odd sides or a third dimension, or have as
/// many threads as possible.
std::vector<BlockShape> unusual_shapes();

/// The same call twice, different blocks for the same order, and a small order after a large one.
std::vector<BlockShape> alternating_shapes();

/// Blocks at least a half-warp wide, so that accesses can be coalesced, with orders that the width
/// divides and one that it does not.
std::vector<BlockShape> wide_shapes();

/// Base of the graders whose functions take the shape of a block. It leaves out blocks that the
/// device cannot launch.
class BlockShapeTest : public MatmulTest {
 protected:
  /// Returns the function's call of order n with this block.
  virtual MatmulCase with(dim3 block, int n) const = 0;

  /// Expects right products.
  void expect_right_for(const std::vector<BlockShape>& shapes);

  /// Expects right products of orders 1 and 2, and nothing done for order 0.
  void expect_small_orders();

  /// Expects right products, and no writes outside of C.
  void expect_inside_for_all_shapes();

  /// Expects right products and no fault in any kernel.
  void expect_clean_for_all_shapes();

  /// Expects negative orders and impossible blocks to be refused, and good calls to be right before
  /// and after.
  void expect_bad_arguments_refused();

  /// Expects the loads of a product of order n to be coalesced as far as the block's shape allows,
  /// and each result's row of A and column of B to be read once. The block is at least a half-warp
  /// wide.
  void expect_joined_loads(const CountedCall& call, dim3 block, int n);
};

}  // namespace tilewise::grading
