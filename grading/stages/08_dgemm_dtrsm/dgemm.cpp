#include <fmt/format.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "common/base/language.hpp"
#include "grading/profile/numbers.hpp"
#include "grading/stages/08_dgemm_dtrsm/contract.hpp"
#include "grading/stages/any_gemm_fixture.hpp"

namespace tilewise::grading {
namespace {

int blocks_along(int count, int side) { return (count + side - 1) / side; }

class DgemmStage : public AnyGemmTest {
 protected:
  /// Whether the GPU can run kernels that use all the shared memory of current GPUs. For the first
  /// GPUs nvcc, and the simulator, refuse such kernels, and a function that picks its kernel by
  /// size picks one of them for a large C.
  static bool has_room_for_large_tiles() {
    constexpr std::size_t usual = 48 * 1024;
    return options().on_gpu() || options().profile.default_shared_bytes_per_block() >= usual;
  }

  void expect_shared_memory_used(const CountedCall& call) {
    const simt::Counters& total = call.use.total;
    if (total.shared_store_requests > 0 && total.shared_load_requests > 0) return;
    fail(
        {.message =
             call.text + tr(" never uses shared memory: each thread fetches all its operands "
                            "from global memory."),
         .hint = tr("Bring tiles of A and B into __shared__ arrays, meet at a barrier, and let the "
                    "inner loop read these.")});
  }

  /// Expects neighbouring threads to read neighbouring elements of B, and to read and write
  /// neighbouring elements of C.
  void expect_walk_along_rows(const DgemmFunction& function, Shape shape, Gaps gaps) {
    // Blocks of 16 columns, and unaligned rows, stay within the slack. Threads that follow each
    // other down the columns of C make 2 times as much in blocks of 16 x 16, otherwise 3.7.
    constexpr double slack_of_loads = 1.5, slack_of_stores = 3;
    const CountedCall call = count(of(function, shape, {1.5, 0.5}, gaps));
    const std::uint64_t lanes = lanes_of_a_request();
    const std::uint64_t elements = std::uint64_t(shape.m) * shape.n, products = elements * shape.k;
    const std::uint64_t row = lanes / elements_of_sector;
    expect_traffic(
        call, global_loads,
        {.requests = (2 * products + elements) / lanes,
         .sectors = (products * (row + 1) + elements * row) / lanes,
         .reason = tr("for each product neighbouring threads read one element of A together and "
                      "neighbours of B, four to a sector, and C once")},
        slack_of_loads,
        tr("Let each thread read an element of A and one of B for each product, and "
           "keep its sum in a variable."));
    expect_traffic(call, global_stores,
                   {.requests = elements / lanes,
                    .sectors = elements / elements_of_sector,
                    .reason = tr("each element of C is stored once, beside its neighbours")},
                   slack_of_stores,
                   tr("Sum up in a variable, and store it when the sum is complete."));
    record_measurement("sectors_a_load", sectors_per_request(call.use.total, global_loads));
  }

  /// Expects tiles of at least 16 x 16 elements to be fetched once for each block and step, with
  /// neighbouring threads fetching neighbouring elements.
  CountedCall expect_tiles_fetched_once(const DgemmFunction& function, Shape shape, Gaps gaps) {
    // As in other stages, this allows one step, or one tile in each direction, too many. Tiles of 8
    // x 8 make 2 times as much, and so do tiles that are fetched down the columns.
    constexpr double slack_of_loads = 1.5;
    // The results of a thread may be neighbours that are stored one by one.
    constexpr double slack_of_stores = 2;
    constexpr int tile = 16;
    const CountedCall call = count(of(function, shape, product_alone, gaps));
    expect_shared_memory_used(call);
    const std::uint64_t blocks =
        std::uint64_t(blocks_along(shape.m, tile)) * blocks_along(shape.n, tile);
    const std::uint64_t steps = blocks_along(shape.k, tile), tiles = 2 * blocks * steps;
    const bool begin_at_sectors = (shape.k + gaps.a) % elements_of_sector == 0 &&
                                  (shape.n + gaps.b) % elements_of_sector == 0;
    const std::uint64_t sectors_of_row = tile / elements_of_sector + (begin_at_sectors ? 0 : 1);
    expect_traffic(
        call, global_loads,
        {.requests = tiles * tile * tile / lanes_of_a_request(),
         .sectors = tiles * tile * sectors_of_row,
         .reason = tr("each of {} blocks of {}x{} elements of C fetches {} tiles of A and "
                      "of B, each element once",
                      with_commas(blocks), tile, tile, steps)},
        slack_of_loads,
        tr("Let each block compute at least {}x{} elements of C, load each element of its "
           "tiles once, into shared memory, and let the inner loop read the tiles alone.",
           tile, tile));
    expect_traffic(call, global_stores,
                   {.requests = blocks * tile * tile / lanes_of_a_request(),
                    .sectors = std::uint64_t(shape.m) * shape.n,
                    .reason = tr("each element of C is stored once")},
                   slack_of_stores,
                   tr("Sum up in a variable, and store it when the sum is complete."));
    return call;
  }

  /// Expects that no column of a tile lies in a single bank.
  void expect_different_banks(const CountedCall& call) {
    // With 16 banks of 4 bytes, adjacent doubles always conflict in pairs, however they are laid
    // out.
    if (is_of_first_gpus()) return;
    // A warp's doubles take two passes. Threads with eight neighbouring results take 8 or 9 on
    // average. If half a warp finds its elements in one bank, a request takes 32 passes, or 17 on
    // average if the other tile has no conflicts.
    constexpr double most_passes = 12;
    const simt::Counters& total = call.use.total;
    const auto exceeds = [](std::uint64_t passes, std::uint64_t requests) {
      return double(passes) > most_passes * double(requests);
    };
    if (!exceeds(total.shared_load_wavefronts_merged, total.shared_load_requests_merged) &&
        !exceeds(total.shared_store_wavefronts, total.shared_store_requests)) {
      return;
    }
    if (const auto excess = excess_bank_conflicts(call, lanes_of_a_request())) fail(*excess);
  }

