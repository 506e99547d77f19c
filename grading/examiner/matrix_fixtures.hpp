#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "common/base/language.hpp"
#include "grading/examiner/diagnosis.hpp"
#include "grading/examiner/messages.hpp"
#include "grading/examiner/stage_fixture.hpp"

namespace tilewise::grading {

/// Which units multiply. They determine a device's peak rate and the highest possible rate.
enum class Multipliers {
  fp32_lanes,
  tensor_half,
  tensor_3xtf32,  ///< each product is made of three products in TF32
};

/// One call of a function that computes C = A * B, all of order n.
struct MatmulCase {
  int n = 0;
  Mapping mapping;
  /// Returns the call for these matrices.
  std::function<Call(DeviceArray& A, DeviceArray& B, DeviceArray& C)> call;
  ElementType inputs = ElementType::float32;  ///< or float16; C holds floats
  Multipliers multipliers = Multipliers::fp32_lanes;
  bool is_positive = false;  ///< A and B are positive, which shows errors that all go one way
  /// For a function that chooses which kernel to launch: says what others would have reached.
  std::function<std::string()> words_on_others = {};
};

/// Base of the graders whose functions compute C = A * B. Every expectation draws new random
/// matrices and ends the test where it does not hold.
class MatmulTest : public CaseTest<MatmulCase> {
 protected:
  /// Expects a launch that cannot work to be reported and to touch nothing; `reason` says why it
  /// cannot work. If the function finds another way, expects a right product.
  void expect_launch_failure_reported(const MatmulCase& matmul, const std::string& reason);

  /// Expects every element of C, of order n, to be stored by neighbouring threads, and few of them
  /// more than once.
  void expect_joined_stores(const CountedCall& call, int n);

  /// Does the same as CaseTest::expect_refused(), with matrices of order `allocated`, whatever n
  /// the call names.
  void expect_refused(const MatmulCase& matmul, int allocated, const std::string& reason);

  /// Expects the rate to reach the fraction `minimum` of the reference solution's rate on the same
  /// device, and not to exceed the peak of the multipliers. A timing that cannot be trusted is
  /// inconclusive rather than too slow. `advice` is the hint for a rate that is too slow; it says
  /// what the stage is about. `part` is a part of the function's name, for a test of more than one
  /// function.
  void expect_fast_enough(const MatmulCase& matmul, const SpeedMinimum& minimum,
                          const std::string& advice, const std::string& part = "");

  std::string result_name() const override { return tr("product"); }
  std::string edge_advice() const override;
  std::string advice_on_nothing() const override;

 private:
  struct Product;
  PreparedTrial prepare_with(const MatmulCase& matmul, const MatmulCase& allocated) override;
  void check_product(const Product& product);
  void check_sample_of(const Product& product);
  std::optional<Finding> fault_in_written_of(const Product& product);
  std::optional<Diagnosis> diagnose_product(const Product& product,
                                            const ReferenceProduct& expected);
};

/// A contract function, for example contracts::transpose_tiled.
using TransposeFunction =
    std::function<Call(DeviceArray& out, DeviceArray& in, int rows, int cols)>;

/// One call of a transpose; in is (rows, cols) and out is (cols, rows).
struct TransposeCase {
  TransposeFunction function;
  int rows = 0;
  int cols = 0;
  int tile = 32;  ///< side of the tiles that blocks move, for messages
};

/// Base of the graders whose functions transpose. Every expectation draws new matrices, no two
/// elements of which are equal, and ends the test where it does not hold.
class TransposeTest : public CaseTest<TransposeCase> {
 protected:
  /// Expects the rate to reach the fraction `minimum` of the reference solution's rate on the same
  /// device. A timing that cannot be trusted is inconclusive rather than too slow.
  void expect_fast_enough(const TransposeCase& transpose, const SpeedMinimum& minimum);

  std::string result_name() const override { return tr("transpose"); }
  std::string edge_advice() const override;
  std::string advice() const override;
  std::string advice_on_nothing() const override;

