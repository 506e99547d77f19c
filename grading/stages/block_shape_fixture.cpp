#include "grading/stages/block_shape_fixture.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>

#include "common/base/language.hpp"
#include "common/model/matmul_counts.hpp"

namespace tilewise::grading {

std::vector<BlockShape> dividing_shapes() {
  return {
      {dim3(16, 16), {16, 32, 48, 128}},
      {dim3(8, 8), {8, 40}},
      {dim3(32, 32), {32, 96}},
      {dim3(32, 4), {32, 64}},
      {dim3(4, 32), {32, 64}},
      {dim3(128, 1), {128}},
      {dim3(1, 128), {128}},
  };
}

std::vector<BlockShape> ragged_shapes() {
  return {
      {dim3(16, 16), {15, 17, 31, 33, 37, 97}}, {dim3(8, 8), {7, 9, 15, 17, 61}},
      {dim3(32, 32), {31, 33, 63, 65, 101}},    {dim3(32, 8), {7, 9, 31, 33, 53}},
      {dim3(8, 32), {7, 9, 31, 33, 53}},
  };
}

std::vector<BlockShape> unusual_shapes() {
  return {
      {dim3(1, 1), {1, 2, 33}},       {dim3(3, 1), {5, 31}},         {dim3(1, 3), {5, 31}},
      {dim3(7, 13), {13, 91, 59}},    {dim3(22, 22), {44, 67}},      {dim3(22, 23), {45, 46}},
      {dim3(31, 33), {62, 66, 100}},  {dim3(33, 31), {62, 66, 100}}, {dim3(128, 1), {37, 129, 150}},
      {dim3(1, 128), {37, 129, 150}}, {dim3(512, 1), {41}},          {dim3(1, 512), {41}},
      {dim3(512, 2), {41}},           {dim3(2, 512), {41}},          {dim3(1024, 1), {41, 128}},
      {dim3(1, 1024), {41, 128}},     {dim3(8, 4, 2), {33, 64}},     {dim3(5, 1, 3), {17}},
      {dim3(1, 1, 64), {5, 70}},
  };
}

std::vector<BlockShape> alternating_shapes() {
  return {
      {dim3(16, 16), {50, 50}}, {dim3(8, 8), {50, 13}},      {dim3(16, 16), {64, 50}},
      {dim3(128, 1), {29, 13}}, {dim3(32, 8), {13, 64, 50}},
  };
}

std::vector<BlockShape> wide_shapes() {
  return {{dim3(32, 8), {128, 100}}, {dim3(128, 1), {128}}, {dim3(16, 16), {128}}};
}

namespace {

// Blocks with few and with many threads, as rows, columns and squares, in grids large enough for
// races between blocks.
std::vector<BlockShape> checked_shapes() {
  return {
      {dim3(16, 16), {1, 16, 37}}, {dim3(32, 4), {50}},  {dim3(1, 1), {3}},
      {dim3(128, 1), {37}},        {dim3(1, 128), {37}}, {dim3(31, 33), {40}},
  };
}

// The first GPUs allow 512 threads in a block.
bool can_launch(dim3 block, int threads_per_block) {
  return block.x * block.y * block.z <= static_cast<unsigned>(threads_per_block);
}

}  // namespace

void BlockShapeTest::expect_right_for(const std::vector<BlockShape>& shapes) {
  for (const auto& [block, orders] : shapes) {
    if (!can_launch(block, threads_per_block())) continue;
    for (const int n : orders) expect_right(with(block, n));
  }
}

void BlockShapeTest::expect_small_orders() {
  for (const dim3 block : {dim3(1, 1), dim3(16, 16), dim3(256, 1), dim3(1, 256)}) {
    expect_right(with(block, 1));
    expect_nothing_done(with(block, 0));
    expect_right(with(block, 2));
  }
}

void BlockShapeTest::expect_inside_for_all_shapes() {
  for (const dim3 block : {dim3(16, 16), dim3(1, 1), dim3(31, 33), dim3(128, 1), dim3(1, 128),
                           dim3(512, 1), dim3(1, 512), dim3(1024, 1), dim3(1, 1024)}) {
    if (!can_launch(block, threads_per_block())) continue;
    for (const int n : {1, 15, 16, 50}) expect_inside(with(block, n));
  }
}

void BlockShapeTest::expect_clean_for_all_shapes() {
  std::vector<MatmulCase> cases;
  for (const auto& [block, orders] : checked_shapes()) {
    if (!can_launch(block, threads_per_block())) continue;
    for (const int n : orders) cases.push_back(with(block, n));
  }
  expect_clean(cases);
}

void BlockShapeTest::expect_joined_loads(const CountedCall& call, dim3 block, int n) {
  // Rows that begin inside a sector, and threads at the edges, take more. A kernel that goes down a
  // column with threadIdx.x takes four to seven times as much.
  const double slack = n % block.x == 0 ? 1.5 : 2;

  const std::uint64_t lanes = lanes_of_a_request();
  const std::uint64_t width = std::min<std::uint64_t>(block.x, lanes);
  const std::uint64_t height = lanes / width;
  const std::uint64_t order = n;
  // The number of requests for each factor: a request fetches the factors of one k for all its
  // lanes.
  const std::uint64_t steps = order * order * order / lanes;
  expect_traffic(
      call, global_loads,
      {.requests = 2 * steps,
       .sectors = steps * (height + model::fewest_sectors(width)),
       .reason = tr("{} threads beside each other need {} of A and {} neighbours of B for "
                    "each k",
                    lanes, height == 1 ? tr("one element") : tr("{} elements", height), width)},
      slack, tr("Read each element of the row of A and of the column of B once."));
}

void BlockShapeTest::expect_bad_arguments_refused() {
  constexpr int n = 32;  // whole blocks, so that faults at edges do not matter here
  const dim3 good_block(16, 16);
  expect_right(with(good_block, n));
  for (const int negative : {-1, -16, std::numeric_limits<int>::min()}) {
    expect_refused(with(good_block, negative), n, tr("n is negative"));
  }
  for (const dim3 empty : {dim3(0, 16), dim3(16, 0), dim3(0, 0)}) {
    expect_refused(with(empty, n), n, tr("the block has no threads"));
  }
  for (const dim3 large :
       {dim3(1025, 1), dim3(1, 1025), dim3(33, 32), dim3(32, 33), dim3(64, 64)}) {
    expect_refused(with(large, n), n, tr("the block has more than 1024 threads"));
  }
  expect_right(with(good_block, n));
}

}  // namespace tilewise::grading
