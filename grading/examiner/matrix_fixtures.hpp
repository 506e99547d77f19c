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

/// What multiplies, by which a device's peak and the most that is possible are known.
enum class Multipliers {
  fp32_lanes,
  tensor_half,
  tensor_3xtf32,  ///< three products in tf32 for one
};

/// One call of a function that computes C = A * B, all of order n.
struct MatmulCase {
  int n = 0;
  Mapping mapping;
  /// Gives the call for these matrices.
  std::function<Call(DeviceArray& A, DeviceArray& B, DeviceArray& C)> call;
  ElementType inputs = ElementType::float32;  ///< or float16; C holds floats
  Multipliers multipliers = Multipliers::fp32_lanes;
  bool is_positive = false;  ///< A and B have no signs: errors show that always go the same way
  bool chooses = false;      ///< it chooses which kernel to launch
};

/// Base of the graders whose functions compute C = A * B. Every expectation draws new random
/// matrices and ends the test where it does not hold.
class MatmulTest : public CaseTest<MatmulCase> {
 protected:
  /// Expects a launch that cannot work to be reported and to touch nothing; `reason` tells why it
  /// cannot. Where the function finds a way all the same, expects a right product.
  void expect_launch_failure_reported(const MatmulCase& matmul, const std::string& reason);

  /// Expects every element of C, of order n, to be stored by neighbouring threads, and few of them
  /// more than once.
  void expect_joined_stores(const CountedCall& call, int n);

  /// As CaseTest's, with matrices of order `allocated`, whatever n the call names.
  void expect_refused(const MatmulCase& matmul, int allocated, const std::string& reason);

  /// Expects as much of the reference solution's rate on the same device, and no more than the
  /// peak of its multipliers. A timing that cannot be trusted is inconclusive rather than
  /// too slow. `advice`: the hint for one that is too slow, what the stage is about. `part`: of the
  /// function's name, where a test is about more than one.
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

/// A contract function: contracts::transpose_tiled is one.
using TransposeFunction =
    std::function<Call(DeviceArray& out, DeviceArray& in, int rows, int cols)>;

/// One call of it; in: (rows, cols), out: (cols, rows).
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
  /// Expects as much of the reference solution's rate on the same device. A timing that cannot be
  /// trusted is inconclusive rather than too slow.
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
class DgemmTest : public CaseTest<DgemmCase> {
 protected:
  /// Expects as much of the reference solution's rate on the same device, and no more than doubles
  /// can reach there. A timing that cannot be trusted is inconclusive rather than too slow.
  /// `advice`: the hint for one that is too slow.
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
class DtrsmTest : public CaseTest<DtrsmCase> {
 protected:
  /// Whether the device cannot hold the function's launches: it then returned the error of one, and
  /// launched nothing.
  bool launch_fails(const DtrsmCase& dtrsm);

  /// Expects as much of the reference solution's rate on the same device, and no more than doubles
  /// can reach there. A timing that cannot be trusted is inconclusive rather than too slow.
  /// `advice`: the hint for one that is too slow.
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
