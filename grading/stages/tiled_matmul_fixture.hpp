#pragma once

#include <functional>
#include <string>
#include <vector>

#include "grading/examiner/matrix_fixtures.hpp"

namespace tilewise::grading {

/// A function that computes C = A * B tile by tile, with all its arguments fixed except the order.
struct TiledFunction {
  std::function<MatmulCase(int n)> with;  ///< the call of order n
  int rows = 0;                           ///< rows of C that a block of threads computes
  int cols = 0;
  /// The neighbouring elements of a row of A, and of a row of B, that a block fetches together.
  int a_run = 0;
  int b_run = 0;
};

/// Orders to test a function whose blocks compute `edge` x `edge` elements of C, or have `edge` as
/// their largest side.
std::vector<int> whole_orders(int edge);  ///< 1, 2, 3 and 5 blocks along each side
/// Just below or above a multiple of the edge, and primes.
std::vector<int> ragged_orders(int edge);

/// Base of the graders whose functions walk over A and B tile by tile.
class TiledMatmulTest : public MatmulTest {
 protected:
  /// Expects right products of these orders.
  void expect_right_for(const TiledFunction& function, const std::vector<int>& orders);

  /// Expects right products of orders 1 and 2, and nothing done for order 0.
  void expect_small_orders(const TiledFunction& function);

  /// Expects right products, and no writes outside of C.
  void expect_inside_for(const TiledFunction& function, const std::vector<int>& orders);

  /// Expects negative orders to be refused.
  void expect_negative_orders_refused(const TiledFunction& function);

  /// Expects A to be loaded once for each column of blocks and B once for each row of them, with
  /// neighbouring threads loading neighbouring elements. Returns the counts.
  CountedCall expect_tiled_loads(const TiledFunction& function, int n);

  /// Expects the same, and coalesced stores of C.
  void expect_tiled_traffic(const TiledFunction& function, int n);

  /// Expects the factors of the product to be read from shared memory, with few bank conflicts.
  void expect_different_banks(const TiledFunction& function, int n);
  void expect_different_banks(const CountedCall& call, int n);

  std::string advice() const override;
};

}  // namespace tilewise::grading
