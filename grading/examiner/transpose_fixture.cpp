#include "grading/examiner/transpose_fixture.hpp"

#include <fmt/format.h>

#include "grading/examiner/diagnosis.hpp"
#include "grading/examiner/element_messages.hpp"
#include "grading/examiner/messages.hpp"
#include "grading/examiner/peak.hpp"
#include "grading/examiner/transpose_check.hpp"

namespace tilewise::grading {

// The matrices of one call.
struct TransposeTest::Matrices : Trial {
  Matrices(const TransposeCase& transpose_, const TransposeCase& allocated, Random& random)
      : transpose(transpose_),
        in(distinct_matrix(allocated.rows, allocated.cols, random)),
        device_in("in", in),
        device_out("out", Access::output, allocated.cols, allocated.rows) {
    call = transpose.function(device_out, device_in, transpose.rows, transpose.cols);
    text = call.text;
    arrays = {&device_out, &device_in};
  }

  TransposeCase transpose;
  Matrix<float> in;
  DeviceArray device_in;
  DeviceArray device_out;
};

std::unique_ptr<TransposeTest::Matrices> TransposeTest::prepare(const TransposeCase& transpose) {
  return prepare(transpose, transpose);
}

std::unique_ptr<TransposeTest::Matrices> TransposeTest::prepare(const TransposeCase& transpose,
                                                                const TransposeCase& allocated) {
  auto trial = std::make_unique<Matrices>(transpose, allocated, random());
  trial->check_result = [this, prepared = trial.get()] { check_transpose(*prepared); };
  trial->check_sample = trial->check_result;
  trial->check_written = [this, prepared = trial.get()] { check_written_of(*prepared); };
  trial->computes = false;
  trial->work = 2.0 * transpose.rows * transpose.cols * sizeof(float);
  return trial;
}

void TransposeTest::check_transpose(const Matrices& trial) {
  demand_transpose(trial, trial.device_out.contents());
}

void TransposeTest::check_written_of(const Matrices& trial) {
  Matrix<float> out = trial.device_out.contents();
  const Matrix<float> expected = transposed(trial.in);
  std::size_t unwritten = 0;
  for (std::size_t i = 0; i < out.values.size(); ++i) {
    if (!has_bits(out.values[i], unwritten_bits)) continue;
    out.values[i] = expected.values[i];
    ++unwritten;
  }
  if (unwritten == out.values.size()) {
    fail({.message = trial.text + ": no element of out was written.", .hint = advice()});
  }
  demand_transpose(trial, out);
}

void TransposeTest::demand_transpose(const Matrices& trial, const Matrix<float>& out) {
  const Comparison comparison = compare_transpose(trial.in, out);
  if (comparison.all_right()) return;

  auto diagnosis = recognise_transpose({.in = trial.in, .out = out, .tile = trial.transpose.tile});
  if (calls_made() > 1) {
    Matrices again(trial.transpose, trial.transpose, random());
    const bool right = run_in_fresh_worker(again.call) &&
                       compare_transpose(again.in, again.device_out.contents()).all_right();
    if (right) diagnosis = left_over_from_earlier_calls();
  }
  const auto found = static_cast<float>(comparison.found);
  const std::string words =
      has_bits(found, unwritten_bits) ? "was never written" : "is " + describe_value(found);
  const std::string expected = fmt::format("{}, which is in[{}][{}]",
                                           describe_value(static_cast<float>(comparison.expected)),
                                           comparison.col, comparison.row);
  fail(wrong_element(trial.text, "out", comparison, words, expected, diagnosis, advice()));
}

CallReply TransposeTest::expect_right(const TransposeCase& transpose) {
  const auto trial = prepare(transpose);
  try_right(*trial);
  return trial->reply;
}

void TransposeTest::expect_inside(const TransposeCase& transpose) {
  try_inside(*prepare(transpose));
}

void TransposeTest::expect_clean(const std::vector<TransposeCase>& cases) {
  std::vector<PrepareTrial> trials;
  for (const TransposeCase& transpose : cases) {
    trials.push_back([this, &transpose] { return prepare(transpose); });
  }
  try_clean(trials);
}

CountedCall TransposeTest::count(const TransposeCase& transpose) {
  return try_counted(*prepare(transpose));
}

void TransposeTest::expect_refused(const TransposeCase& bad, const TransposeCase& allocated,
                                   const std::string& reason) {
  try_refused(*prepare(bad, allocated), reason);
}

void TransposeTest::expect_nothing_done(const TransposeCase& transpose) {
  try_nothing_done(*prepare(transpose),
                   "Return early where rows or cols is 0: a grid without "
                   "blocks cannot be launched.");
}

void TransposeTest::measure(const TransposeCase& transpose, const std::string& name) {
  try_timed([&] { return prepare(transpose); }, name);
}

void TransposeTest::expect_fast_enough(const TransposeCase& transpose,
                                       const SpeedMinimum& minimum) {
  const auto peak = peak_bandwidth_gb_s(device());
  // What is written may still be in the L2 cache when the kernel ends; what is read comes from
  // memory.
  const auto ceiling = peak ? std::optional(2 * *peak) : std::nullopt;
  try_fast_enough(
      [&] { return prepare(transpose); }, "gb_s",
      {.unit = "GB/s",
       .at = fmt::format("{} x {}", transpose.rows, transpose.cols),
       .minimum = minimum,
       .peak = peak,
       .of = "memory bandwidth",
       .ceiling = ceiling,
       .advice_if_beyond = "Move every element in every call.",
       .advice = "Neighbouring threads (threadIdx.x) should read neighbouring elements of in "
                 "and write neighbouring elements of out: turn the tile round in shared "
                 "memory, without bank conflicts."});
}

std::string TransposeTest::edge_advice() const {
  return "Threads that hang over the edge must not store: a row of out is below cols, and a column "
         "of it below rows.";
}

std::string TransposeTest::advice() const {
  return "Element (row, col) of in, at row * cols + col, goes to (col, row) of out, at "
         "col * rows + row. Check the barrier between filling and emptying a shared tile.";
}

}  // namespace tilewise::grading
