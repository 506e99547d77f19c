#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "common/base/language.hpp"
#include "grading/examiner/matrix_fixtures.hpp"
#include "grading/profile/numbers.hpp"
#include "grading/stages/08_dgemm_dtrsm/contract.hpp"

namespace tilewise::grading {
namespace {

struct Shape {
  int m, n;
};

/// Elements between the end of a row and the start of the next.
struct Gaps {
  int a, b;
};

constexpr Gaps no_gaps = {0, 0};

class DtrsmStage : public DtrsmTest {
 protected:
  void SetUp() override {
    DtrsmTest::SetUp();
    const core::GpuProfile& gpu = options().profile;
    if (options().on_gpu() || capability().has_double_precision) return;
    skip(tr("The {} has no double precision: that came with compute capability 1.3.", gpu.name),
         tr("Grade with --gpu gtx280, or a later one."));
  }

  /// Skips the test on a GPU without shuffles. Returns whether it did.
  bool skipped_without_shuffles() {
    return !has_shuffles() &&
           skip(tr("The {} has no warp shuffles, of which these functions are made: they "
                   "came with compute capability 3.0.",
                   options().profile.name),
                tr("Grade with --gpu gtx1080, or a later one."));
  }

  static bool has_shuffles() { return options().on_gpu() || capability().has_shuffles; }

  static DtrsmCase of(const DtrsmFunction& function, Shape shape, double alpha = 1,
                      Gaps gaps = no_gaps) {
    return {.function = function,
            .m = shape.m,
            .n = shape.n,
            .alpha = alpha,
            .lda = std::max(shape.m, 1) + gaps.a,
            .ldb = std::max(shape.n, 1) + gaps.b};
  }

  /// Expects right solutions, and no writes outside of B, for these shapes with all gaps and
  /// factors, one after another.
  template <std::size_t plain_count, std::size_t ragged_count>
  void expect_right_for(const DtrsmFunction& function,
                        const std::array<Shape, plain_count>& plain_shapes,
                        const std::array<Shape, ragged_count>& ragged_shapes) {
    for (const Shape shape : plain_shapes) expect_right(of(function, shape));
    const Shape plain = plain_shapes.back();
    for (const double alpha : all_factors) expect_right(of(function, plain, alpha));
    for (const Gaps gaps : all_gaps) expect_inside(of(function, plain, 1, gaps));
    for (std::size_t i = 0; i < ragged_shapes.size(); ++i) {
      expect_right(of(function, ragged_shapes[i]));
      // The numbers of factors and gaps are coprime, so that each factor eventually meets each kind
      // of gaps.
      expect_inside(of(function, ragged_shapes[i], all_factors[i % all_factors.size()],
                       all_gaps[i % all_gaps.size()]));
    }
  }

  void expect_negative_refused(const DtrsmCase& allocated, int DtrsmCase::*side,
                               const std::string& reason) {
    for (const int negative : {-1, -32, std::numeric_limits<int>::min()}) {
      DtrsmCase bad = allocated;
      bad.*side = negative;
      expect_refused(bad, allocated, reason);
    }
  }

  void expect_close_rows_refused(const DtrsmCase& allocated,
                                 std::optional<int> DtrsmCase::*distance, int width,
                                 const std::string& reason) {
    for (const int too_small : {width - 1, width / 2, -width}) {
      DtrsmCase bad = allocated;
      bad.*distance = too_small;
      expect_refused(bad, allocated, reason);
    }
  }

  static constexpr int block = 32;  ///< number of rows solved at a time

  /// 0 comes last, because then there is nothing to solve.
  static constexpr std::array<double, 5> all_factors = {2.1, 0.375, -1, 1, 0};

  /// Gaps in one matrix alone, to show whose row length is wrong, and then in both.
  static constexpr std::array<Gaps, 4> all_gaps = {{{5, 0}, {0, 7}, {1, 2}, {96, 33}}};
};

class DtrsmOf32Rows : public DtrsmStage {
 protected:
  DtrsmFunction by_shared_memory = of_32_rows(contracts::dtrsm_32_shared);
  DtrsmFunction by_shuffles = of_32_rows(contracts::dtrsm_32_shuffle);

