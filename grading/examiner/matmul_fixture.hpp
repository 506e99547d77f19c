#pragma once

#include <functional>
#include <string>
#include <vector>

#include "grading/examiner/messages.hpp"
#include "grading/examiner/trial_fixture.hpp"

namespace tilewise::grading {

/// One call of a function that computes C = A * B, all of order n.
struct MatmulCase {
  int n = 0;
  Mapping mapping;
  /// Gives the call for these matrices.
  std::function<Call(DeviceArray& A, DeviceArray& B, DeviceArray& C)> call;
};

/// Base of the graders whose functions compute C = A * B. Every expectation draws new random
/// matrices and ends the test where it does not hold.
class MatmulTest : public TrialTest {
 protected:
  /// Expects cudaSuccess and a right product, computed by at least one kernel. Returns the reply
  /// with the launches it took.
  CallReply expect_right(const MatmulCase& matmul);

  /// Expects a launch that cannot work to be reported and to touch nothing; `reason` tells why it
  /// cannot. Where the function finds a way all the same, expects a right product.
  void expect_launch_failure_reported(const MatmulCase& matmul, const std::string& reason);

  /// Expects a right product, inputs bit for bit as they were, and nothing written around any of
  /// the three matrices.
  void expect_inside(const MatmulCase& matmul);

  /// Expects right products and no fault in any kernel, in every way that the backend has to look
  /// for one. Skips the test where it has none.
  void expect_clean(const std::vector<MatmulCase>& cases);

  /// Expects a right product, and counts what its kernels did.
  CountedCall count(const MatmulCase& matmul);

  /// Expects every element of C, of order n, to be stored by neighbouring threads, and few of them
  /// more than once.
  void expect_joined_stores(const CountedCall& call, int n);

  /// Expects cudaErrorInvalidValue, no launch and nothing touched. The matrices are of order
  /// `allocated`, whatever n the call names; `reason` continues "expected cudaErrorInvalidValue: ".
  void expect_refused(const MatmulCase& matmul, int allocated, const std::string& reason);

  /// Expects cudaSuccess and nothing touched.
  void expect_nothing_done(const MatmulCase& matmul);

  /// Times (on the simulator: models) a product, checks a sample of its rows and that no element is
  /// missing, and records the rate, of 2 n^3 operations in GFLOPS, as the measurement `name`.
  void measure(const MatmulCase& matmul, const std::string& name);

  /// Expects as much of the reference solution's rate on the same device, and no more than the
  /// device's single-precision peak. A timing that cannot be trusted is inconclusive rather than
  /// too slow. `advice`: the hint for one that is too slow, what the stage is about.
  void expect_fast_enough(const MatmulCase& matmul, const SpeedMinimum& minimum,
                          const std::string& advice);

  std::string result_name() const override { return "product"; }
  std::string edge_advice() const override;

 private:
  struct Product;
  std::unique_ptr<Product> prepare(const MatmulCase& matmul);
  std::unique_ptr<Product> prepare(const MatmulCase& matmul, int allocated);
  void check_product(const Product& product);
  void check_sample_of(const Product& product);
  void check_written_of(const Product& product);
  std::optional<Diagnosis> diagnose_product(const Product& product,
                                            const ReferenceProduct& expected);
};

}  // namespace tilewise::grading
