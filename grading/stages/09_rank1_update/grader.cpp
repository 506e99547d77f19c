#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "common/base/language.hpp"
#include "common/model/matmul_counts.hpp"
#include "common/model/occupancy.hpp"
#include "grading/profile/numbers.hpp"
#include "grading/stages/09_rank1_update/contract.hpp"
#include "grading/stages/tiled_matmul_fixture.hpp"

namespace tilewise::grading {
namespace {

class Rank1UpdateTest : public TiledMatmulTest {
 protected:
  static TiledFunction two_rows() { return of_two_rows(contracts::matmul_two_rows); }

  static TiledFunction two_rows_transposed() {
    return of_two_rows(contracts::matmul_two_rows_transposed);
  }

  // The kernel's author chooses the blocks. These are the smallest that make sense, those of
  // muni2009.
  static TiledFunction rank1() {
    return {.with = [](int n) -> MatmulCase {
              return {.n = n,
                      .mapping = {.tile = {}, .known = Mapping::Known::nothing},
                      .call = [=](DeviceArray& A, DeviceArray& B, DeviceArray& C) {
                        return contracts::matmul_rank1(A, B, C, n);
                      }};
            },
            .rows = 16,
            .cols = 64,
            .a_run = 16,
            .b_run = 64};
  }

  void expect_two_rows_right(const TiledFunction& function) {
    expect_right_for(function, whole_orders(tile));
    expect_right_for(function, ragged_orders(tile));
    // With these orders a block has threads with one result, and with none.
    expect_right_for(function, {half - 1, half, half + 1, tile + half - 1, tile + half + 1});
    expect_small_orders(function);
    // This has more tiles than a fixed grid would have, and more elements than 16 bits can count.
    expect_right(function.with(523));
  }

  static constexpr int tile = 32;
  static constexpr int half = tile / 2;  // rows of threads

 private:
  template <typename Contract>
  static TiledFunction of_two_rows(const Contract& function) {
    return {.with = [&function](int n) -> MatmulCase {
              return {.n = n,
                      .mapping = {.tile = {tile, tile}, .threads = TileShape{tile, half}},
                      .call = [&function, n](DeviceArray& A, DeviceArray& B, DeviceArray& C) {
                        return function(A, B, C, n);
                      }};
            },
            .rows = tile,
            .cols = tile,
            .a_run = tile,
            .b_run = tile};
  }
};

class MatmulTwoRows : public Rank1UpdateTest {};

class MatmulTwoRowsTransposed : public Rank1UpdateTest {
 protected:
  /// Expects an element of B, once read from shared memory, to serve both rows of a thread.
  void expect_elements_used_twice(const CountedCall& call, int n) {
    // Two products take one element of B and two of A. With one result per thread, one product
    // takes one of each.
    constexpr double enough = 1.5, with_one_result = 2;
    const double loads = double(call.use.total.shared_load_requests) * lanes_of_a_request();
    const double for_a_product = loads / (double(n) * n * n);
    if (for_a_product <= (enough + with_one_result) / 2) return;
    fail({.message = tr("{}: a thread reads {:.1f} elements of shared memory for each "
                        "product. {} suffice, since an element of B serves both of its "
                        "rows.",
                        call.text, for_a_product, enough),
          .hint =
              tr("Let each thread compute two results, 16 rows apart: read the element of B into "
                 "a variable, and multiply it by an element of either row of As.")});
  }
};

// Whether there are no conflicts once the compiler has merged loads. Rows that are 4 elements
// longer suit loads of 4 elements, but single loads from them, as the source has them, may
// conflict.
bool in_different_banks_once_merged(const simt::Counters& total) {
  const std::uint64_t stores = total.shared_store_wavefronts;
  const std::uint64_t without_conflicts =
      total.shared_load_wavefronts + stores - total.shared_bank_conflicts;
  return total.shared_load_requests > 0 &&
         total.shared_load_wavefronts_merged + stores <= without_conflicts;
}

/// Returns the number of elements that threads store to shared memory. Without conflicts, a store
/// of several elements takes a wavefront for each element of a lane.
std::uint64_t elements_to_shared_memory(const MemoryUse& use, int lanes) {
  std::uint64_t passes = 0;
  for (const simt::LineCounters& line : use.lines) {
    const simt::Counters& counters = line.counters;
    const std::uint64_t wavefronts = counters.shared_store_wavefronts;
    passes += std::max(counters.shared_store_requests,
                       wavefronts - std::min(wavefronts, counters.shared_bank_conflicts));
  }
  return passes * lanes;
}

class MatmulRank1 : public Rank1UpdateTest {
 protected:
  void expect_shared_memory_used(const CountedCall& call) {
    const simt::Counters& total = call.use.total;
    if (total.shared_store_requests > 0 && total.shared_load_requests > 0) return;
    fail({.message = call.text + tr(" never uses shared memory."),
          .hint = tr("Bring a tile of A, some rows by some columns, into a __shared__ array: all "
                     "threads of a block multiply their elements of B by it.")});
  }

