#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "common/base/language.hpp"
#include "grading/examiner/device_array.hpp"
#include "grading/examiner/diagnosis.hpp"
#include "grading/examiner/matrix_fixtures.hpp"
#include "grading/examiner/messages.hpp"
#include "grading/examiner/rates.hpp"
#include "grading/problem/reference.hpp"

namespace tilewise::grading {
namespace {

Call call_of(const DgemmCase& c, DeviceArray& A, DeviceArray& B, DeviceArray& C) {
  return c.function(c.m, c.n, c.k, c.alpha, A, distance_of_rows(c.lda, c.k), B,
                    distance_of_rows(c.ldb, c.n), c.beta, C, distance_of_rows(c.ldc, c.n));
}

GemmInputs random_inputs(const DgemmCase& c, Random& random) {
  return {.alpha = c.alpha,
          .A = random_double_matrix(c.m, c.k, random),
          .B = random_double_matrix(c.k, c.n, random),
          .beta = c.beta,
          .C = random_double_matrix(c.m, c.n, random)};
}

}  // namespace

// The matrices of one call. Elements that BLAS's rules forbid to read are poisoned.
struct DgemmTest::Matrices : Trial {
  Matrices(const DgemmCase& dgemm_, const DgemmCase& allocated, Random& random)
      : dgemm(dgemm_),
        inputs(random_inputs(allocated, random)),
        device_A("A", Access::input, inputs.A, distance_of_rows(allocated.lda, allocated.k)),
        device_B("B", Access::input, inputs.B, distance_of_rows(allocated.ldb, allocated.n)),
        device_C("C", dgemm.beta == 0 ? Access::output : Access::in_out, allocated.m, allocated.n,
                 distance_of_rows(allocated.ldc, allocated.n), ElementType::float64) {
    inputs.alpha = dgemm.alpha;
    inputs.beta = dgemm.beta;
    if (dgemm.alpha == 0) {
      device_A.let_read_only(Readable::nothing);
      device_B.let_read_only(Readable::nothing);
    }
    if (dgemm.beta != 0) device_C.set(inputs.C);
    call = call_of(dgemm, device_A, device_B, device_C);
    text = call.text;
    arrays = {&device_C, &device_A, &device_B};
    // Clearing C, or leaving it alone, takes no kernel.
    needs_kernel = dgemm.alpha != 0 && dgemm.k > 0;
  }