 private:
  struct Matrices;
  PreparedTrial prepare_with(const TransposeCase& transpose,
                             const TransposeCase& allocated) override;
  void check_transpose(const Matrices& trial);
  std::optional<Finding> fault_in_written_of(const Matrices& trial);
  std::optional<Finding> fault_in(const Matrices& trial, const Matrix<float>& out);
};

/// A contract function, for example contracts::dgemm_shared.
using DgemmFunction =
    std::function<Call(int m, int n, int k, double alpha, DeviceArray& A, int lda, DeviceArray& B,
                       int ldb, double beta, DeviceArray& C, int ldc)>;

/// One call of DGEMM, C = alpha * A * B + beta * C; A is (m, k), B is (k, n) and C is (m, n).
struct DgemmCase {
  DgemmFunction function;
  int m = 0;
  int n = 0;
  int k = 0;
  double alpha = 1;
  double beta = 0;
  /// The distance between rows in elements; by default the matrix's width, and at least 1.
  std::optional<int> lda = std::nullopt;
  std::optional<int> ldb = std::nullopt;
  std::optional<int> ldc = std::nullopt;
  TileShape tile = {16, 16};  ///< elements of C that one block computes, for messages
};

/// Base of the graders whose functions are BLAS's DGEMM. Every expectation draws new random
/// matrices and ends the test where it does not hold. BLAS's rules are part of all of them: where
/// beta is 0, C holds NaN beforehand, and where alpha is 0, A and B hold NaN.
class DgemmTest : public CaseTest<DgemmCase> {
 protected:
  /// Expects the rate to reach the fraction `minimum` of the reference solution's rate on the same
  /// device, and not to exceed what doubles can reach there. A timing that cannot be trusted is
  /// inconclusive rather than too slow. `advice` is the hint for a rate that is too slow.
  void expect_fast_enough(const DgemmCase& dgemm, const SpeedMinimum& minimum,
                          const std::string& advice);

  std::string result_name() const override { return tr("product"); }
  std::string edge_advice() const override;
  std::string advice() const override;
  std::string advice_on_nothing() const override;

 private:
  struct Matrices;
  PreparedTrial prepare_with(const DgemmCase& dgemm, const DgemmCase& allocated) override;
  void check_product(const Matrices& trial);
  void check_sample_of(const Matrices& trial);
  std::optional<Finding> fault_in_written_of(const Matrices& trial);
};

/// A contract function, for example contracts::dtrsm_blocked.
using DtrsmFunction = std::function<Call(int m, int n, double alpha, DeviceArray& A, int lda,
                                         DeviceArray& B, int ldb)>;

/// Adapts a contract function that takes no m, since its A is 32x32:
/// of_32_rows(contracts::dtrsm_32_shared).
inline DtrsmFunction of_32_rows(
    std::function<Call(int n, double alpha, DeviceArray& A, int lda, DeviceArray& B, int ldb)>
        function) {
  return [function = std::move(function)](int, int n, double alpha, DeviceArray& A, int lda,
                                          DeviceArray& B,
                                          int ldb) { return function(n, alpha, A, lda, B, ldb); };
}

/// One call of DTRSM, A * X = alpha * B, where X takes the place of B.
/// A is (m, m); B and X are (m, n).
struct DtrsmCase {
  DtrsmFunction function;
  int m = 32;
  int n = 0;
  double alpha = 1;
  /// The distance between rows in elements; by default the matrix's width, and at least 1.
  std::optional<int> lda = std::nullopt;
  std::optional<int> ldb = std::nullopt;
  TileShape tile = {32, 32};  ///< elements of X that one block computes at a time, for messages
};

/// Base of the graders whose functions are BLAS's DTRSM with a lower triangular, non-unit A on the
/// left. Every expectation draws a new, well-conditioned A and a random B, and ends the test where
/// it does not hold. Above the diagonal A holds NaN, and where alpha is 0 both matrices hold NaN;
/// the simulator's checks report reads there.
class DtrsmTest : public CaseTest<DtrsmCase> {
 protected:
  /// Whether the device cannot hold the function's launches. The function then returned the error
  /// of a launch, and launched nothing.
  bool launch_fails(const DtrsmCase& dtrsm);

  /// Expects the rate to reach the fraction `minimum` of the reference solution's rate on the same
  /// device, and not to exceed what doubles can reach there. A timing that cannot be trusted is
  /// inconclusive rather than too slow. `advice` is the hint for a rate that is too slow.
  void expect_fast_enough(const DtrsmCase& dtrsm, const SpeedMinimum& minimum,
                          const std::string& advice);

  std::string result_name() const override { return tr("solution"); }
  std::string edge_advice() const override;
  std::string advice() const override;
  std::string advice_on_nothing() const override;

 private:
  struct Matrices;
  PreparedTrial prepare_with(const DtrsmCase& dtrsm, const DtrsmCase& allocated) override;
  void check_solution_of(const Matrices& trial);
  void check_sample_of(const Matrices& trial);
};

}  // namespace tilewise::grading