  void expect_one_operand_in_shared_memory(const CountedCall& call) {
    // Of the elements that blocks of R x C results fetch, A's share is R / (R + C): a fifth for 16
    // x 64, two thirds for 128 x 64. With both operands in shared memory the share is all.
    constexpr double largest_part = 0.85;
    const std::uint64_t fetched = call.use.total.global_load_bytes / sizeof(float);
    const std::uint64_t stored = elements_to_shared_memory(call.use, lanes_of_a_request());
    if (double(stored) <= largest_part * double(fetched)) return;
    const auto line = std::ranges::max_element(
        call.use.lines, {},
        [](const simt::LineCounters& line) { return line.counters.shared_store_requests; });
    fail({.message = tr("{}: the blocks fetch {} elements of A and B, and put {} into "
                        "shared memory: both operands go through it.",
                        call.text, with_commas(fetched), with_commas(stored)),
          .hint =
              tr("Only A belongs there, whose elements all threads of a block need. An element of "
                 "B serves one thread alone, for all its rows: let it fetch that into a variable, "
                 "and multiply it by a column of the tile of A."),
          .file = line->file,
          .line = line->line});
  }

  /// Returns how many columns a tile of A has, or fewer: a block waits once or twice for each tile,
  /// and this counts every wait as one for a tile of its own.
  static double fewest_columns_of_a_tile(const CountedCall& call, int n) {
    std::uint64_t warps = 0;
    for (const simt::KernelProfile& kernel : call.launches) {
      const auto [x, y, z] = kernel.launch.block;
      const std::uint64_t threads = std::uint64_t(x) * y * z;
      warps += kernel.blocks * ((threads + model::threads_per_warp - 1) / model::threads_per_warp);
    }
    return double(n) * double(warps) / double(std::max<std::uint64_t>(call.use.total.barriers, 1));
  }

  void expect_joined_loads(const CountedCall& call, int n) {
    // A tile of A that is 4 columns wide wastes half of each sector, which makes 1.67 times as many
    // sectors in total if blocks are twice as high as wide.
    constexpr double slack = 1.75;
    auto excess =
        excess_traffic(call, global_loads,
                       {.requests = call.use.total.global_load_requests,
                        .sectors = fewest_sectors(call.use.total, global_loads),
                        .reason = tr("a block needs whole rows of a tile of A, and rows of "
                                     "B as wide as its part of C")},
                       slack, "");
    // A's share of the traffic is small, so that the total hides how its tiles are fetched. Along
    // the rows of a tile of 4 columns or more, the loads of a warp join.
    if (!excess && fewest_columns_of_a_tile(call, n) >= 4) {
      excess = scattered_line(call, global_loads);
    }
    if (!excess) return;
    excess->hint = tr(
        "Neighbouring threads must fetch neighbouring elements. The columns of a thread lie as far "
        "apart as the block has threads, or are four neighbours that come as one float4; and who "
        "fetches an element of A need not be who computes with that row.");
    fail(*excess);
  }

  /// Expects no more loads than blocks of rank1().rows x rank1().cols results need.
  void expect_few_loads(const CountedCall& call, int n) {
    // Threads beyond the edge may fetch the last column again; with blocks of 16 x 1024 results and
    // n = 512 that makes 1.7 times as much. Blocks of 8 rows take 1.8 times as much, blocks of 4
    // rows 3.4.
    constexpr double slack = 2;
    const std::uint64_t rows = rank1().rows, cols = rank1().cols;
    const std::uint64_t along_x = (n + cols - 1) / cols, along_y = (n + rows - 1) / rows;
    const std::uint64_t elements = std::uint64_t(n) * n * (along_x + along_y);
    expect_traffic(call, global_loads,
                   {.requests = elements / lanes_of_a_request(),
                    .sectors = model::fewest_sectors(elements),
                    .reason = tr("with blocks of {} rows and {} columns of C, {} columns of blocks "
                                 "need all of A once, and {} rows of them all of B",
                                 rows, cols, along_x, along_y)},
                   slack,
                   tr("A thread should have at least 16 rows of results, and fetch an element of B "
                      "once for all "
                      "of them: the loop over k outside, that over the rows inside."));
  }

