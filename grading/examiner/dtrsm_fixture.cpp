#include "grading/examiner/dtrsm_fixture.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "grading/examiner/dtrsm_diagnosis.hpp"
#include "grading/examiner/element_messages.hpp"
#include "grading/examiner/peak.hpp"
#include "grading/problem/reference.hpp"

namespace tilewise::grading {
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

// The matrices of one call. What BLAS's rules forbid to read is poisoned.
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

std::unique_ptr<DtrsmTest::Matrices> DtrsmTest::prepare(const DtrsmCase& dtrsm) {
  return prepare(dtrsm, dtrsm);
}

std::unique_ptr<DtrsmTest::Matrices> DtrsmTest::prepare(const DtrsmCase& dtrsm,
                                                        const DtrsmCase& allocated) {
  auto trial = std::make_unique<Matrices>(dtrsm, allocated, random());
  trial->check_result = [this, prepared = trial.get()] { check_solution_of(*prepared); };
  trial->check_sample = [this, prepared = trial.get()] { check_sample_of(*prepared); };
  trial->work = 1.0 * dtrsm.m * dtrsm.m * dtrsm.n;
  return trial;
}

void DtrsmTest::check_solution_of(const Matrices& trial) {
  const Matrix<double> X = trial.device_B.contents_double();
  const Comparison comparison = check_solution(trial.system, X);
  if (comparison.all_right()) return;
  check_guards(trial);  // elements that went between the rows are missing elsewhere
  const DtrsmRerun rerun = [&]() -> std::optional<Matrix<double>> {
    DeviceArray A = trial.device_A, B = trial.device_B;
    if (!run_in_fresh_worker(call_of(trial.dtrsm, A, B))) return std::nullopt;
    return B.contents_double();
  };
  const auto diagnosis = diagnose_dtrsm({.system = trial.system, .X = X, .tile = trial.dtrsm.tile},
                                        calls_made() == 1, rerun);
  fail(wrong_double(trial.text, "X", comparison, diagnosis, advice()));
}

CallReply DtrsmTest::expect_right(const DtrsmCase& dtrsm) {
  const auto trial = prepare(dtrsm);
  try_right(*trial);
  return trial->reply;
}

void DtrsmTest::expect_inside(const DtrsmCase& dtrsm) { try_inside(*prepare(dtrsm)); }

void DtrsmTest::expect_clean(const std::vector<DtrsmCase>& cases) {
  std::vector<PrepareTrial> trials;
  for (const DtrsmCase& dtrsm : cases) {
    trials.push_back([this, &dtrsm] { return prepare(dtrsm); });
  }
  try_clean(trials);
}

CountedCall DtrsmTest::count(const DtrsmCase& dtrsm) { return try_counted(*prepare(dtrsm)); }

void DtrsmTest::expect_refused(const DtrsmCase& bad, const DtrsmCase& allocated,
                               const std::string& reason) {
  try_refused(*prepare(bad, allocated), reason);
}

bool DtrsmTest::launch_fails(const DtrsmCase& dtrsm) {
  const CallReply reply = run(prepare(dtrsm)->call);
  return reply.launches == 0 && (reply.cuda_status == cudaErrorInvalidConfiguration ||
                                 reply.cuda_status == cudaErrorLaunchOutOfResources ||
                                 reply.cuda_status == cudaErrorInvalidValue);
}

void DtrsmTest::expect_nothing_done(const DtrsmCase& dtrsm) {
  try_nothing_done(*prepare(dtrsm),
                   "Return early where there are no rows or no columns: a grid "
                   "without blocks cannot be launched.");
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
    fail({.message =
              fmt::format("{}: X[{}][{}] was never written, or is NaN.", trial.text, i / n, i % n),
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

void DtrsmTest::measure(const DtrsmCase& dtrsm, const std::string& name) {
  try_timed([&] { return prepare(dtrsm); }, name);
}

void DtrsmTest::expect_fast_enough(const DtrsmCase& dtrsm, const SpeedMinimum& minimum,
                                   const std::string& advice) {
  try_fast_enough([&] { return prepare(dtrsm); }, "gflops",
                  {.at = fmt::format("m = {}, n = {}", dtrsm.m, dtrsm.n),
                   .minimum = minimum,
                   .peak = peak_fp64_gflops(device()),
                   .of = "double-precision peak",
                   .ceiling = ceiling_fp64_gflops(device()),
                   .advice_if_beyond =
                       "Solve the whole system in every call, and wait for nothing on the host.",
                   .advice = advice});
}

std::string DtrsmTest::edge_advice() const {
  return "Threads that hang over the edge of B must not store: test row < m and col < n before the "
         "store. Element (row, col) of B lies at row * ldb + col.";
}

std::string DtrsmTest::advice() const {
  return "X[i] = (alpha * B[i] - sum of A[i][k] * X[k] for k < i) / A[i][i], row by row: check "
         "that each row is complete, for all threads that read it, before the next one needs it.";
}

}  // namespace tilewise::grading
