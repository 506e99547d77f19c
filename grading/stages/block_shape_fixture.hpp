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

/// The block's sides divide the orders, as often along x as along y or not.
std::vector<BlockShape> dividing_shapes();

/// Orders beside a multiple of a side, and primes.
std::vector<BlockShape> ragged_shapes();

/// Single threads, rows, columns, odd sides, a third side, and the most threads a block may have.
std::vector<BlockShape> unusual_shapes();

/// The same call again, another block for the same order, a small order after a large one.
std::vector<BlockShape> alternating_shapes();

/// At least a half-warp wide, so that accesses can join: orders that the width divides, and one
/// that it does not.
std::vector<BlockShape> wide_shapes();

/// Base of the graders whose functions take the shape of a block. Blocks that the device cannot
/// launch are left out.
class BlockShapeTest : public MatmulTest {
 protected:
  /// The function's call of order n with this block.
  virtual MatmulCase with(dim3 block, int n) const = 0;

  /// Expects right products.
  void expect_right_for(const std::vector<BlockShape>& shapes);

  /// Expects right products of orders 1 and 2, and nothing done for order 0.
  void expect_small_orders();

  /// Expects right products, and nothing touched but C.
  void expect_inside_for_all_shapes();

  /// Expects right products and no fault in any kernel.
  void expect_clean_for_all_shapes();

  /// Expects negative orders and impossible blocks to be refused, and good calls to be right before
  /// and after.
  void expect_bad_arguments_refused();

  /// Expects the loads of a product of order n to join where the block's shape allows it, and each
  /// result's row of A and column of B to be read once. The block is at least a half-warp wide.
  void expect_joined_loads(const CountedCall& call, dim3 block, int n);
};

}  // namespace tilewise::grading
