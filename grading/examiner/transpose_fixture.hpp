#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "grading/examiner/trial_fixture.hpp"

namespace tilewise::grading {

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
class TransposeTest : public TrialTest {
 protected:
  /// Expects cudaSuccess and the transpose bit for bit, made by at least one kernel. Returns the
  /// reply with the launches it took.
  CallReply expect_right(const TransposeCase& transpose);

  /// Expects the transpose, the input as it was, and nothing written around either matrix.
  void expect_inside(const TransposeCase& transpose);

  /// Expects transposes and no fault in any kernel, in every way that the backend has to look for
  /// one. Skips the test where it has none.
  void expect_clean(const std::vector<TransposeCase>& cases);

  /// Expects the transpose, and counts what its kernels did.
  CountedCall count(const TransposeCase& transpose);

  /// Expects cudaErrorInvalidValue, no launch and nothing touched. The matrices are those of
  /// `allocated`; `reason` continues "expected cudaErrorInvalidValue: ".
  void expect_refused(const TransposeCase& bad, const TransposeCase& allocated,
                      const std::string& reason);

  /// Expects cudaSuccess and nothing touched, for no rows or no columns.
  void expect_nothing_done(const TransposeCase& transpose);

  /// Times a transpose, checks it, and records the rate as the measurement `name`: each element
  /// read and written once, in GB/s.
  void measure(const TransposeCase& transpose, const std::string& name);

  /// Expects as much of the reference solution's rate on the same device. A timing that cannot be
  /// trusted is inconclusive rather than too slow.
  void expect_fast_enough(const TransposeCase& transpose, const SpeedMinimum& minimum);

  std::string result_name() const override { return "transpose"; }
  std::string edge_advice() const override;
  std::string advice() const override;

 private:
  struct Matrices;
  std::unique_ptr<Matrices> prepare(const TransposeCase& transpose);
  std::unique_ptr<Matrices> prepare(const TransposeCase& transpose, const TransposeCase& allocated);
  void check_transpose(const Matrices& trial);
  void check_written_of(const Matrices& trial);
  void demand_transpose(const Matrices& trial, const Matrix<float>& out);
};

}  // namespace tilewise::grading
