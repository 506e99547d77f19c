#pragma once

#include <functional>
#include <string>
#include <vector>

#include "grading/examiner/memory_limits.hpp"
#include "grading/examiner/messages.hpp"
#include "grading/examiner/stage_test.hpp"

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
class MatmulTest : public StageTest {
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

  /// Expects loads or stores of global memory within `slack` times what theory has. `advice`: the
  /// hint where something is fetched too often.
  void expect_traffic(const CountedCall& call, const AccessKind& kind, const TrafficTheory& theory,
                      double slack, const std::string& advice);

  /// Expects every element of C, of order n, to be stored by neighbouring threads, and few of them
  /// more than once.
  void expect_joined_stores(const CountedCall& call, int n);

  /// Lanes whose accesses become one request: a warp's, on compute capability 1.x a half-warp's.
  int lanes_of_a_request() const;

  /// Expects cudaErrorInvalidValue, no launch and nothing touched. The matrices are of order
  /// `allocated`, whatever n the call names; `reason` continues "expected cudaErrorInvalidValue: ".
  void expect_refused(const MatmulCase& matmul, int allocated, const std::string& reason);

  /// Expects cudaSuccess and nothing touched.
  void expect_nothing_done(const MatmulCase& matmul);

  /// What timing a product gave.
  struct Rate {
    double gflops = 0;  ///< 2 n^3 operations in the median time
    double spread = 1;  ///< slowest time over fastest
  };

  /// Times a product, checks a sample of its rows and that no element is missing, and records the
  /// rate as the measurement `name`.
  Rate measure(const MatmulCase& matmul, const std::string& name);

  /// Expects at least `fraction` of the device's single-precision peak, and no more than all of it.
  /// A timing that spreads too far to be trusted is inconclusive rather than too slow.
  void expect_fraction_of_peak(const MatmulCase& matmul, double fraction);

  /// Hint for a wrong result that gives nothing away.
  virtual std::string advice() const = 0;

 private:
  struct Product;
  Product multiply_on_device(const MatmulCase& matmul);
  void check_result(const MatmulCase& matmul, const Product& product);
  std::optional<Diagnosis> diagnose_product(const MatmulCase& matmul, const Product& product,
                                            const ReferenceProduct& expected);
  void check_launched(const std::string& call, const CallReply& reply);
  void check_untouched(const Product& product, const std::string& when);
};

}  // namespace tilewise::grading