  void expect_any_width(const DtrsmFunction& function) {
    constexpr std::array<Shape, 4> whole = {{{block, 32}, {block, 64}, {block, 256}, {block, 96}}};
    constexpr std::array<Shape, 17> ragged = {{{block, 31},
                                               {block, 33},
                                               {block, 1},
                                               {block, 2},
                                               {block, 15},
                                               {block, 16},
                                               {block, 17},
                                               {block, 7},
                                               {block, 37},
                                               {block, 63},
                                               {block, 65},
                                               {block, 101},
                                               {block, 127},
                                               {block, 211},
                                               {block, 1000},
                                               {block, 523},
                                               {block, 2003}}};
    expect_right_for(function, whole, ragged);
    expect_nothing_done(of(function, {block, 0}));

    const DtrsmCase allocated = of(function, {block, 40}, 1.5);
    expect_negative_refused(allocated, &DtrsmCase::n, tr("n is negative"));
    expect_close_rows_refused(allocated, &DtrsmCase::lda, block,
                              tr("lda is less than 32: rows of A overlap"));
    expect_close_rows_refused(allocated, &DtrsmCase::ldb, 40,
                              tr("ldb is less than n: rows of B overlap"));
    expect_right(allocated);
  }

  /// Expects 32 rows of B to be read once and written once, with neighbouring threads accessing
  /// neighbouring elements.
  CountedCall expect_walk_along_rows(const DtrsmFunction& function) {
    // If neighbouring threads go down a column of B, they move 4 times as much.
    constexpr double slack = 1.75;
    constexpr std::uint64_t elements = std::uint64_t(block) * counted_columns;
    constexpr std::uint64_t sectors_of_b = elements / elements_of_sector;
    const CountedCall call = count(of(function, {block, counted_columns}));
    // Only the last launch solves; others may come before it, such as a product that multiplies B
    // by alpha.
    const std::vector<KernelProfile> last = {call.launches.back()};
    const CountedCall solve = {call.text, add_up(last), last};
    // Blocks of 16 columns (128 bytes of each row) may each fetch A.
    const std::uint64_t blocks = std::max<std::uint64_t>(counted_columns / 16, last[0].blocks);
    const std::string advice = tr(
        "Load each element of B once and store it once, and bring A into shared memory, once for "
        "all threads of a block.");
    const TrafficTheory stores = {
        .requests = elements / elements_of_sector,  // only sectors are decisive
        .sectors = sectors_of_b,
        .reason = tr("each element of B is written once, four to a sector")};
    expect_traffic(solve, global_stores, stores, slack, advice);
    const TrafficTheory loads = {
        .requests = stores.requests + blocks * sectors_of_a(),
        .sectors = sectors_of_b + blocks * sectors_of_a(),
        .reason = tr("each element of B is read once, four to a sector, and the lower "
                     "triangle of A by each of {} blocks",
                     with_commas(blocks))};
    expect_traffic(solve, global_loads, loads, slack, advice);
    return call;
  }

  /// Expects unknowns to be broadcast by shuffles, without a barrier for each of them.
  void expect_broadcast_by_shuffle(const CountedCall& call) {
    const simt::Counters& total = call.use.total;
    record_measurement("shuffles_a_column", double(total.shuffles) / counted_columns);
    record_measurement("barriers_a_column", double(total.barriers) / counted_columns);
    // With L lanes per column, each lane has 32 / L of its rows. All unknowns but those of the last
    // lane have to reach another lane. That takes 32 (L - 1) / L shuffles, each of which serves the
    // 32 / L columns of a warp, so L - 1 per column: 31 with the intended L = 32, and at the very
    // least 1.
    constexpr std::uint64_t fewest = counted_columns;
    const std::string hint =
        tr("Give each column of B to a warp, its row l to lane l: lane j's unknown comes to all of "
           "them by __shfl_sync(0xffffffff, x, j), and needs neither shared memory nor a barrier.");
    if (total.shuffles < fewest) fail(too_few_shuffles(call, fewest, hint));
    // A few barriers are allowed for moving A and B in and out: up to 16 in a warp that shuffles 32
    // times.
    if (2 * total.barriers <= total.shuffles) return;
    fail({.message = tr("{}: its warps come to {} barriers and shuffle {} times. About one "
                        "barrier for each unknown is what a shuffle does without.",
                        call.text, with_commas(total.barriers), with_commas(total.shuffles)),
          .hint = hint});
  }

  /// Blocks of any usual size divide this.
  static constexpr int counted_columns = 512;

 private:
  static constexpr int elements_of_sector = 4;

  /// Returns the sectors of the lower triangle, row by row.
  static constexpr std::uint64_t sectors_of_a() {
    std::uint64_t sectors = 0;
    for (int row = 0; row < block; ++row) sectors += row / elements_of_sector + 1;
    return sectors;
  }