  std::string advice() const override {
    return tr(
        "Follow one result of one thread: the row of the tile of A and the column of B that it "
        "is summed up from, where these were fetched, and where it is stored. Then look at both "
        "barriers, and at the zeros beyond the edge.");
  }
};

TEST_F(MatmulTwoRows, IsRightForAnyOrder) { expect_two_rows_right(two_rows()); }

TEST_F(MatmulTwoRowsTransposed, IsRightForAnyOrder) {
  expect_two_rows_right(two_rows_transposed());
}

TEST_F(MatmulRank1, IsRightForAnyOrder) {
  // The orders are multiples of most blocks that one may choose, and then others beside them.
  expect_right_for(rank1(), {64, 256, 128, 512, 16, 192});
  expect_right_for(rank1(), {255, 257, 127, 129, 63, 65, 15, 17, 37, 97, 203, 523});
  expect_small_orders(rank1());
}

TEST_F(MatmulRank1, RefusesBadArguments) {
  constexpr int n = 20;
  for (const TiledFunction& function : {two_rows(), two_rows_transposed(), rank1()}) {
    expect_right(function.with(n));
    expect_negative_orders_refused(function);
    expect_right(function.with(n));
  }
}

TEST_F(MatmulTwoRows, IsFreeOfRacesAndStrayAccesses) {
  std::vector<MatmulCase> cases;
  for (const TiledFunction& function : {two_rows(), two_rows_transposed()}) {
    // Whole blocks come first, so that a fault in them is not explained by edges.
    for (const int n : {2 * tile, 1, half + 1, tile, 2 * tile + half, 2 * tile + half + 1}) {
      cases.push_back(function.with(n));
    }
  }
  // Races and stray accesses are looked for before the wrong results that they cause.
  expect_clean(cases);
  for (const TiledFunction& function : {two_rows(), two_rows_transposed()}) {
    expect_inside_for(function, {1, half + 1, tile - 1, tile, tile + 1, 50});
  }
}

TEST_F(MatmulRank1, IsFreeOfRacesAndStrayAccesses) {
  std::vector<MatmulCase> cases;
  // With the last order, most blocks that one may choose occur whole, and in part along both sides.
  for (const int n : {64, 1, 15, 37, 128, 261}) cases.push_back(rank1().with(n));
  expect_clean(cases);
  expect_inside_for(rank1(), {1, 15, 16, 17, 63, 64, 65, 255, 257});
}

TEST_F(MatmulTwoRowsTransposed, KeepsItsThreadsInDifferentBanks) {
  if (skipped_without_simulator()) return;
  const TiledFunction function = two_rows_transposed();
  constexpr int n = 4 * tile;
  const CountedCall call = count(function.with(n));
  if (!in_different_banks_once_merged(call.use.total)) expect_different_banks(function, n);
  expect_elements_used_twice(call, n);
  expect_tiled_traffic(function, 8 * tile);
}

TEST_F(MatmulRank1, KeepsOneOperandInRegisters) {
  if (skipped_without_simulator()) return;
  // Rows begin at sectors, first with whole blocks, then also with parts of blocks. The larger n,
  // the less weight have the accesses beyond the edge of blocks of unknown size.
  for (const int n : {512, 456}) {
    const CountedCall call = count(rank1().with(n));
    expect_shared_memory_used(call);
    expect_one_operand_in_shared_memory(call);
    expect_joined_loads(call, n);
    expect_few_loads(call, n);
    expect_joined_stores(call, n);
  }
}

// On an H200 at n = 4096 one result per thread (stage 3) reaches 14% of the peak, and two reach 21%
// with either of the two functions, so stage 3 is at 65% of the solution. On a GTX 280 these are
// 32% and 38% (muni2009).
TEST_F(MatmulTwoRows, ReachesMinimumGflops) {
  if (!options().models_rates()) {
    measure(two_rows().with(1024), "gflops_n1024");
    measure(two_rows().with(2048), "gflops_n2048");
    measure(two_rows_transposed().with(1024), "gflops_transposed_n1024");
    measure(two_rows_transposed().with(2048), "gflops_transposed_n2048");
    measure(two_rows_transposed().with(4096), "gflops_transposed");
  }
  expect_fast_enough(two_rows().with(large_order()), minimum_speed(),
                     tr("Read each element of the tile of B once, and use it for both rows of a "
                        "thread: three reads of shared memory for two products."));
}

// On an H200 at n = 4096 the blocks of muni2009 with one element of B at a time reach 28% of the
// solution, less than two rows per thread (41%), so speed cannot tell rank-1 updates from other
// kernels there. On a GTX 280 they reached 60% of the peak (muni2009).
TEST_F(MatmulRank1, ReachesMinimumGflops) {
  if (!options().models_rates()) {
    measure(rank1().with(1024), "gflops_n1024");
    measure(rank1().with(2048), "gflops_n2048");
  }
  expect_fast_enough(rank1().with(large_order()), minimum_speed(),
                     tr("Keep the sums of a thread and its elements of B in registers, and read "
                        "only A from shared memory: each element read should serve several "
                        "columns, and each element of B all rows of the block."));
}

}  // namespace
}  // namespace tilewise::grading
