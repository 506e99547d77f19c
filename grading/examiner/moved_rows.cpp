// Recognises rows, columns and elements of a product that are right, but stand where others belong.
#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "common/base/language.hpp"
#include "grading/examiner/diagnosis.hpp"

namespace tilewise::grading {
namespace {

// Fractions of a magnitude: far above rounding errors, far below a term.
constexpr double least_of_doubles = 0x1p-40;
constexpr double least_of_floats = 0x1p-16;

/// Returns which other row of the product equals row `row` of what was found, within `least` of a
/// magnitude. Returns nothing if none does.
std::optional<int> row_like(const Matrix<double>& found, int row, const Matrix<double>& product,
                            const Matrix<double>& magnitude, double least) {
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

/// Finds elements of a product by their values.
class ElementsByValue {
 public:
  explicit ElementsByValue(const ReferenceProduct& expected) : magnitude_(expected.magnitude) {
    const std::vector<double>& values = expected.product.values;
    for (std::size_t i = 0; i < values.size(); ++i) by_value_.emplace_back(values[i], i);
    std::ranges::sort(by_value_);
  }

  /// Returns the number of the only element that has this value; returns nothing if none or several
  /// have it.
  std::optional<std::size_t> find(double value) const {
    const auto at = std::ranges::lower_bound(by_value_, value, {}, &Element::first);
    std::optional<std::size_t> found;
    for (auto near = at == by_value_.begin() ? at : at - 1; near != by_value_.end(); ++near) {
      const double distance = std::abs(near->first - value);
      if (distance <= least_of_doubles * magnitude_.values[near->second]) {
        if (found) return std::nullopt;
        found = near->second;
      } else if (near >= at) {
        break;
      }
    }
    return found;
  }

 private:
  using Element = std::pair<double, std::size_t>;
  const Matrix<double>& magnitude_;
  std::vector<Element> by_value_;
};

}  // namespace

std::optional<Diagnosis> recognise_moved_elements(const Matrix<double>& after,
                                                  const ReferenceProduct& expected,
                                                  const Comparison& comparison) {
  const ElementsByValue elements(expected);
  const auto cols = static_cast<std::size_t>(expected.product.cols);
  const auto first =
      static_cast<std::size_t>(comparison.row) * cols + static_cast<std::size_t>(comparison.col);
  const auto origin = elements.find(after.values[first]);
  if (!origin) return std::nullopt;
  std::size_t moved = 0;
  for (std::size_t i = 0; i < comparison.compared; ++i) {
    if (comparison.is_wrong[i] && elements.find(after.values[i])) ++moved;
  }
  if (2 * moved < comparison.wrong) return std::nullopt;  // a value that is like another by chance
  const std::size_t row = *origin / cols, col = *origin % cols;
  return Diagnosis{
      Pattern::misplaced,
      tr("C[{}][{}] is what C[{}][{}] should be; {} of the wrong elements are right ones of other "
         "places",
         comparison.row, comparison.col, row, col,
         moved == comparison.wrong ? tr("all") : std::to_string(moved)),
      tr("The sums are right, and are stored where others belong. Of the thread that computes "
         "C[{}][{}] follow which of its results goes to which row and column: of a fragment, which "
         "element each lane holds; of an array, its two indices.",
         row, col),
      ""};
}

namespace {

std::optional<Diagnosis> moved_row(const Matrix<double>& after, const ReferenceProduct& expected,
                                   const Comparison& comparison, double least) {
  const Matrix<double>&product = expected.product, &magnitude = expected.magnitude;
  if (const auto row = row_like(after, comparison.row, product, magnitude, least)) {
    return Diagnosis{
        Pattern::misplaced, tr("row {} of C is what row {} should be", comparison.row, *row),
        tr("Row {} of C is made from row {} of A: follow the row with which A is read, and with "
           "which its tile is filled and read, and the one with which C is stored.",
           comparison.row, *row),
        "A"};
  }
  const auto col = row_like(transposed(after), comparison.col, transposed(product),
                            transposed(magnitude), least);
  if (!col) return std::nullopt;
  return Diagnosis{
      Pattern::misplaced, tr("column {} of C is what column {} should be", comparison.col, *col),
      tr("Column {} of C is made from column {} of B: follow the column with which B is read, and "
         "with which its tile is filled and read, and the one with which C is stored.",
         comparison.col, *col),
      "B"};
}

}  // namespace

std::optional<Diagnosis> recognise_moved_row(const Matrix<double>& after,
                                             const ReferenceProduct& expected,
                                             const Comparison& comparison) {
  return moved_row(after, expected, comparison, least_of_doubles);
}

std::optional<Diagnosis> recognise_moved_row(const Matrix<float>& after,
                                             const ReferenceProduct& expected,
                                             const Comparison& comparison) {
  Matrix<double> found(after.rows, after.cols);
  std::ranges::copy(after.values, found.values.begin());
  return moved_row(found, expected, comparison, least_of_floats);
}

}  // namespace tilewise::grading