  static Finding too_few_shuffles(const CountedCall& call, std::uint64_t fewest,
                                  const std::string& hint) {
    Finding finding{.message = tr("{}: its warps shuffle {} times, and {} times is the "
                                  "least that takes the unknowns of {} columns to other "
                                  "threads.",
                                  call.text, with_commas(call.use.total.shuffles),
                                  with_commas(fewest), counted_columns),
                    .hint = hint};
    const auto line = std::ranges::max_element(
        call.use.lines, {}, [](const auto& each) { return each.counters.shared_load_requests; });
    if (line == call.use.lines.end() || line->counters.shared_load_requests == 0) return finding;
    finding.message +=
        tr(" Line {} reads shared memory {} times: what threads exchange goes that way.",
           line->line, with_commas(line->counters.shared_load_requests));
    finding.file = line->file;
    finding.line = line->line;
    return finding;
  }
};

class DtrsmOfAnyOrder : public DtrsmStage {
 protected:
  DtrsmFunction blocked = contracts::dtrsm_blocked;
  DtrsmFunction recursive = contracts::dtrsm_recursive;

  void expect_any_shape(const DtrsmFunction& function) {
    // First come shapes of one, two and more whole blocks, then shapes that end within a block.
    // Gaps and factors are tried on the last whole shape. The first shapes with different sides are
    // small, so that a wrong row length shows in the result, and not by a crash.
    constexpr std::array<Shape, 8> whole = {
        {{32, 32}, {64, 64}, {64, 32}, {96, 32}, {32, 96}, {160, 32}, {480, 96}, {160, 64}}};
    constexpr std::array<Shape, 22> ragged = {
        {{31, 32}, {33, 32},  {32, 31},  {32, 33}, {63, 64}, {64, 63}, {65, 64}, {64, 65},
         {1, 1},   {2, 1},    {1, 40},   {40, 1},  {3, 5},   {31, 33}, {97, 37}, {67, 131},
         {129, 7}, {191, 17}, {257, 33}, {1, 997}, {7, 301}, {517, 41}}};
    expect_right_for(function, whole, ragged);
    for (const Shape shape : {Shape{0, 20}, Shape{20, 0}, Shape{0, 0}}) {
      expect_nothing_done(of(function, shape, 1.5));
    }

    const DtrsmCase allocated = of(function, {70, 40}, 1.5);
    expect_negative_refused(allocated, &DtrsmCase::m, tr("m is negative"));
    expect_negative_refused(allocated, &DtrsmCase::n, tr("n is negative"));
    expect_close_rows_refused(allocated, &DtrsmCase::lda, 70,
                              tr("lda is less than m: rows of A overlap"));
    expect_close_rows_refused(allocated, &DtrsmCase::ldb, 40,
                              tr("ldb is less than n: rows of B overlap"));
    expect_right(allocated);
  }

  /// Expects few, large products, at whatever order the recursion ends.
  void expect_recursion() {
    const std::size_t launches = expect_recursion_of(16 * block);
    // If the recursion ends at so many rows that 16 blocks are few, twice as many rows distinguish
    // it from a sweep. No more than 64 launches are counted.
    if (2 * launches + 1 <= 64) expect_recursion_of(32 * block);
  }

