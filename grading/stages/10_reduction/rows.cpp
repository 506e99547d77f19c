#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "common/base/language.hpp"
#include "common/model/matmul_counts.hpp"
#include "grading/examiner/stage_fixture.hpp"
#include "grading/problem/reductions.hpp"
#include "grading/stages/10_reduction/contract.hpp"
#include "grading/stages/10_reduction/fixture.hpp"

namespace tilewise::grading {
namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();

struct GemvCase {
  int m = 0;
  int n = 0;
  float alpha = 1;
  float beta = 0;
  int gap = 0;            ///< elements between the rows of A
  bool too_near = false;  ///< lda is one less than the columns of a row

  int lda() const { return too_near ? n - 1 : std::max(n, 1) + gap; }
};

constexpr const char* gemv_advice = marked(
    "y[row] = alpha * (A[row][0] x[0] + A[row][1] x[1] + ...) + beta * y[row], and A[row][col] "
    "lies "
    "at row * lda + col. Check which columns each thread takes, and that all threads' sums get "
    "into that of the row.");

/// Describes a wrong element; the text follows its name.
std::string in_words(float found) {
  return is_unwritten(found) ? tr("was never written") : tr("is {}", describe_value(found));
}

/// The matrices of one call of gemv. Matrices that BLAS's rules forbid to read are poisoned.
struct GemvTrial : Trial {
  GemvTrial(const GemvCase& of_, const GemvCase& allocated, Random& random)
      : of(of_),
        inputs{.alpha = of.alpha,
               .A = random_matrix(allocated.m, allocated.n, random),
               .x = random_matrix(allocated.n, 1, random),
               .beta = of.beta,
               .y = random_matrix(allocated.m, 1, random)},
        device_A("A", Access::input, allocated.m, allocated.n, allocated.lda()),
        device_x("x", inputs.x),
        device_y("y", of.beta == 0 ? Access::output : Access::in_out, allocated.m, 1) {
    device_A.set(inputs.A);
    if (of.alpha == 0) {
      device_A.let_read_only(Readable::nothing);
      device_x.let_read_only(Readable::nothing);
    }
    if (of.beta != 0) device_y.set(inputs.y);
    call = contracts::gemv(of.m, of.n, of.alpha, device_A, of.lda(), device_x, of.beta, device_y);
    text = call.text;
    arrays = {&device_y, &device_A, &device_x};
    needs_kernel = of.alpha != 0;  // with alpha 0, y can be cleared or kept without a kernel
    computes = false;
    work = static_cast<double>(sizeof(float)) * of.m * of.n;
  }

  Comparison comparison() const { return compare(device_y.contents(), multiply_add(inputs)); }

