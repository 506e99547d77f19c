// Rows and columns of a product that are right, and stand where another one belongs.
#include <cmath>

#include "common/base/language.hpp"
#include "grading/examiner/diagnosis.hpp"

namespace tilewise::grading {
namespace {

/// The row of the product that another row of what was found is; nothing where it is none.
std::optional<int> row_like(const Matrix<double>& found, int row, const Matrix<double>& product,
                            const Matrix<double>& magnitude) {
  constexpr double least = 0x1p-40;  // of a magnitude: far above rounding, far below a term
  if (product.cols < 2) return std::nullopt;
  for (int other = 0; other < product.rows; ++other) {
    bool is_like = other != row;
    for (int col = 0; is_like && col < product.cols; ++col) {
      is_like = std::abs(found(row, col) - product(other, col)) <= least * magnitude(other, col);
    }
    if (is_like) return other;
  }
  return std::nullopt;
}

}  // namespace

std::optional<Diagnosis> recognise_moved_row(const Matrix<double>& after,
                                             const ReferenceProduct& expected,
                                             const Comparison& comparison) {
  const Matrix<double>&product = expected.product, &magnitude = expected.magnitude;
  if (const auto row = row_like(after, comparison.row, product, magnitude)) {
    return Diagnosis{
        Pattern::misplaced, tr("row {} of C is what row {} should be", comparison.row, *row),
        tr("Row {} of C is made from row {} of A: follow the row with which A is read, and with "
           "which its tile is filled and read, and the one with which C is stored.",
           comparison.row, *row),
        "A"};
  }
  const auto col =
      row_like(transposed(after), comparison.col, transposed(product), transposed(magnitude));
  if (!col) return std::nullopt;
  return Diagnosis{
      Pattern::misplaced, tr("column {} of C is what column {} should be", comparison.col, *col),
      tr("Column {} of C is made from column {} of B: follow the column with which B is read, and "
         "with which its tile is filled and read, and the one with which C is stored.",
         comparison.col, *col),
      "B"};
}

}  // namespace tilewise::grading