 private:
  /// Checks the recursion for m rows. Returns the number of launches.
  std::size_t expect_recursion_of(int m) {
    const Shape shape = {m, 32};
    const double elements = double(shape.m) * shape.n;
    const CountedCall call = count(of(recursive, shape));
    const std::size_t launches = call.launches.size();
    double stored = 0, stored_by_one = 0;
    for (const KernelProfile& launch : call.launches) {
      const double by_launch = double(launch.counters.global_store_bytes) / sizeof(double);
      stored += by_launch;
      stored_by_one = std::max(stored_by_one, by_launch);
    }
    record_measurement(fmt::format("launches_m{}", m), double(launches));
    record_measurement(fmt::format("stores_an_element_m{}", m), stored / elements);
    const std::string hint = tr(
        "Solve the upper half of the rows by the same function, subtract A21 * X1 from the whole "
        "lower half with one product, then solve the lower half by the same function: until there "
        "are few enough rows for one launch.");

    if (launches == 1) {
      fail({.message = tr("{} launches one kernel. By recursion there are some {} solves, "
                          "of {} rows each or fewer of more, and products between them.",
                          call.text, m / block, block),
            .hint = hint});
    }
    // The first product updates half of B, or a third if the parts are uneven. In a sweep that
    // updates each block of rows in turn, no product is higher than a block.
    if (stored_by_one < 0.3 * elements) {
      fail({.message = tr(
                "{}: none of its {} launches stores more than {:.1f}% of the elements of B, as in "
                "a sweep. By recursion the first product updates about half of them.",
                call.text, launches, 100 * stored_by_one / elements),
            .hint = hint});
    }
    // Each row is stored once when it is solved, and once for each part of which it is in the lower
    // half: on average half of the log2(solves) parts that contain it. A sweep, which updates all
    // rows below each block, stores it solves / 2 times. One more store is allowed if B is
    // multiplied by alpha beforehand, and a tenth more if parts are uneven.
    const double solves = (double(launches) + 1) / 2, usual = 1 + std::log2(solves) / 2;
    if (stored > 1.1 * (usual + 1) * elements) {
      fail({.message = tr(
                "{}: its {} launches store each element of B {:.1f} times, as in a sweep. By "
                "recursion it is {:.1f} times: once for its solution, and once for every other of "
                "log2({:.0f}) halvings.",
                call.text, launches, stored / elements, usual, solves),
            .hint = hint});
    }
    return launches;
  }
};

TEST_F(DtrsmOf32Rows, IsRightForAnyWidth) {
  const auto fits = [&](const DtrsmFunction& function) {
    return has_shuffles() || !launch_fails(of(function, {block, block}));
  };
  if (!fits(by_shared_memory)) {
    skip(tr("dtrsm_32_shared is not launched on the {}: a block has up to {} threads there, "
            "and {} bytes of shared memory.",
            options().profile.name, threads_per_block(), options().profile.shared_bytes_per_block),
         tr("Grade with --gpu gtx1080, or a later one."));
    return;
  }
  expect_any_width(by_shared_memory);
  if (has_shuffles()) expect_any_width(by_shuffles);
}

TEST_F(DtrsmOf32Rows, WalksRowsAndBroadcastsByShuffle) {
  if (skipped_without_simulator() || skipped_without_shuffles()) return;
  expect_walk_along_rows(by_shared_memory);
  expect_broadcast_by_shuffle(expect_walk_along_rows(by_shuffles));
  // For 32 rows these consist of a single solve.
  expect_walk_along_rows(contracts::dtrsm_blocked);
  expect_walk_along_rows(contracts::dtrsm_recursive);
}

TEST_F(DtrsmOfAnyOrder, IsRightForAnyShape) {
  if (skipped_without_shuffles()) return;
  expect_any_shape(blocked);
  expect_any_shape(recursive);
  if (!options().on_gpu()) expect_recursion();
}

TEST_F(DtrsmOfAnyOrder, IsFreeOfRacesAndStrayAccesses) {
  if (skipped_without_shuffles()) return;
  std::vector<DtrsmCase> cases;
  for (const DtrsmFunction& each : {of_32_rows(contracts::dtrsm_32_shared),
                                    of_32_rows(contracts::dtrsm_32_shuffle), blocked, recursive}) {
    for (const int n : {32, 64, 33, 1}) cases.push_back(of(each, {block, n}));
    cases.push_back(of(each, {block, 21}, 1.5, {3, 5}));
    cases.push_back(of(each, {block, 21}, 0, {1, 3}));
    // Rows do not begin at whole vectors, though all sizes are even.
    cases.push_back(of(each, {block, 24}, 1.5, {1, 0}));
    cases.push_back(of(each, {block, 24}, 1.5, {0, 1}));
  }
  for (const DtrsmFunction& each : {blocked, recursive}) {
    for (const Shape shape :
         {Shape{64, 32}, Shape{33, 40}, Shape{31, 9}, Shape{1, 1}, Shape{257, 21}}) {
      cases.push_back(of(each, shape));
    }
    cases.push_back(of(each, {150, 21}, 1.5, {3, 5}));
    cases.push_back(of(each, {70, 21}, 0, {1, 3}));
  }
  expect_clean(cases);
}

// The recursion is as fast as its products. With tiles and one result per thread these are four
// times slower than the solution's, which is accepted. IsRightForAnyShape checks that the products
// are few and large.
TEST_F(DtrsmOfAnyOrder, ReachesMinimumGflops) {
  // The modelled size makes no more launches than the model can take, even if each block of 32 rows
  // takes two.
  constexpr Shape modelled{1024, 1024}, timed{4096, 4096};
  if (!options().models_rates()) {
    measure(of(of_32_rows(contracts::dtrsm_32_shuffle), {block, 4096}), "gflops_32_rows");
    measure(of(blocked, {2048, 2048}), "gflops_blocked_n2048");
    measure(of(recursive, {4096, 512}), "gflops_m4096_n512");
  }
  expect_fast_enough(
      of(recursive, options().models_rates() ? modelled : timed), minimum_speed(),
      tr("Let as much of the work as possible be products of matrices: solve blocks of "
         "32 rows or more, and update half of all rows with one call of a fast "
         "product."));
}

}  // namespace
}  // namespace tilewise::grading