  GemvCase of;
  GemvInputs inputs;
  DeviceArray device_A, device_x, device_y;
};

/// The elements of a row.
enum class Row {
  random,          ///< both signs, up to 8
  large,           ///< about 100, for which exp() overflows
  small,           ///< about -120, for which exp() is 0
  huge,            ///< 1e30, except for one -1e30
  one_stands_out,  ///< 1e30 among -1e30
  with_gaps,       ///< some are -inf
  only_gaps,       ///< all are -inf
  one_is_there,    ///< all but one are -inf
  late_maximum,    ///< each larger than the one before
  alike,           ///< all equal, and large
};

struct SoftmaxCase {
  int rows = 0;
  int cols = 0;
  Row kind = Row::random;
};

Matrix<float> numbers_for(const SoftmaxCase& of, Random& random) {
  Matrix<float> in = random_matrix(of.rows, of.cols, random);
  for (int row = 0; row < of.rows; ++row) {
    const int chosen = of.cols > 0 ? static_cast<int>(random() % of.cols) : 0;
    for (int col = 0; col < of.cols; ++col) {
      float& x = in(row, col);
      const bool is_chosen = col == chosen;
      switch (of.kind) {
        case Row::random:
          x *= 8;
          break;
        case Row::large:
          x = 100 + 8 * x;
          break;
        case Row::small:
          x = -120 + 8 * x;
          break;
        case Row::huge:
          x = is_chosen ? -1e30f : 1e30f;
          break;
        case Row::one_stands_out:
          x = is_chosen ? 1e30f : -1e30f;
          break;
        case Row::with_gaps:
          x = random() % 3 == 0 && !is_chosen ? -infinity : 8 * x;
          break;
        case Row::only_gaps:
          x = -infinity;
          break;
        case Row::one_is_there:
          x = is_chosen ? x : -infinity;
          break;
        case Row::late_maximum:
          x = 90 + 100 * static_cast<float>(col) / static_cast<float>(of.cols);
          break;
        case Row::alike:
          x = 3e38f;
          break;
      }
    }
  }
  return in;
}

std::string words_for(Row kind) {
  switch (kind) {
    case Row::random:
      return "";
    case Row::large:
      return tr(", elements about 100");
    case Row::small:
      return tr(", elements about -120");
    case Row::huge:
      return tr(", all elements of a row 1e30 but for one of -1e30");
    case Row::one_stands_out:
      return tr(", all elements of a row -1e30 but for one of 1e30");
    case Row::with_gaps:
      return tr(", a third of the elements -inf");
    case Row::only_gaps:
      return tr(", all elements -inf");
    case Row::one_is_there:
      return tr(", all elements of a row -inf but for one");
    case Row::late_maximum:
      return tr(", elements that grow along a row, from 90 on");
    case Row::alike:
      return tr(", all elements 3e38");
  }
  return "";
}

constexpr const char* softmax_advice = marked(
    "out[row][col] = exp(in[row][col] - max) / sum, with the largest element of the row and the "
    "sum "
    "of exp(element - max) over all of it. Follow both from a thread to its warp, its block and "
    "back: each thread must have those of the whole row before it stores.");

/// The matrices of one call of softmax_rows.
struct SoftmaxTrial : Trial {
  SoftmaxTrial(const SoftmaxCase& of_, const SoftmaxCase& allocated, Random& random)
      : of(of_),
        in(numbers_for({allocated.rows, allocated.cols, of.kind}, random)),
        device_in("in", in),
        device_out("out", Access::output, allocated.rows, allocated.cols) {
    call = contracts::softmax_rows(device_out, device_in, of.rows, of.cols);
    text = call.text + words_for(of.kind);
    arrays = {&device_out, &device_in};
    computes = false;
    work = 2.0 * sizeof(float) * of.rows * of.cols;
  }

  SoftmaxCase of;
  Matrix<float> in;
  DeviceArray device_in, device_out;
};

using RowCase = std::variant<GemvCase, SoftmaxCase>;

/// Tests of functions that reduce each row of a matrix to one or two numbers. All expectations of
/// gemv include BLAS's rules: if beta is 0, y holds NaN beforehand, and if alpha is 0, A and x do.
class Rows : public ReductionTest<RowCase> {
 protected:
  PreparedTrial prepare_with(const RowCase& of, const RowCase& allocated) override {
    if (const auto* gemv = std::get_if<GemvCase>(&of)) {
      return prepare_gemv(*gemv, std::get<GemvCase>(allocated));
    }
    return prepare_softmax(std::get<SoftmaxCase>(of), std::get<SoftmaxCase>(allocated));
  }

  std::string result_name() const override { return tr("result"); }
  std::string edge_advice() const override {
    return tr("Threads beyond the last row or column must not store: test both before the store.");
  }
  std::string advice() const override {
    return tr(
        "Follow one row: which thread loads which element, and how what they make of these gets "
        "together.");
  }
  std::string advice_on_nothing() const override {
    return tr(
        "Return early where there are no rows or no columns: a grid without blocks cannot be "
        "launched.");
  }

 private:
  PreparedTrial prepare_gemv(const GemvCase& of, const GemvCase& allocated) {
    auto trial = std::make_unique<GemvTrial>(of, allocated, random());
    trial->check_result = [this, prepared = trial.get()] {
      const Comparison comparison = prepared->comparison();
      if (!comparison.all_right()) fail(fault(*prepared, comparison));
    };
    trial->is_right = [prepared = trial.get()] { return prepared->comparison().all_right(); };
    trial->check_sample = trial->check_result;
    if (of.beta == 0) {
      trial->fault_in_written = [this, prepared = trial.get()] {
        return fault_in_written_of(*prepared);
      };
    }
    return trial;
  }

