#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "grading/examiner/pattern.hpp"
#include "grading/examiner/trial_fixture.hpp"

namespace tilewise::grading {

/// A contract function: contracts::dgemm_shared is one.
using DgemmFunction =
    std::function<Call(int m, int n, int k, double alpha, DeviceArray& A, int lda, DeviceArray& B,
                       int ldb, double beta, DeviceArray& C, int ldc)>;

/// One call of it: C = alpha * A * B + beta * C; A: (m, k), B: (k, n), C: (m, n).
struct DgemmCase {
  DgemmFunction function;
  int m = 0;
  int n = 0;
  int k = 0;
  double alpha = 1;
  double beta = 0;
  /// Distances of rows in elements; without: the matrix's width, and at least 1.
  std::optional<int> lda = std::nullopt;
  std::optional<int> ldb = std::nullopt;
  std::optional<int> ldc = std::nullopt;
  TileShape tile = {16, 16};  ///< elements of C that one block computes, for messages
};

/// Base of the graders whose functions are BLAS's DGEMM. Every expectation draws new random
/// matrices and ends the test where it does not hold. BLAS's rules are part of all of them: where
/// beta is 0, C holds NaN beforehand, and where alpha is 0, A and B do.
class DgemmTest : public TrialTest {
 protected:
  /// Expects cudaSuccess and a right result, computed by at least one kernel where there is a
  /// product to compute. Returns the reply with the launches it took.
  CallReply expect_right(const DgemmCase& dgemm);

  /// Expects a right result, inputs bit for bit as they were, and nothing written around any of the
  /// three matrices or between their rows.
  void expect_inside(const DgemmCase& dgemm);

  /// Expects right results and no fault in any kernel, in every way that the backend has to look
  /// for one. Skips the test where it has none.
  void expect_clean(const std::vector<DgemmCase>& cases);

  /// Expects a right result, and counts what its kernels did.
  CountedCall count(const DgemmCase& dgemm);

  /// Expects cudaErrorInvalidValue, no launch and nothing touched. The matrices are those of
  /// `allocated`; `reason` continues "expected cudaErrorInvalidValue: ".
  void expect_refused(const DgemmCase& bad, const DgemmCase& allocated, const std::string& reason);

  /// Expects cudaSuccess and nothing touched, for no rows or no columns of C.
  void expect_nothing_done(const DgemmCase& dgemm);

  /// Times a call, checks a sample of C's rows and that no element is missing, and records the
  /// rate, of 2 m n k operations in GFLOPS, as the measurement `name`.
  void measure(const DgemmCase& dgemm, const std::string& name);

  /// Expects as much of the reference solution's rate on the same device, and no more than doubles
  /// can reach there. A timing that cannot be trusted is inconclusive rather than too slow.
  /// `advice`: the hint for one that is too slow.
  void expect_fast_enough(const DgemmCase& dgemm, const SpeedMinimum& minimum,
                          const std::string& advice);

  std::string result_name() const override { return "product"; }
  std::string edge_advice() const override;
  std::string advice() const override;

 private:
  struct Matrices;
  std::unique_ptr<Matrices> prepare(const DgemmCase& dgemm);
  std::unique_ptr<Matrices> prepare(const DgemmCase& dgemm, const DgemmCase& allocated);
  void check_product(const Matrices& trial);
  void check_sample_of(const Matrices& trial);
  void check_written_of(const Matrices& trial);
};

}  // namespace tilewise::grading
