#include <fmt/format.h>

#include <cstdint>

#include "common/base/language.hpp"
#include "common/model/matmul_counts.hpp"
#include "grading/examiner/stage_fixture.hpp"
#include "grading/stages/10_reduction/rows_fixture.hpp"

namespace tilewise::grading {
namespace {

class Gemv : public Rows {
 protected:
  void expect_any_shape() {
    for (const GemvCase& shape : {GemvCase{64, 64}, {32, 128}, {256, 32}, {16, 1024}, {8, 4096}}) {
      expect_right(shape);
    }
    for (const GemvCase& shape : {GemvCase{1, 1},
                                  {1, 2},
                                  {2, 1},
                                  {3, 5},
                                  {1, 1000},
                                  {1000, 1},
                                  {37, 101},
                                  {67, 997},
                                  {203, 33},
                                  {9, 2049},
                                  {5, 4103},
                                  {2, 20'011},
                                  {3001, 7}}) {
      expect_right(shape);
    }
    for (const float alpha : {1.0f, -2.5f, 0.0f}) {
      for (const float beta : {0.0f, 1.0f, 0.75f}) expect_right(GemvCase{37, 70, alpha, beta, 3});
    }
    for (const int gap : {1, 2, 3, 4, 5, 64}) expect_right(GemvCase{21, 132, 0.5f, -1.5f, gap});
    expect_inside(GemvCase{1, 1});
    expect_inside(GemvCase{37, 101, 1.5f, 0.0f, 3});
    expect_inside(GemvCase{64, 64, 2.0f, 0.5f, 4});
    expect_right_with_many_blocks(GemvCase{70'001, 3});

    for (const GemvCase& nothing : {GemvCase{0, 0}, {0, 40}}) {
      try_nothing_done(*prepare_with(nothing, nothing), advice_on_nothing());
    }
    // With beta 1, y is the same whether it is left alone, as in BLAS, or multiplied by beta, as in
    // DGEMM with k = 0.
    try_nothing_done(*prepare_with(GemvCase{5, 0, 1, 1}, GemvCase{5, 0, 1, 1}),
                     advice_on_nothing());
    const GemvCase allocated{40, 40};
    try_refused(*prepare_with(GemvCase{-1, 40}, allocated), tr("m is negative"));
    try_refused(*prepare_with(GemvCase{40, -1}, allocated), tr("n is negative"));
    try_refused(*prepare_with(GemvCase{40, 40, 1, 0, 0, true}, allocated), tr("lda is below n"));
    expect_right(allocated);
  }
};

class SoftmaxRows : public Rows {
 protected:
  void expect_any_shape() {
    for (const SoftmaxCase& shape :
         {SoftmaxCase{4, 32}, {16, 64}, {8, 256}, {64, 16}, {5, 1024}, {3, 4096}, {2, 8192}}) {
      expect_right(shape);
    }
    for (const SoftmaxCase& shape :
         {SoftmaxCase{1, 1}, {1, 2},      {5, 1},      {3, 3},      {7, 5},    {2, 31},
          {3, 33},           {67, 37},    {129, 12},   {2, 127},    {3, 255},  {3, 257},
          {2, 1000},         {3, 1023},   {2, 1025},   {3, 2047},   {2, 4099}, {2, 8191},
          {2, 10'007},       {1, 20'000}, {1, 40'003}, {2, 100'000}}) {
      expect_right(shape);
    }
    for (const SoftmaxCase& shape : {SoftmaxCase{1, 1}, {5, 37}, {3, 64}, {2, 1001}}) {
      expect_inside(shape);
    }
    expect_right_with_many_blocks(SoftmaxCase{70'001, 3});
    for (const SoftmaxCase& nothing : {SoftmaxCase{0, 0}, {0, 40}, {40, 0}}) {
      expect_nothing_done(nothing);
    }
    const SoftmaxCase allocated{40, 40};
    for (const SoftmaxCase& bad : {SoftmaxCase{-1, 40}, {40, -1}, {-40, -40}, {-1, 0}}) {
      expect_refused(bad, allocated, tr("rows or cols is negative"));
    }
    expect_right(allocated);
  }
};

TEST_F(Gemv, IsRightForAnyShape) { expect_any_shape(); }

TEST_F(SoftmaxRows, IsRightForAnyShape) { expect_any_shape(); }

TEST_F(SoftmaxRows, IsSafeForAnyNumbers) {
  // The rows suit a warp or a block, and some are longer than a block may hold.
  for (const int cols : {64, 37, 1, 1024, 5003, 50'000}) {
    for (const Row kind :
         {Row::large, Row::small, Row::late_maximum, Row::with_gaps, Row::one_is_there, Row::huge,
          Row::one_stands_out, Row::alike, Row::only_gaps, Row::random}) {
      expect_right(SoftmaxCase{3, cols, kind});
    }
  }
}

TEST_F(Rows, AreFreeOfRacesAndStrayAccesses) {
  expect_clean({GemvCase{64, 64}, GemvCase{1, 1}, GemvCase{37, 101, 1.5f, 0.5f, 3},
                GemvCase{7, 1000}, GemvCase{5, 4100}, GemvCase{3, 4103, 1, 0, 2},
                GemvCase{9, 12, 0, 2.0f, 0},
                SoftmaxCase{8, 64}, SoftmaxCase{1, 1}, SoftmaxCase{5, 37}, SoftmaxCase{67, 3},
                SoftmaxCase{3, 1024}, SoftmaxCase{2, 1001}, SoftmaxCase{2, 5003},
                SoftmaxCase{1, 40'000}});
}

TEST_F(Rows, AreLoadedInOneOrTwoPasses) {
  if (skipped_without_simulator()) return;
  // An element of x is loaded for each row, from a cache, unless several rows share it.
  constexpr double slack = 1.25;
  for (const GemvCase& of : {GemvCase{64, 1024}, GemvCase{16, 4096}}) {
    const std::uint64_t elements = 2 * std::uint64_t(of.m) * of.n;
    expect_traffic(
        count(of), global_loads,
        {.requests = elements / lanes_of_a_request(),
         .sectors = model::fewest_sectors(elements),
         .reason = tr("each element of A is loaded once, beside its neighbours, and one of "
                      "x for it")},
        slack,
        tr("Neighbouring threads should load neighbouring elements of a row: give a row to "
           "a warp or a block, not to a thread."));
  }
  // One pass is for the maximum and the sum, and one for the results, if a row is not kept.
  constexpr int passes = 2;
  for (const SoftmaxCase& of : {SoftmaxCase{64, 64}, SoftmaxCase{32, 1024}, SoftmaxCase{4, 8192}}) {
    const CountedCall call = count(of);
    const std::uint64_t elements = std::uint64_t(of.rows) * of.cols;
    expect_traffic(
        call, global_loads,
        {.requests = passes * elements / lanes_of_a_request(),
         .sectors = model::fewest_sectors(passes * elements),
         .reason = tr("one pass over a row gives its maximum and its sum, if the sum is "
                      "scaled where the maximum grows, and a second one the results")},
        slack,
        tr("Keep a maximum and the sum of exp(element - maximum) together. Where a larger "
           "element comes, multiply the sum by exp(old maximum - new one)."));
    expect_traffic(call, global_stores,
                   {.requests = elements / lanes_of_a_request(),
                    .sectors = model::fewest_sectors(elements),
                    .reason = tr("each result is stored once, beside its neighbours")},
                   slack, tr("Store an element when it is complete."));
  }
}

// On an H200 a warp that goes over its row twice, element by element, reaches 38% of the solution's
// softmax, a warp that keeps its row 58%, and a block that keeps it in shared memory 77%. gemv by
// warps and blocks reaches 57% to 90%.
TEST_F(Rows, ReachMinimumBandwidth) {
  const int n = options().models_rates() ? 2048 : 4096;
  expect_fast_enough(
      GemvCase{n, n}, "gb_s_gemv", fmt::format("m = n = {}", n),
      tr("Loads of A decide. Let neighbouring threads load neighbouring elements of a "
         "row, four at a time as a float4, and have several of these on their way."));
  expect_fast_enough(
      SoftmaxCase{n, n}, "gb_s_softmax", fmt::format("{} x {}", n, n),
      tr("Loads and stores decide. Load an element once, keep it in a register until "
         "the row's maximum and sum are known, and store it from there; four "
         "neighbours at a time as a float4."));
}

}  // namespace
}  // namespace tilewise::grading