  Finding fault(const GemvTrial& trial, const Comparison& comparison) {
    std::optional<Diagnosis> diagnosis;
    const auto is_of = [&](const GemvInputs& other) {
      return compare(trial.device_y.contents(), multiply_add(other)).all_right();
    };
    GemvInputs other = trial.inputs;
    const auto found = static_cast<float>(comparison.found);
    if (std::isnan(found) && !is_unwritten(found) && trial.of.alpha == 0) {
      diagnosis = {Pattern::reads_outside, tr("with alpha 0, A and x are not to be read"),
                   tr("Where alpha is 0, y = beta * y is all that remains: NaN times 0 is NaN.")};
    } else if (has_bits(found, guard_bits)) {
      diagnosis = {
          Pattern::reads_outside,
          tr("NaN that lies between the rows of A, or around A and x, got into the result"),
          tr("Rows lie lda elements apart and have n: element (row, col) of A is at "
             "row * lda + col, for columns below n.")};
    } else if (trial.of.beta == 0 && comparison.wrong == comparison.compared &&
               is_unwritten(found) && trial.reply.launches > 0) {
      diagnosis = {Pattern::accumulates,
                   tr("with beta 0, y is not to be read, or was never written"),
                   tr("Test beta for 0, and do not read y then: NaN times 0 is NaN.")};
    } else if (other.alpha = 1; trial.of.alpha != 1 && is_of(other)) {
      diagnosis = {Pattern::scaled, tr("alpha is left out"), ""};
    } else if (other = trial.inputs, other.beta = 1; trial.of.beta != 1 && is_of(other)) {
      diagnosis = {Pattern::scaled, tr("beta is left out"), ""};
    } else if (diagnosis = factors_of_columns(trial); !diagnosis && trial.of.m > 1) {
      diagnosis = recognise_location(comparison.is_wrong, trial.of.m, 1, {1, 32},
                                     is_unwritten(found), {.matrix = "y", .bounds = "m"});
    }
    return wrong_element(
        trial.text, "y", comparison, in_words(found),
        tr("{} (allowed error {:.2g})", describe_value(static_cast<float>(comparison.expected)),
           comparison.tolerance),
        diagnosis, core::in_language(gemv_advice));
  }

  static std::optional<Diagnosis> factors_of_columns(const GemvTrial& trial) {
    if (trial.of.alpha == 0) return std::nullopt;
    const Matrix<float> y = trial.device_y.contents();
    std::vector<double> products(y.values.size());
    for (std::size_t i = 0; i < products.size(); ++i) {
      const double old = trial.of.beta == 0 ? 0 : trial.of.beta * trial.inputs.y.values[i];
      products[i] = (y.values[i] - old) / trial.of.alpha;
    }
    return recognise_factors_of_columns(trial.inputs.A, trial.inputs.x, products);
  }

  std::optional<Finding> fault_in_written_of(const GemvTrial& trial) {
    Matrix<float> y = trial.device_y.contents();
    const ReferenceProduct expected = multiply_add(trial.inputs);
    if (std::ranges::all_of(y.values, [](float value) { return is_unwritten(value); })) {
      return Finding{.message = trial.text + tr(": no element of y was written."),
                     .hint = core::in_language(gemv_advice)};
    }
    fill_in_unwritten(y, expected);
    const Comparison comparison = compare(y, expected);
    if (comparison.all_right()) return std::nullopt;
    return fault(trial, comparison);
  }

  PreparedTrial prepare_softmax(const SoftmaxCase& of, const SoftmaxCase& allocated) {
    auto trial = std::make_unique<SoftmaxTrial>(of, allocated, random());
    trial->check_result = [this, prepared = trial.get()] {
      if (const auto finding = fault(*prepared, prepared->device_out.contents())) fail(*finding);
    };
    trial->is_right = [prepared = trial.get()] {
      return compare_softmax(prepared->in, prepared->device_out.contents()).all_right();
    };
    trial->check_sample = trial->check_result;
    trial->fault_in_written = [this, prepared = trial.get()] {
      return fault_in_written_of(*prepared);
    };
    return trial;
  }

