#include "grading/stages/tiled_matmul_fixture.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <limits>

#include "common/base/language.hpp"
#include "common/model/matmul_counts.hpp"

namespace tilewise::grading {
namespace {

std::uint64_t blocks_along(int n, int side) { return (n + side - 1) / side; }

/// Returns the sectors of a run of neighbouring elements, with one more if runs need not begin at a
/// sector.
std::uint64_t sectors_of_run(int run, int n) {
  constexpr int sector_elements = 8;
  const bool aligned = n % sector_elements == 0 && run % sector_elements == 0;
  return model::fewest_sectors(run) + (aligned ? 0 : 1);
}

}  // namespace

std::vector<int> whole_orders(int edge) { return {edge, 2 * edge, 3 * edge, 5 * edge}; }

std::vector<int> ragged_orders(int edge) {
  return {edge - 1, edge + 1, 2 * edge - 1, 2 * edge + 1, 3 * edge + edge / 2, 37, 97};
}

void TiledMatmulTest::expect_right_for(const TiledFunction& function,
                                       const std::vector<int>& orders) {
  for (const int n : orders) expect_right(function.with(n));
}

void TiledMatmulTest::expect_small_orders(const TiledFunction& function) {
  expect_right(function.with(1));
  expect_nothing_done(function.with(0));
  expect_right(function.with(2));
}

void TiledMatmulTest::expect_inside_for(const TiledFunction& function,
                                        const std::vector<int>& orders) {
  for (const int n : orders) expect_inside(function.with(n));
}

void TiledMatmulTest::expect_negative_orders_refused(const TiledFunction& function) {
  constexpr int allocated = 20;
  for (const int negative : {-1, -function.cols, std::numeric_limits<int>::min()}) {
    expect_refused(function.with(negative), allocated, tr("n is negative"));
  }
}

CountedCall TiledMatmulTest::expect_tiled_loads(const TiledFunction& function, int n) {
  // This allows one tile too many in each direction, or one more step. Scattered accesses take at
  // least twice as much, and a kernel without tiles takes many times as much.
  constexpr double slack = 1.5;
  const CountedCall call = count(function.with(n));
  const std::uint64_t elements = std::uint64_t(n) * n;
  const std::uint64_t along_x = blocks_along(n, function.cols);
  const std::uint64_t along_y = blocks_along(n, function.rows);
  const std::uint64_t a_sectors =
      elements / function.a_run * sectors_of_run(function.a_run, n) * along_x;
  const std::uint64_t b_sectors =
      elements / function.b_run * sectors_of_run(function.b_run, n) * along_y;
  expect_traffic(
      call, global_loads,
      {.requests = elements * (along_x + along_y) / lanes_of_a_request(),
       .sectors = a_sectors + b_sectors,
       .reason = along_x == along_y
                     ? tr("each of the {0} rows and {0} columns of blocks needs all of A "
                          "or B once",
                          along_x)
                     : tr("each of the {} columns of blocks needs all of A once, and each "
                          "of the {} rows all of B",
                          along_x, along_y)},
      slack,
      tr("Let each block compute {}x{} elements of C, load each element of its tiles once, "
         "into shared memory, and let the inner loop read the tiles alone.",
         function.rows, function.cols));
  return call;
}

void TiledMatmulTest::expect_tiled_traffic(const TiledFunction& function, int n) {
  expect_joined_stores(expect_tiled_loads(function, n), n);
}

void TiledMatmulTest::expect_different_banks(const TiledFunction& function, int n) {
  expect_different_banks(count(function.with(n)), n);
}

void TiledMatmulTest::expect_different_banks(const CountedCall& call, int n) {
  // With sixteen by sixteen results per thread, and vectors of four, one read serves 32 products. A
  // kernel that reads less has its factors from elsewhere, and uses shared memory only for show.
  constexpr double most_products_of_a_read = 32;
  const double reads = double(call.use.total.shared_load_requests) * lanes_of_a_request();
  const double products = double(n) * n * n;
  if (most_products_of_a_read * reads < products) {
    const std::string message =
        reads == 0 ? call.text + tr(" never read shared memory.")
                   : tr("{}: its threads read shared memory {:.0f} times for {:.0f} "
                        "products: the factors come from elsewhere.",
                        call.text, reads, products);
    fail({.message = message,
          .hint = tr("Bring tiles of A and B into __shared__ arrays, and let the inner loop read "
                     "these.")});
  }
  if (const auto excess = excess_bank_conflicts(call, lanes_of_a_request())) fail(*excess);
}

std::string TiledMatmulTest::advice() const {
  return tr(
      "Check both barriers (after the tiles are filled, and before they are filled again), the "
      "indices with which the tiles are filled, and the zeros beyond the edge.");
}

}  // namespace tilewise::grading