  static constexpr int elements_of_sector = 4;
};

class DgemmGlobal : public DgemmStage {
 protected:
  DgemmFunction function = contracts::dgemm_global;
};

class DgemmShared : public DgemmStage {
 protected:
  DgemmFunction function = contracts::dgemm_shared;

  /// Sizes of C at which a function may switch to larger tiles, of 32, 64 and 128: C has about as
  /// many of them as a large GPU has SMs, or twice as many.
  struct Size {
    Shape whole;  ///< a shape that tiles divide
    Shape ragged;
    Shape tall;  ///< as many tiles with fewer elements; two steps for each size of tile
    bool is_large = false;
  };

  static std::vector<Size> sizes_of_large_tiles() {
    std::vector<Size> sizes = {{{256, 512, 32}, {353, 379, 37}, {2021, 33, 33}},
                               {{512, 1024, 32}, {701, 829, 37}, {4037, 65, 17}, true},
                               {{1024, 2048, 32}, {1500, 1403, 37}, {8133, 129, 9}, true}};
    std::erase_if(sizes,
                  [](const Size& size) { return size.is_large && !has_room_for_large_tiles(); });
    return sizes;
  }

  static Shape with_k(Shape shape, int k) {
    shape.k = k;
    return shape;
  }
};

TEST_F(DgemmGlobal, IsRightForAnyShape) {
  expect_any_shape(function);
  expect_inside(of(function, {353, 379, 41}, {0.75, -1.25}, {3, 6, 2}));
}

TEST_F(DgemmShared, IsRightForAnyShape) {
  expect_any_shape(function);
  for (const Size& size : sizes_of_large_tiles()) {
    expect_inside(of(function, size.ragged, {0.75, -1.25}, {3, 6, 2}));
    expect_inside(of(function, with_k(size.tall, 1), {-1, 0}, {0, 1, 8}));
    expect_inside(of(function, with_k(size.tall, 5), {0, 0.5}, {4, 0, 0}));
  }
}

TEST_F(DgemmShared, IsFreeOfRacesAndStrayAccesses) {
  std::vector<DgemmCase> cases;
  for (const DgemmFunction& each :
       {DgemmFunction(contracts::dgemm_global), DgemmFunction(contracts::dgemm_shared)}) {
    for (const Shape shape : {Shape{64, 64, 64}, Shape{64, 32, 128}, Shape{33, 70, 50},
                              Shape{70, 33, 17}, Shape{1, 40, 9}, Shape{40, 1, 33}}) {
      cases.push_back(of(each, shape));
    }
    cases.push_back(of(each, {1, 1, 1}, {1, 1}));
    cases.push_back(of(each, {37, 50, 29}, {1.5, 0.5}, {3, 5, 1}));
    cases.push_back(of(each, {37, 50, 29}, {0, 0.5}, {1, 1, 3}));
    cases.push_back(of(each, {37, 50, 0}, {1.5, 0.5}, {1, 1, 3}));
    cases.push_back(of(each, {37, 50, 0}));
    for (const Gaps& gaps : odd_gaps) {
      cases.push_back(of(each, {40, 72, 24}, {1.5, 0.5}, gaps));
    }
  }
  // Each fills its tiles more than once, and overhangs on all sides.
  std::vector<DgemmCase> large;
  for (const Size& size : sizes_of_large_tiles()) {
    large.push_back(of(function, size.tall, {1.5, 0.5}, {3, 6, 2}));
  }
  expect_clean(cases, large);
}

TEST_F(DgemmShared, FetchesEachTileOnce) {
  if (skipped_without_simulator()) return;
  // The first has whole tiles and rows that begin at sectors; the second has neither.
  constexpr Shape whole = {96, 160, 128}, ragged = {100, 150, 70};
  constexpr Gaps wide = {32, 64, 96}, odd = {3, 5, 1};
  expect_walk_along_rows(contracts::dgemm_global, whole, wide);
  expect_walk_along_rows(contracts::dgemm_global, ragged, odd);
  expect_different_banks(expect_tiles_fetched_once(function, whole, wide));
  expect_tiles_fetched_once(function, ragged, odd);
  for (const Size& size : sizes_of_large_tiles()) {
    expect_different_banks(expect_tiles_fetched_once(function, size.whole, no_gaps));
  }
}

// On an H200 at n = 4096 dgemm_global reaches 13% of the solution and 9% of the peak. Tiles with
// one result per thread can reach 17% of the peak (notes on the solution), and other styles 38% of
// the solution, so any kernel with tiles passes.
TEST_F(DgemmShared, ReachesMinimumGflops) {
  if (!options().models_rates()) {
    measure(of(function, {512, 512, 512}), "gflops_n512");
    measure(of(function, {1024, 1024, 1024}), "gflops_n1024");
    measure(of(contracts::dgemm_global, {1024, 1024, 1024}), "gflops_global_n1024");
  }
  const int n = large_order();
  expect_fast_enough(
      of(function, {n, n, n}), minimum_speed(),
      tr("Neighbouring threads (threadIdx.x) should read and write neighbouring "
         "elements of B and C, so that the accesses of a warp join, and each element "
         "of a tile should be loaded once a block. Then several results a thread, as "
         "in stage 6."));
}

}  // namespace
}  // namespace tilewise::grading
