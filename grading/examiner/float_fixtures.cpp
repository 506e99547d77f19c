#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "common/base/language.hpp"
#include "common/model/matmul_counts.hpp"
#include "grading/examiner/device_array.hpp"
#include "grading/examiner/diagnosis.hpp"
#include "grading/examiner/matrix_fixtures.hpp"
#include "grading/examiner/messages.hpp"
#include "grading/examiner/rates.hpp"
#include "grading/problem/reference.hpp"

namespace tilewise::grading {

// The matrices of one call. Before the call C holds poison, as every output does.
struct MatmulTest::Product : Trial {
  Product(const MatmulCase& matmul_, int n, Random& random)
      : matmul(matmul_),
        A(input(n, random)),
        B(input(n, random)),
        device_A("A", A, matmul_.inputs),
        device_B("B", B, matmul_.inputs),
        device_C("C", Access::output, n, n) {
    call = matmul.call(device_A, device_B, device_C);
    text = call.text;
    arrays = {&device_C, &device_A, &device_B};
  }

  Matrix<float> input(int n, Random& random) const {
    Matrix<float> drawn = matmul.inputs == ElementType::float16 ? random_half_matrix(n, n, random)
                                                                : random_matrix(n, n, random);
    if (matmul.is_positive) {
      for (float& element : drawn.values) element = std::abs(element);
    }
    return drawn;
  }

  Comparison compared(const Matrix<float>& with_C, const ReferenceProduct& expected) const {
    return compare(with_C, expected,
                   matmul.multipliers == Multipliers::fp32_lanes ? Roundings::independent
                                                                 : Roundings::of_tensor_cores);
  }

