#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "grading/examiner/pattern.hpp"
#include "grading/examiner/trial_fixture.hpp"

namespace tilewise::grading {

/// A contract function: contracts::dtrsm_blocked is one.
using DtrsmFunction = std::function<Call(int m, int n, double alpha, DeviceArray& A, int lda,
                                         DeviceArray& B, int ldb)>;

/// A contract function without an m, since its A is 32x32: of_32_rows(contracts::dtrsm_32_shared).
inline DtrsmFunction of_32_rows(
    std::function<Call(int n, double alpha, DeviceArray& A, int lda, DeviceArray& B, int ldb)>
        function) {
  return [function = std::move(function)](int, int n, double alpha, DeviceArray& A, int lda,
                                          DeviceArray& B,
                                          int ldb) { return function(n, alpha, A, lda, B, ldb); };
}

/// One call of it: A * X = alpha * B, X over B; A: (m, m), B and X: (m, n).
struct DtrsmCase {
  DtrsmFunction function;
  int m = 32;
  int n = 0;
  double alpha = 1;
  /// Distances of rows in elements; without: the matrix's width, and at least 1.
  std::optional<int> lda = std::nullopt;
  std::optional<int> ldb = std::nullopt;
  TileShape tile = {32, 32};  ///< elements of X that one block computes at a time, for messages
};

/// Base of the graders whose functions are BLAS's DTRSM with a lower triangular, non-unit A on the
/// left. Every expectation draws a new, well-conditioned A and a random B, and ends the test where
/// it does not hold. Above the diagonal A holds NaN, and where alpha is 0 both matrices do; the
/// simulator's checks tell of reads there.
class DtrsmTest : public TrialTest {
 protected:
  /// Expects cudaSuccess and a right solution, computed by at least one kernel unless alpha is 0.
  /// Returns the reply with the launches it took.
  CallReply expect_right(const DtrsmCase& dtrsm);

  /// Expects a right solution, A bit for bit as it was, above its diagonal too, and nothing written
  /// around the matrices or between their rows.
  void expect_inside(const DtrsmCase& dtrsm);

  /// Expects right solutions and no fault in any kernel, in every way that the backend has to look
  /// for one. Skips the test where it has none.
  void expect_clean(const std::vector<DtrsmCase>& cases);

  /// Expects a right solution, and counts what its kernels did: in all, and launch by launch.
  CountedCall count(const DtrsmCase& dtrsm);

  /// Expects cudaErrorInvalidValue, no launch and nothing touched. The matrices are those of
  /// `allocated`; `reason` continues "expected cudaErrorInvalidValue: ".
  void expect_refused(const DtrsmCase& bad, const DtrsmCase& allocated, const std::string& reason);

  /// Whether the device cannot hold the function's launches: it then returned the error of one, and
  /// launched nothing.
  bool launch_fails(const DtrsmCase& dtrsm);

  /// Expects cudaSuccess and nothing touched, for no rows or no columns of B.
  void expect_nothing_done(const DtrsmCase& dtrsm);

  /// Times a call, checks a sample of X's columns and that no element is missing, and records the
  /// rate, of m^2 n operations in GFLOPS, as the measurement `name`.
  void measure(const DtrsmCase& dtrsm, const std::string& name);

  /// Expects as much of the reference solution's rate on the same device, and no more than doubles
  /// can reach there. A timing that cannot be trusted is inconclusive rather than too slow.
  /// `advice`: the hint for one that is too slow.
  void expect_fast_enough(const DtrsmCase& dtrsm, const SpeedMinimum& minimum,
                          const std::string& advice);

  std::string result_name() const override { return "solution"; }
  std::string edge_advice() const override;
  std::string advice() const override;

 private:
  struct Matrices;
  std::unique_ptr<Matrices> prepare(const DtrsmCase& dtrsm);
  std::unique_ptr<Matrices> prepare(const DtrsmCase& dtrsm, const DtrsmCase& allocated);
  void check_solution_of(const Matrices& trial);
  void check_sample_of(const Matrices& trial);
};

}  // namespace tilewise::grading
