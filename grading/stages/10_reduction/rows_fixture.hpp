#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <variant>

#include "grading/examiner/stage_fixture.hpp"
#include "grading/problem/matrix.hpp"
#include "grading/problem/reference.hpp"
#include "grading/stages/10_reduction/fixture.hpp"

namespace tilewise::grading {

/// A call of gemv.
struct GemvCase {
  int m = 0;
  int n = 0;
  float alpha = 1;
  float beta = 0;
  int gap = 0;            ///< elements between the rows of A
  bool too_near = false;  ///< lda is one less than the columns of a row

  int lda() const { return too_near ? n - 1 : std::max(n, 1) + gap; }
};

/// The elements of a row.
enum class Row {
  random,          ///< both signs, up to 8
  large,           ///< about 100, for which exp() overflows
  small,           ///< about -120, for which exp() is 0
  huge,            ///< 1e30, except for one -1e30
  one_stands_out,  ///< 1e30 among -1e30
  with_gaps,       ///< some are -inf
  only_gaps,       ///< all are -inf
  one_is_there,    ///< all but one are -inf
  late_maximum,    ///< each larger than the one before
  alike,           ///< all equal, and large
};

/// A call of softmax_rows.
struct SoftmaxCase {
  int rows = 0;
  int cols = 0;
  Row kind = Row::random;
};

using RowCase = std::variant<GemvCase, SoftmaxCase>;

struct GemvTrial;
struct SoftmaxTrial;

/// Tests of functions that reduce each row of a matrix to one or two numbers. All expectations of
/// gemv include BLAS's rules: if beta is 0, y holds NaN beforehand, and if alpha is 0, A and x do.
class Rows : public ReductionTest<RowCase> {
 protected:
  PreparedTrial prepare_with(const RowCase& of, const RowCase& allocated) override;

  std::string result_name() const override;
  std::string edge_advice() const override;
  std::string advice() const override;
  std::string advice_on_nothing() const override;

 private:
  PreparedTrial prepare_gemv(const GemvCase& of, const GemvCase& allocated);
  Finding fault(const GemvTrial& trial, const Comparison& comparison);
  static std::optional<Diagnosis> factors_of_columns(const GemvTrial& trial);
  std::optional<Finding> fault_in_written_of(const GemvTrial& trial);

  PreparedTrial prepare_softmax(const SoftmaxCase& of, const SoftmaxCase& allocated);
  std::optional<Finding> fault(const SoftmaxTrial& trial, const Matrix<float>& out);
  std::optional<Diagnosis> diagnose(const SoftmaxTrial& trial, const Matrix<float>& out,
                                    const Comparison& comparison);

  /// Returns two elements of a row that are wrong by different factors, or nothing if all are wrong
  /// by the same.
  static std::string unequal_factors(const SoftmaxTrial& trial, const Matrix<float>& out, int row);
  std::optional<Diagnosis> by_place(const SoftmaxTrial& trial, const Comparison& comparison,
                                    bool unwritten);
  std::optional<Finding> fault_in_written_of(const SoftmaxTrial& trial);
};

}  // namespace tilewise::grading