  MatmulCase matmul;
  Matrix<float> A;
  Matrix<float> B;
  DeviceArray device_A;
  DeviceArray device_B;
  DeviceArray device_C;
};

namespace {

/// Whether a side divides n. A side that a call is to refuse may be any number, even 0.
bool divides(int side, int n) { return side > 0 && n % side == 0; }

}  // namespace

PreparedTrial MatmulTest::prepare_with(const MatmulCase& matmul, const MatmulCase& allocated) {
  auto product = std::make_unique<Product>(matmul, allocated.n, random());
  product->check_result = [this, prepared = product.get()] { check_product(*prepared); };
  product->is_right = [prepared = product.get()] {
    return prepared->compared(prepared->device_C.contents(), multiply(prepared->A, prepared->B))
        .all_right();
  };
  product->check_sample = [this, prepared = product.get()] { check_sample_of(*prepared); };
  product->fault_in_written = [this, prepared = product.get()] {
    return fault_in_written_of(*prepared);
  };
  product->work = 2.0 * matmul.n * matmul.n * matmul.n;
  const Mapping& mapping = matmul.mapping;
  product->hangs_over =
      !divides(mapping.tile.width, matmul.n) || !divides(mapping.tile.height, matmul.n);
  if (mapping.known == Mapping::Known::thread) {
    const TileShape threads = {mapping.tile.width / mapping.results.width,
                               mapping.tile.height / mapping.results.height};
    expect_block(product->text, mapping.threads.value_or(threads));
  }
  return product;
}

constexpr const char* advice_on_positive = marked(
    "No element is negative here, so that errors of one direction add up. A tensor core cuts off "
    "where it adds: let its sums start afresh every few steps, and add them up outside of it.");

namespace {

/// Returns a question about the grid if elements were never written and the grid has fewer blocks
/// than C has tiles. The text begins with a space, and is empty if nothing is odd.
std::string doubt_about_grid(const CallReply& reply, const Mapping& mapping, int n) {
  const bool has_a_tile_each = mapping.known != Mapping::Known::nothing && !mapping.single_block;
  if (!has_a_tile_each || reply.launch_list.size() != 1) return "";
  const LaunchInfo& launch = reply.launch_list.front();
  const auto [width, height] = mapping.tile;
  const TileShape shared_out = mapping.part.value_or(TileShape{n, n});
  const unsigned across = static_cast<unsigned>((shared_out.width + width - 1) / width);
  const unsigned down = static_cast<unsigned>((shared_out.height + height - 1) / height);
  // A grid may have all of its blocks in one row.
  if (launch.grid[0] * launch.grid[1] * launch.grid[2] >= across * down) return "";
  if (mapping.part) {
    return tr(
        " The launch on line {} has a grid of {} x {} blocks, and C takes {} x {}, where each "
        "computes {} x {} elements of each part of {} x {}: is the grid too small? It is rounded "
        "up from what one part has, ({} + {} - 1) / {} blocks along x here.",
        launch.line, launch.grid[0], launch.grid[1], across, down, width, height, shared_out.width,
        shared_out.height, shared_out.width, width, width);
  }
  return tr(
      " The launch on line {} has a grid of {} x {} blocks, and C takes {} x {} where each "
      "computes "
      "{} x {} elements: is the grid too small? (n + {} - 1) / {} blocks along x and (n + {} - 1) "
      "/ "
      "{} along y reach all of C.",
      launch.line, launch.grid[0], launch.grid[1], across, down, width, height, width, width,
      height, height);
}

}  // namespace

void MatmulTest::check_product(const Product& product) {
  const ReferenceProduct expected = multiply(product.A, product.B);
  const Comparison comparison = product.compared(product.device_C.contents(), expected);
  if (comparison.all_right()) return;
  // A result that is wrong only with positive elements has nothing to do with places.
  if (product.matmul.is_positive) {
    fail(wrong_result(product.text, comparison, product.matmul.mapping, std::nullopt,
                      core::in_language(advice_on_positive)));
  }
  const auto diagnosis = diagnose_product(product, expected);
  if (!diagnosis) fail_by_fault(product);
  Finding finding =
      wrong_result(product.text, comparison, product.matmul.mapping, diagnosis, advice());
  if (has_bits(static_cast<float>(comparison.found), unwritten_bits)) {
    const std::string doubt =
        doubt_about_grid(product.reply, product.matmul.mapping, product.matmul.n);
    finding.message += doubt;
    if (!doubt.empty()) {
      finding.hint =
          tr("Begin with the grid: what none of its blocks is for nobody writes, unless a block "
             "goes on to other tiles.");
    }
  }
  fail(finding);
}

std::optional<Diagnosis> MatmulTest::diagnose_product(const Product& product,
                                                      const ReferenceProduct& expected) {
  const MatmulCase& matmul = product.matmul;
  const Matrix<float> after = product.device_C.contents();
  const Rerun rerun = [&](const Matrix<float>& A, const Matrix<float>& B,
                          const Matrix<float>& before) -> std::optional<Matrix<float>> {
    DeviceArray device_A("A", A, matmul.inputs);
    DeviceArray device_B("B", B, matmul.inputs);
    DeviceArray device_C("C", Access::output, matmul.n, matmul.n);
    device_C.set(before);
    if (!run_in_fresh_worker(matmul.call(device_A, device_B, device_C))) return std::nullopt;
    return device_C.contents();
  };
  // Where blocks compute some elements of each part of C, no block owns a tile counted from C's
  // corner.
  const auto& part = matmul.mapping.part;
  return diagnose({.A = product.A,
                   .B = product.B,
                   .before = product.device_C.contents_given(),
                   .after = after,
                   .expected = expected,
                   .tile = part ? TileShape{matmul.n, matmul.n} : matmul.mapping.tile,
                   .part = part,
                   .in_halves = matmul.inputs == ElementType::float16,
                   .is_split = matmul.multipliers == Multipliers::tensor_3xtf32},
                  calls_made() == 1, rerun);
}

void MatmulTest::expect_launch_failure_reported(const MatmulCase& matmul,
                                                const std::string& reason) {
  try_launch_failure_reported(*prepare(matmul), reason);
}

void MatmulTest::expect_joined_stores(const CountedCall& call, int n) {
  // This leaves room for results that are stored in parts, or a copy of an input with longer rows.
  // A column of threads that stores a column of C takes four or eight times the sectors.
  constexpr double slack = 3;
  const std::uint64_t elements = std::uint64_t(n) * n;
  const std::uint64_t lanes = lanes_of_a_request();
  // Where rows begin inside of sectors, 7 in 8 runs of 8 elements lie in two sectors. No tile is
  // narrower than 8.
  const bool ragged = n % 8 != 0;
  const std::uint64_t sectors = model::fewest_sectors(elements);
  const TrafficTheory theory{
      .requests = (elements + lanes - 1) / lanes,
      .sectors = ragged ? sectors * 15 / 8 : sectors,
      .reason = tr("each element of C is stored once, beside its neighbours")};
  expect_traffic(call, global_stores, theory, slack,
                 tr("Sum up in a variable, and store it when the sum is complete."));
}

std::string MatmulTest::advice_on_nothing() const {
  return tr("Return early for n = 0: a grid without blocks cannot be launched.");
}

std::string MatmulTest::edge_advice() const {
  return tr(
      "Threads that hang over the edge of C must not store: test row < n and col < n before the "
      "store.");
}

void MatmulTest::expect_refused(const MatmulCase& matmul, int allocated,
                                const std::string& reason) {
  MatmulCase with_room = matmul;
  with_room.n = allocated;
  CaseTest::expect_refused(matmul, with_room, reason);
}

void MatmulTest::check_sample_of(const Product& product) {
  const int n = product.matmul.n;
  const Matrix<float> C = product.device_C.contents();
  const Comparison comparison = product.compared(
      C, multiply_rows(product.A, product.B, sample_rows(n, sampled_rows, random())));
  if (!comparison.all_right()) {
    fail(wrong_result(product.text, comparison, product.matmul.mapping, std::nullopt, advice()));
  }
  const auto unwritten =
      std::ranges::find_if(C.values, [](float value) { return has_bits(value, unwritten_bits); });
  if (unwritten != C.values.end()) {
    const auto place = unwritten - C.values.begin();
    fail({.message = tr("{}: C[{}][{}] was never written.", product.text, place / n, place % n),
          .hint = advice()});
  }
}

std::optional<Finding> MatmulTest::fault_in_written_of(const Product& product) {
  Matrix<float> C = product.device_C.contents();
  const std::vector<int> rows = sample_of_written_rows(C, sampled_rows, random());
  if (rows.empty()) {
    return Finding{.message = product.text + tr(": no element of C was written."),
                   .hint = advice()};
  }
  const ReferenceProduct expected = multiply_rows(product.A, product.B, rows);
  fill_in_unwritten(C, expected);
  const Comparison comparison = product.compared(C, expected);
  if (comparison.all_right()) return std::nullopt;
  return wrong_result(
      product.text, comparison, product.matmul.mapping, std::nullopt,
      product.matmul.is_positive ? core::in_language(advice_on_positive) : advice());
}

namespace {

std::optional<double> peak_of(Multipliers multipliers, const DeviceInfo& device) {
  using Rates = core::Capability::TensorRates;
  switch (multipliers) {
    case Multipliers::tensor_half:
      return peak_tensor_gflops(device, &Rates::half);
    case Multipliers::tensor_3xtf32: {
      const auto peak = peak_tensor_gflops(device, &Rates::tf32);
      return peak ? std::optional(*peak / 3) : std::nullopt;
    }
    case Multipliers::fp32_lanes:
      break;
  }
  return peak_fp32_gflops(device);
}

}  // namespace

void MatmulTest::expect_fast_enough(const MatmulCase& matmul, const SpeedMinimum& minimum,
                                    const std::string& advice, const std::string& part) {
  const auto peak = peak_of(matmul.multipliers, device());
  try_fast_enough(
      [&] { return prepare(matmul); }, part.empty() ? "gflops" : "gflops_" + part,
      {.at = fmt::format("n = {}{}", matmul.n, part.empty() ? "" : ", " + part),
       .minimum = minimum,
       .peak = peak,
       .ceiling = peak,
       .advice_if_beyond =
           tr("Compute the whole product in every call, and wait for nothing on the host."),
       .advice = advice,
       .words_on_others = matmul.words_on_others});
}

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

PreparedTrial TransposeTest::prepare_with(const TransposeCase& transpose,
                                          const TransposeCase& allocated) {
  auto trial = std::make_unique<Matrices>(transpose, allocated, random());
  trial->check_result = [this, prepared = trial.get()] { check_transpose(*prepared); };
  trial->is_right = [this, prepared = trial.get()] {
    return !fault_in(*prepared, prepared->device_out.contents());
  };
  trial->check_sample = trial->check_result;
  trial->fault_in_written = [this, prepared = trial.get()] {
    return fault_in_written_of(*prepared);
  };
  trial->computes = false;
  trial->work = 2.0 * transpose.rows * transpose.cols * sizeof(float);
  return trial;
}

void TransposeTest::check_transpose(const Matrices& trial) {
  if (const auto fault = fault_in(trial, trial.device_out.contents())) fail(*fault);
}

std::optional<Finding> TransposeTest::fault_in_written_of(const Matrices& trial) {
  Matrix<float> out = trial.device_out.contents();
  const Matrix<float> expected = transposed(trial.in);
  std::size_t unwritten = 0;
  for (std::size_t i = 0; i < out.values.size(); ++i) {
    if (!has_bits(out.values[i], unwritten_bits)) continue;
    out.values[i] = expected.values[i];
    ++unwritten;
  }
  if (unwritten == out.values.size()) {
    return Finding{.message = trial.text + tr(": no element of out was written."),
                   .hint = advice()};
  }
  return fault_in(trial, out);
}

std::optional<Finding> TransposeTest::fault_in(const Matrices& trial, const Matrix<float>& out) {
  const Comparison comparison = compare_transpose(trial.in, out);
  if (comparison.all_right()) return std::nullopt;

  auto diagnosis = recognise_transpose({.in = trial.in, .out = out, .tile = trial.transpose.tile});
  if (calls_made() > 1) {
    Matrices again(trial.transpose, trial.transpose, random());
    const bool right = run_in_fresh_worker(again.call) &&
                       compare_transpose(again.in, again.device_out.contents()).all_right();
    if (right) diagnosis = left_over_from_earlier_calls();
  }
  const auto found = static_cast<float>(comparison.found);
  const std::string words = has_bits(found, unwritten_bits) ? tr("was never written")
                                                            : tr("is {}", describe_value(found));
  const std::string expected =
      tr("{}, which is in[{}][{}]", describe_value(static_cast<float>(comparison.expected)),
         comparison.col, comparison.row);
  return wrong_element(trial.text, "out", comparison, words, expected, diagnosis, advice());
}

void TransposeTest::expect_fast_enough(const TransposeCase& transpose,
                                       const SpeedMinimum& minimum) {
  const auto peak = peak_bandwidth_gb_s(device());
  // Data that is written may still be in the L2 cache when the kernel ends, while data that is read
  // comes from memory.
  const auto ceiling = peak ? std::optional(2 * *peak) : std::nullopt;
  try_fast_enough(
      [&] { return prepare(transpose); }, "gb_s",
      {.unit = "GB/s",
       .at = fmt::format("{} x {}", transpose.rows, transpose.cols),
       .minimum = minimum,
       .peak = peak,
       .of = marked("memory bandwidth"),
       .ceiling = ceiling,
       .advice_if_beyond = tr("Move every element in every call."),
       .advice = tr("Neighbouring threads (threadIdx.x) should read neighbouring elements of in "
                    "and write neighbouring elements of out: turn the tile round in shared "
                    "memory, without bank conflicts.")});
}

std::string TransposeTest::advice_on_nothing() const {
  return tr("Return early where rows or cols is 0: a grid without blocks cannot be launched.");
}

std::string TransposeTest::edge_advice() const {
  return tr(
      "Threads that hang over the edge must not store: a row of out is below cols, and a column "
      "of it below rows.");
}

std::string TransposeTest::advice() const {
  return tr(
      "Element (row, col) of in, at row * cols + col, goes to (col, row) of out, at "
      "col * rows + row. Check the barrier between filling and emptying a shared tile.");
}

}  // namespace tilewise::grading
