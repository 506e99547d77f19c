#include "grading/stages/10_reduction/rows_fixture.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "common/base/language.hpp"
#include "grading/examiner/diagnosis.hpp"
#include "grading/examiner/messages.hpp"
#include "grading/problem/reductions.hpp"
#include "grading/stages/10_reduction/contract.hpp"

namespace tilewise::grading {
namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();

constexpr const char* gemv_advice = marked(
    "y[row] = alpha * (A[row][0] x[0] + A[row][1] x[1] + ...) + beta * y[row], and A[row][col] "
    "lies "
    "at row * lda + col. Check which columns each thread takes, and that all threads' sums get "
    "into that of the row.");

/// Describes a wrong element; the text follows its name.
std::string in_words(float found) {
  return is_unwritten(found) ? tr("was never written") : tr("is {}", describe_value(found));
}

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

}  // namespace

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

PreparedTrial Rows::prepare_with(const RowCase& of, const RowCase& allocated) {
  if (const auto* gemv = std::get_if<GemvCase>(&of)) {
    return prepare_gemv(*gemv, std::get<GemvCase>(allocated));
  }
  return prepare_softmax(std::get<SoftmaxCase>(of), std::get<SoftmaxCase>(allocated));
}

std::string Rows::result_name() const { return tr("result"); }
std::string Rows::edge_advice() const {
  return tr("Threads beyond the last row or column must not store: test both before the store.");
}
std::string Rows::advice() const {
  return tr(
      "Follow one row: which thread loads which element, and how what they make of these gets "
      "together.");
}
std::string Rows::advice_on_nothing() const {
  return tr(
      "Return early where there are no rows or no columns: a grid without blocks cannot be "
      "launched.");
}

PreparedTrial Rows::prepare_gemv(const GemvCase& of, const GemvCase& allocated) {
  auto trial = std::make_unique<GemvTrial>(of, allocated, random());
  trial->check_result = [this, prepared = trial.get()] {
    const Comparison comparison = prepared->comparison();
    if (comparison.all_right()) return;
    // Where NaN comes from is known: such inputs are not to be read.
    if (!std::isnan(comparison.found)) fail_by_fault(*prepared);
    fail(fault(*prepared, comparison));
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

Finding Rows::fault(const GemvTrial& trial, const Comparison& comparison) {
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
    diagnosis = {Pattern::reads_outside,
                 tr("NaN that lies between the rows of A, or around A and x, got into the result"),
                 tr("Rows lie lda elements apart and have n: element (row, col) of A is at "
                    "row * lda + col, for columns below n.")};
  } else if (trial.of.beta == 0 && comparison.wrong == comparison.compared && is_unwritten(found) &&
             trial.reply.launches > 0) {
    diagnosis = {Pattern::accumulates, tr("with beta 0, y is not to be read, or was never written"),
                 tr("Test beta for 0, and do not read y then: NaN times 0 is NaN.")};
  } else if (other.alpha = 1; trial.of.alpha != 1 && is_of(other)) {
    diagnosis = {Pattern::scaled, tr("alpha is left out"), ""};
  } else if (other = trial.inputs, other.beta = 1; trial.of.beta != 1 && is_of(other)) {
    diagnosis = {Pattern::scaled, tr("beta is left out"), ""};
  } else if (diagnosis = factors_of_columns(trial); !diagnosis && trial.of.m > 1) {
    diagnosis = recognise_location(comparison.is_wrong, trial.of.m, 1, {1, 32}, is_unwritten(found),
                                   {.matrix = "y", .bounds = "m"});
  }
  return wrong_element(
      trial.text, "y", comparison, in_words(found),
      tr("{} (allowed error {:.2g})", describe_value(static_cast<float>(comparison.expected)),
         comparison.tolerance),
      diagnosis, core::in_language(gemv_advice));
}

std::optional<Diagnosis> Rows::factors_of_columns(const GemvTrial& trial) {
  if (trial.of.alpha == 0) return std::nullopt;
  const Matrix<float> y = trial.device_y.contents();
  std::vector<double> products(y.values.size());
  for (std::size_t i = 0; i < products.size(); ++i) {
    const double old = trial.of.beta == 0 ? 0 : trial.of.beta * trial.inputs.y.values[i];
    products[i] = (y.values[i] - old) / trial.of.alpha;
  }
  return recognise_factors_of_columns(trial.inputs.A, trial.inputs.x, products);
}

std::optional<Finding> Rows::fault_in_written_of(const GemvTrial& trial) {
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

PreparedTrial Rows::prepare_softmax(const SoftmaxCase& of, const SoftmaxCase& allocated) {
  auto trial = std::make_unique<SoftmaxTrial>(of, allocated, random());
  trial->check_result = [this, prepared = trial.get()] {
    const Matrix<float> out = prepared->device_out.contents();
    const Comparison comparison = compare_softmax(prepared->in, out);
    if (comparison.all_right()) return;
    if (!std::isnan(comparison.found)) fail_by_fault(*prepared);
    fail(*fault(*prepared, out));
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

std::optional<Finding> Rows::fault(const SoftmaxTrial& trial, const Matrix<float>& out) {
  const Comparison comparison = compare_softmax(trial.in, out);
  if (comparison.all_right()) return std::nullopt;
  const auto found = static_cast<float>(comparison.found);
  return wrong_element(
      trial.text, "out", comparison, in_words(found),
      tr("{} (allowed error {:.2g})", describe_value(static_cast<float>(comparison.expected)),
         comparison.tolerance),
      diagnose(trial, out, comparison), core::in_language(softmax_advice));
}

std::optional<Diagnosis> Rows::diagnose(const SoftmaxTrial& trial, const Matrix<float>& out,
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

std::string Rows::unequal_factors(const SoftmaxTrial& trial, const Matrix<float>& out, int row) {
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

std::optional<Diagnosis> Rows::by_place(const SoftmaxTrial& trial, const Comparison& comparison,
                                        bool unwritten) {
  return recognise_location(comparison.is_wrong, trial.of.rows, trial.of.cols, {32, 1}, unwritten,
                            {.matrix = "out", .bounds = marked("rows and cols")});
}

std::optional<Finding> Rows::fault_in_written_of(const SoftmaxTrial& trial) {
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

}  // namespace tilewise::grading