  DgemmCase dgemm;
  GemmInputs inputs;
  DeviceArray device_A;
  DeviceArray device_B;
  DeviceArray device_C;
};

PreparedTrial DgemmTest::prepare_with(const DgemmCase& dgemm, const DgemmCase& allocated) {
  auto trial = std::make_unique<Matrices>(dgemm, allocated, random());
  trial->check_result = [this, prepared = trial.get()] { check_product(*prepared); };
  trial->is_right = [prepared = trial.get()] {
    return compare(prepared->device_C.contents_double(), multiply_add(prepared->inputs))
        .all_right();
  };
  trial->check_sample = [this, prepared = trial.get()] { check_sample_of(*prepared); };
  // With beta other than 0, C has contents before the call, among which written elements do not
  // show.
  if (dgemm.beta == 0) {
    trial->fault_in_written = [this, prepared = trial.get()] {
      return fault_in_written_of(*prepared);
    };
  }
  trial->work = 2.0 * dgemm.m * dgemm.n * dgemm.k;
  return trial;
}

void DgemmTest::check_product(const Matrices& trial) {
  const Matrix<double> after = trial.device_C.contents_double();
  const Comparison comparison = compare(after, multiply_add(trial.inputs));
  if (comparison.all_right()) return;
  check_guards(trial);  // elements that were stored between the rows are missing elsewhere
  const DgemmRerun rerun = [&](const Matrix<double>& before) -> std::optional<Matrix<double>> {
    DeviceArray A = trial.device_A, B = trial.device_B, C = trial.device_C;
    C.set(before);
    if (!run_in_fresh_worker(call_of(trial.dgemm, A, B, C))) return std::nullopt;
    return C.contents_double();
  };
  const auto diagnosis = diagnose_dgemm({.inputs = trial.inputs,
                                         .before = trial.device_C.contents_given_double(),
                                         .after = after,
                                         .tile = trial.dgemm.tile},
                                        calls_made() == 1, rerun);
  if (!diagnosis) fail_by_fault(trial);
  fail(wrong_double(trial.text, "C", comparison, diagnosis, advice()));
}

void DgemmTest::check_sample_of(const Matrices& trial) {
  const auto [m, n] = std::pair(trial.dgemm.m, trial.dgemm.n);
  const Matrix<double> C = trial.device_C.contents_double();
  const Comparison comparison =
      compare(C, multiply_add_rows(trial.inputs, sample_rows(m, sampled_rows, random())));
  if (!comparison.all_right()) {
    fail(wrong_double(trial.text, "C", comparison, std::nullopt, advice()));
  }
  const Matrix<double> before = trial.device_C.contents_given_double();
  for (std::size_t i = 0; i < C.values.size(); ++i) {
    if (C.values[i] == C.values[i] && C.values[i] != before.values[i]) continue;
    fail({.message = tr("{}: C[{}][{}] was never written, or is NaN.", trial.text, i / n, i % n),
          .hint = advice()});
  }
}

std::optional<Finding> DgemmTest::fault_in_written_of(const Matrices& trial) {
  Matrix<double> C = trial.device_C.contents_double();
  const std::vector<int> rows = sample_of_written_rows(C, sampled_rows, random());
  if (rows.empty()) {
    return Finding{.message = trial.text + tr(": no element of C was written."), .hint = advice()};
  }
  const ReferenceProduct expected = multiply_add_rows(trial.inputs, rows);
  fill_in_unwritten(C, expected);
  const Comparison comparison = compare(C, expected);
  if (comparison.all_right()) return std::nullopt;
  return wrong_double(trial.text, "C", comparison, std::nullopt, advice());
}

void DgemmTest::expect_fast_enough(const DgemmCase& dgemm, const SpeedMinimum& minimum,
                                   const std::string& advice) {
  try_fast_enough(
      [&] { return prepare(dgemm); }, "gflops",
      {.at = fmt::format("m = {}, n = {}, k = {}", dgemm.m, dgemm.n, dgemm.k),
       .minimum = minimum,
       .peak = peak_fp64_gflops(device()),
       .of = marked("double-precision peak"),
       .ceiling = ceiling_fp64_gflops(device()),
       .advice_if_beyond =
           tr("Compute the whole product in every call, and wait for nothing on the host."),
       .advice = advice});
}

std::string DgemmTest::advice_on_nothing() const {
  return tr("Return early where m or n is 0: a grid without blocks cannot be launched.");
}

std::string DgemmTest::edge_advice() const {
  return tr(
      "Threads that hang over the edge of C must not store: test row < m and col < n before the "
      "store. Element (row, col) of C lies at row * ldc + col.");
}

std::string DgemmTest::advice() const {
  return tr(
      "Check the barriers, the indices with which tiles are filled (row * lda + k and k * ldb + "
      "col), the zeros beyond m, n and k, and where alpha and beta come in.");
}

namespace {

Call call_of(const DtrsmCase& c, DeviceArray& A, DeviceArray& B) {
  return c.function(c.m, c.n, c.alpha, A, distance_of_rows(c.lda, c.m), B,
                    distance_of_rows(c.ldb, c.n));
}

Matrix<double> columns_of(const Matrix<double>& matrix, const std::vector<int>& cols) {
  Matrix<double> result(matrix.rows, static_cast<int>(cols.size()));
  for (int row = 0; row < result.rows; ++row) {
    for (int col = 0; col < result.cols; ++col) result(row, col) = matrix(row, cols[col]);
  }
  return result;
}

}  // namespace

// The matrices of one call. Elements that BLAS's rules forbid to read are poisoned.
struct DtrsmTest::Matrices : Trial {
  Matrices(const DtrsmCase& dtrsm_, const DtrsmCase& allocated, Random& random)
      : dtrsm(dtrsm_),
        system({.alpha = dtrsm.alpha,
                .A = random_lower_triangle(allocated.m, random),
                .B = random_double_matrix(allocated.m, allocated.n, random)}),
        device_A("A", Access::input, system.A, distance_of_rows(allocated.lda, allocated.m)),
        device_B("B", Access::in_out, system.B, distance_of_rows(allocated.ldb, allocated.n)) {
    device_A.let_read_only(dtrsm.alpha == 0 ? Readable::nothing : Readable::lower_triangle);
    if (dtrsm.alpha == 0) device_B.let_read_only(Readable::nothing);
    call = call_of(dtrsm, device_A, device_B);
    text = call.text;
    arrays = {&device_B, &device_A};
    needs_kernel = dtrsm.alpha != 0;
  }