  std::optional<Finding> fault(const SoftmaxTrial& trial, const Matrix<float>& out) {
    const Comparison comparison = compare_softmax(trial.in, out);
    if (comparison.all_right()) return std::nullopt;
    const auto found = static_cast<float>(comparison.found);
    return wrong_element(
        trial.text, "out", comparison, in_words(found),
        tr("{} (allowed error {:.2g})", describe_value(static_cast<float>(comparison.expected)),
           comparison.tolerance),
        diagnose(trial, out, comparison), core::in_language(softmax_advice));
  }

  std::optional<Diagnosis> diagnose(const SoftmaxTrial& trial, const Matrix<float>& out,
                                    const Comparison& comparison) {
    const auto found = static_cast<float>(comparison.found);
    if (is_unwritten(found)) return by_place(trial, comparison, true);
    if (trial.of.kind != Row::random && (std::isnan(found) || std::isinf(found))) {
      return Diagnosis{Pattern::not_a_number, tr("the row is not safe from overflow"),
                       tr("Subtract the largest element before exp(): none is above 1 then. And "
                          "-inf - -inf is NaN: start the maximum from -FLT_MAX, or ask for -inf.")};
    }
    // Checks whether the row adds up to 1.
    double sum = 0;
    for (int col = 0; col < trial.of.cols; ++col) sum += out(comparison.row, col);
    const double off = std::abs(sum - 1);
    if (off > 0.001) {
      const std::string sums_to = tr("row {} adds up to {:.4g} instead of 1", comparison.row, sum);
      if (const std::string uneven = unequal_factors(trial, out, comparison.row); !uneven.empty()) {
        return Diagnosis{
            Pattern::scaled, sums_to + "; " + uneven,
            tr("Threads of one row divide by different sums, or by one of another maximum. Do all "
               "of them get the row's maximum and sum, and not thread 0 alone? And is each exp("
               "element - own maximum) multiplied by exp(own maximum - row's maximum)?")};
      }
      return Diagnosis{Pattern::scaled, sums_to,
                       tr("All threads of a row must divide by the same sum, which holds every "
                          "element once, and each exp(element - maximum) of an older maximum times "
                          "exp(older maximum - new one).")};
    }
    return by_place(trial, comparison, false);
  }

  /// Returns two elements of a row that are wrong by different factors, or nothing if all are wrong
  /// by the same.
  static std::string unequal_factors(const SoftmaxTrial& trial, const Matrix<float>& out, int row) {
    const Matrix<double> expected = softmax_of(trial.in);
    const auto factor = [&](int col) { return double(out(row, col)) / expected(row, col); };
    constexpr double same = 0.001;
    for (int col = 1; col < trial.of.cols; ++col) {
      if (!(std::abs(factor(col) - factor(0)) > same * std::abs(factor(0)))) continue;
      return tr("column 0 is {:.4g} times what it should be, and column {} {:.4g} times", factor(0),
                col, factor(col));
    }
    return {};
  }

  std::optional<Diagnosis> by_place(const SoftmaxTrial& trial, const Comparison& comparison,
                                    bool unwritten) {
    return recognise_location(comparison.is_wrong, trial.of.rows, trial.of.cols, {32, 1}, unwritten,
                              {.matrix = "out", .bounds = marked("rows and cols")});
  }

  std::optional<Finding> fault_in_written_of(const SoftmaxTrial& trial) {
    Matrix<float> out = trial.device_out.contents();
    if (std::ranges::all_of(out.values, [](float value) { return is_unwritten(value); })) {
      return Finding{.message = trial.text + tr(": no element of out was written."),
                     .hint = core::in_language(softmax_advice)};
    }
    const Matrix<double> expected = softmax_of(trial.in);
    for (std::size_t i = 0; i < out.values.size(); ++i) {
      if (is_unwritten(out.values[i])) out.values[i] = static_cast<float>(expected.values[i]);
    }
    return fault(trial, out);
  }
};

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
                GemvCase{5, 4100}, GemvCase{3, 4103, 1, 0, 2}, GemvCase{9, 12, 0, 2.0f, 0},
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