  DtrsmCase dtrsm;
  TriangularSystem system;
  DeviceArray device_A;
  DeviceArray device_B;
};

PreparedTrial DtrsmTest::prepare_with(const DtrsmCase& dtrsm, const DtrsmCase& allocated) {
  auto trial = std::make_unique<Matrices>(dtrsm, allocated, random());
  trial->check_result = [this, prepared = trial.get()] { check_solution_of(*prepared); };
  trial->is_right = [prepared = trial.get()] {
    return check_solution(prepared->system, prepared->device_B.contents_double()).all_right();
  };
  trial->check_sample = [this, prepared = trial.get()] { check_sample_of(*prepared); };
  trial->work = 1.0 * dtrsm.m * dtrsm.m * dtrsm.n;
  return trial;
}

void DtrsmTest::check_solution_of(const Matrices& trial) {
  const Matrix<double> X = trial.device_B.contents_double();
  const Comparison comparison = check_solution(trial.system, X);
  if (comparison.all_right()) return;
  check_guards(trial);  // elements that were stored between the rows are missing elsewhere
  const DtrsmRerun rerun = [&]() -> std::optional<Matrix<double>> {
    DeviceArray A = trial.device_A, B = trial.device_B;
    if (!run_in_fresh_worker(call_of(trial.dtrsm, A, B))) return std::nullopt;
    return B.contents_double();
  };
  const auto diagnosis = diagnose_dtrsm({.system = trial.system, .X = X, .tile = trial.dtrsm.tile},
                                        calls_made() == 1, rerun);
  if (!diagnosis) fail_by_fault(trial);
  fail(wrong_double(trial.text, "X", comparison, diagnosis, advice()));
}

bool DtrsmTest::launch_fails(const DtrsmCase& dtrsm) {
  const CallReply reply = run(prepare(dtrsm)->call);
  return reply.launches == 0 && (reply.cuda_status == cudaErrorInvalidConfiguration ||
                                 reply.cuda_status == cudaErrorLaunchOutOfResources ||
                                 reply.cuda_status == cudaErrorInvalidValue);
}

void DtrsmTest::check_sample_of(const Matrices& trial) {
  // Columns are independent of each other. A kernel that leaves out half of them escapes 16 sampled
  // ones once in 16,000 times.
  constexpr int sampled_columns = 16;

  const int n = trial.dtrsm.n;
  const Matrix<double> X = trial.device_B.contents_double();
  const Matrix<double>& B = trial.system.B;
  for (std::size_t i = 0; i < X.values.size(); ++i) {
    if (std::isfinite(X.values[i]) && X.values[i] != B.values[i]) continue;
    fail({.message = tr("{}: X[{}][{}] was never written, or is NaN.", trial.text, i / n, i % n),
          .hint = advice()});
  }
  const std::vector<int> sample = sample_rows(n, sampled_columns, random());
  Comparison comparison =
      check_solution({.alpha = trial.system.alpha, .A = trial.system.A, .B = columns_of(B, sample)},
                     columns_of(X, sample));
  if (comparison.all_right()) return;
  comparison.col = sample[comparison.col];
  fail(wrong_double(trial.text, "X", comparison, std::nullopt, advice()));
}

void DtrsmTest::expect_fast_enough(const DtrsmCase& dtrsm, const SpeedMinimum& minimum,
                                   const std::string& advice) {
  try_fast_enough([&] { return prepare(dtrsm); }, "gflops",
                  {.at = fmt::format("m = {}, n = {}", dtrsm.m, dtrsm.n),
                   .minimum = minimum,
                   .peak = peak_fp64_gflops(device()),
                   .of = marked("double-precision peak"),
                   .ceiling = ceiling_fp64_gflops(device()),
                   .advice_if_beyond = tr(
                       "Solve the whole system in every call, and wait for nothing on the host."),
                   .advice = advice});
}

std::string DtrsmTest::advice_on_nothing() const {
  return tr(
      "Return early where there are no rows or no columns: a grid without blocks cannot be "
      "launched.");
}

std::string DtrsmTest::edge_advice() const {
  return tr(
      "Threads that hang over the edge of B must not store: test row < m and col < n before the "
      "store. Element (row, col) of B lies at row * ldb + col.");
}

std::string DtrsmTest::advice() const {
  return tr(
      "X[i] = (alpha * B[i] - sum of A[i][k] * X[k] for k < i) / A[i][i], row by row: check "
      "that each row is complete, for all threads that read it, before the next one needs it.");
}

}  // namespace tilewise::grading
