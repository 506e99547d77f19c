#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "common/base/language.hpp"
#include "grading/examiner/device_array.hpp"
#include "grading/examiner/diagnosis.hpp"

namespace tilewise::grading {
namespace {

using Recogniser = std::optional<Diagnosis> (*)(const Observation&, const Comparison&);

bool was_left_unwritten(const Observation& seen, std::size_t i) {
  return std::memcmp(&seen.before.values[i], &seen.after.values[i], sizeof(float)) == 0;
}

bool is_finite(const Matrix<float>& matrix) {
  return std::ranges::all_of(matrix.values, [](float value) { return std::isfinite(value); });
}

bool is_product(const Matrix<float>& C, const Matrix<float>& A, const Matrix<float>& B) {
  return compare(C, multiply(A, B)).all_right();
}

// Returns the columns [first, last) of a matrix: (rows, last - first).
Matrix<float> columns(const Matrix<float>& matrix, int first, int last) {
  Matrix<float> result(matrix.rows, last - first);
  for (int row = 0; row < result.rows; ++row) {
    for (int col = 0; col < result.cols; ++col) result(row, col) = matrix(row, first + col);
  }
  return result;
}

// Returns the rows [first, last) of a matrix: (last - first, cols).
Matrix<float> rows(const Matrix<float>& matrix, int first, int last) {
  return transposed(columns(transposed(matrix), first, last));
}

std::optional<Diagnosis> never_written(const Observation& seen, const Comparison& comparison) {
  if (comparison.wrong < comparison.compared) return std::nullopt;
  if (comparison.any_wrong([&](std::size_t i) { return !was_left_unwritten(seen, i); })) {
    return std::nullopt;
  }
  return Diagnosis{
      Pattern::never_written, tr("no element of C was ever written"),
      tr("Check that the kernel is launched and stores its result, and that the grid is "
         "not empty.")};
}

std::optional<Diagnosis> all_zero(const Observation& seen, const Comparison&) {
  if (std::ranges::any_of(seen.after.values, [](float value) { return value != 0; })) {
    return std::nullopt;
  }
  if (seen.after.rows < seen.tile.width) {
    return Diagnosis{
        Pattern::all_zero, tr("C is zero everywhere"),
        tr("Nothing was added to the sum, and n is less here than a side of the tile or block: "
           "does "
           "a loop over whole tiles make no step, so that n / tile has to be rounded up?")};
  }
  return Diagnosis{Pattern::all_zero, tr("C is zero everywhere"),
                   tr("The sum is stored but nothing was added to it: check that the products are "
                      "added with +=, the bounds of the loop over k and that the tiles of A and B "
                      "are loaded.")};
}

std::optional<Diagnosis> reads_outside(const Observation& seen, const Comparison& comparison) {
  const auto came_from_guard = [&](std::size_t i) {
    return has_bits(seen.after.values[i], guard_bits);
  };
  if (!comparison.any_wrong(came_from_guard)) return std::nullopt;
  return Diagnosis{
      Pattern::reads_outside, tr("NaN that lies around the matrices in memory got into the result"),
      tr("A thread reads outside A or B, perhaps beyond the last row. A thread that has no element "
         "of "
         "C must do nothing; where others need what it loads, as in tiles, let it put zero in "
         "place "
         "of what is not there. (Multiplying what it finds there by zero does not help.)")};
}

std::optional<Diagnosis> not_a_number(const Observation& seen, const Comparison& comparison) {
  const auto is_new_nan = [&](std::size_t i) {
    return std::isnan(seen.after.values[i]) && !was_left_unwritten(seen, i);
  };
  if (!comparison.any_wrong(is_new_nan)) return std::nullopt;
  return not_a_number_found();
}

std::optional<Diagnosis> accumulates(const Observation& seen, const Comparison&) {
  if (!is_finite(seen.before)) return std::nullopt;
  Matrix<float> added = seen.after;
  for (std::size_t i = 0; i < added.values.size(); ++i) added.values[i] -= seen.before.values[i];
  // The difference carries the rounding errors of a sum that includes C.
  ReferenceProduct expected = seen.expected;
  for (std::size_t i = 0; i < added.values.size(); ++i) {
    expected.magnitude.values[i] += 2 * std::abs(seen.before.values[i]);
  }
  if (!compare(added, expected).all_right()) return std::nullopt;
  return Diagnosis{
      Pattern::accumulates, tr("the product was added to what C held before"),
      tr("Start the sum from 0 and store it with =, not +=: C holds arbitrary values when "
         "the kernel starts.")};
}

std::optional<Diagnosis> other_product(const Observation& seen, const Comparison&) {
  const Matrix<float>& A = seen.A;
  const Matrix<float>& B = seen.B;
  if (is_product(transposed(seen.after), A, B)) {
    return Diagnosis{Pattern::transposed, tr("C holds the transpose of the result"),
                     tr("Rows come from y and columns from x (threadIdx, blockIdx); the row is the "
                        "index that is multiplied by n.")};
  }
  if (is_product(seen.after, B, A)) {
    return Diagnosis{
        Pattern::factors_swapped, tr("C holds B * A instead of A * B"),
        tr("Take the row from A and the column from B, and check the order of the kernel's "
           "arguments.")};
  }
  if (is_product(seen.after, A, A)) {
    return Diagnosis{Pattern::factor_taken_twice, tr("C holds A * A instead of A * B"),
                     tr("Look for an A where B is meant, where the column or its tile is loaded.")};
  }
  if (is_product(seen.after, B, B)) {
    return Diagnosis{Pattern::factor_taken_twice, tr("C holds B * B instead of A * B"),
                     tr("Look for a B where A is meant, where the row or its tile is loaded.")};
  }
  if (is_product(seen.after, A, transposed(B))) {
    return Diagnosis{Pattern::second_factor_transposed,
                     tr("C holds A * B^T: B is read by rows where it should be read by columns"),
                     tr("Element (k, col) of B lies at k * n + col."), "B"};
  }
  if (is_product(seen.after, transposed(A), B)) {
    return Diagnosis{Pattern::first_factor_transposed,
                     tr("C holds A^T * B: A is read by columns where it should be read by rows"),
                     tr("Element (row, k) of A lies at row * n + k."), "A"};
  }
  return std::nullopt;
}

// Recognises sums that leave out the first or the last products. Their number is found from one
// element and then has to hold for all of them.
std::optional<Diagnosis> part_of_the_sum(const Observation& seen, const Comparison& comparison) {
  const int n = seen.expected.summation_length;
  const double allowed = comparison.tolerance;
  double sum = 0;
  for (int k = 0; k + 1 < n; ++k) {
    sum += double(seen.A(comparison.row, k)) * seen.B(k, comparison.col);
    const int terms = k + 1;
    if (std::abs(sum - comparison.found) <= allowed &&
        is_product(seen.after, columns(seen.A, 0, terms), rows(seen.B, 0, terms))) {
      const std::string at_the_end = advice_on_missing_end(terms, n, seen.tile.width);
      return Diagnosis{
          Pattern::sum_cut_short,
          tr("each element is the sum of its first {} products instead of all "
             "{}",
             terms, n),
          terms == 1 ? tr("The loop over k ends after its first step: look for a return or a break "
                          "inside of it, and at its condition.")
          : terms == seen.tile.width && n > 2 * terms - 1
              ? tr("That is one tile: does the loop over tiles end after its first step? One that "
                   "counts elements, in steps of a tile, goes to n; one that counts tiles goes to "
                   "n / tile, rounded up.")
          : !at_the_end.empty() ? at_the_end
          : n % terms == 0
              ? tr("The loop over k takes {} products and no more: look at where it ends, and at "
                   "the step that it takes, which is to be as long as what a tile holds of k.",
                   terms)
              : tr("Check where the loop over k ends. Tiles that do not divide n need one "
                   "more step: n / tile, rounded up.")};
    }
    if (std::abs(comparison.expected - sum - comparison.found) <= allowed &&
        is_product(seen.after, columns(seen.A, terms, n), rows(seen.B, terms, n))) {
      return Diagnosis{
          Pattern::sum_starts_late,
          tr("each element lacks the first {} of its {} products", terms, n),
          terms + 1 == n ? tr("Only the last product is left: add with +=, not with =, and set the "
                              "sum to 0 before the loop, not inside of it.")
                         : tr("Check where the loop over k starts, and whether the sum is reset "
                              "inside it.")};
    }
  }
  return std::nullopt;
}

// With fewer elements than this, a shift or a factor fits by accident.
constexpr std::size_t enough_elements = 4;

std::optional<Diagnosis> offset(const Observation& seen, const Comparison& comparison) {
  if (comparison.wrong < std::max(comparison.compared, enough_elements)) return std::nullopt;
  const double shift = comparison.found - comparison.expected;
  ReferenceProduct shifted = seen.expected;
  for (double& value : shifted.product.values) value += shift;
  for (double& value : shifted.magnitude.values) value += 2 * std::abs(shift);
  if (!compare(seen.after, shifted).all_right()) return std::nullopt;
  return Diagnosis{Pattern::offset, tr("each element is off by {:+.6g}", shift),
                   tr("Check the value the sum starts from.")};
}

std::optional<Diagnosis> scaled(const Observation& seen, const Comparison& comparison) {
  if (comparison.wrong < enough_elements) return std::nullopt;
  const auto& product = seen.expected.product.values;
  std::size_t largest = 0;
  for (std::size_t i = 0; i < comparison.compared; ++i) {
    if (!comparison.is_wrong[i]) continue;
    const bool is_first = !comparison.is_wrong[largest];
    if (is_first || std::abs(product[i]) > std::abs(product[largest])) largest = i;
  }
  const double factor = seen.after.values[largest] / product[largest];
  if (!(std::abs(factor) > 0)) return std::nullopt;
  ReferenceProduct expected = seen.expected;
  for (double& value : expected.product.values) value *= factor;
  // The factor is only as exact as the element it was taken from.
  for (double& value : expected.magnitude.values) value *= 2 * std::abs(factor);
  const Comparison by_factor = compare(seen.after, expected);
  if (comparison.any_wrong([&](std::size_t i) { return by_factor.is_wrong[i]; })) {
    return std::nullopt;
  }
  if (comparison.wrong < comparison.compared) {
    return Diagnosis{
        Pattern::scaled,
        tr("each of these is {:.6g} times the right one{}", factor,
           what_repeats(comparison.is_wrong, seen.after.rows, seen.after.cols)),
        tr("The others are right: look for what is done to these alone, or once more, or is "
           "forgotten where a thread has several results.")};
  }
  return Diagnosis{Pattern::scaled, tr("each element is {:.6g} times the right one", factor),
                   tr("Check whether a product is added more than once, or every step counts.")};
}

// Rounding the factors of k products to bfloat16 (8 bits, errors of up to 2^-9 each) causes an
// error of some 2^-9 sqrt(k) times a product, and `magnitude` is k products. Six times that error
// is never exceeded, and a missing or additional product exceeds it by far.
std::optional<Diagnosis> imprecise(const Observation& seen, const Comparison&) {
  const double k = seen.expected.summation_length;
  const auto& expected = seen.expected;
  for (std::size_t i = 0; i < seen.after.values.size(); ++i) {
    const double allowed = 6 * 0x1p-9 * expected.magnitude.values[i] / std::sqrt(k);
    if (!(std::abs(seen.after.values[i] - expected.product.values[i]) <= allowed)) {
      return std::nullopt;
    }
  }
  if (seen.is_split) {
    if (auto diagnosis = recognise_split_products(seen)) return diagnosis;
  }
  return Diagnosis{
      Pattern::imprecise,
      tr("all of them are right to a few digits, so the arithmetic is less precise than "
         "float"),
      seen.in_halves
          ? tr("A and B are halves, and their products are to be added up in float: look "
               "for an accumulator, a sum or a tile of results in half precision.")
      : seen.is_split
          ? tr("A float takes two TF32 numbers: x is to_tf32(x) and what that leaves, to_tf32(x - "
               "to_tf32(x)). Look at how both are made, and which of them each product takes.")
          : tr("Keep the factors, the tiles and the sum in float: no half precision, no TF32.")};
}

// Elements whose sums were all added to one of them: how far apart they lie, in rows or columns,
// and how many they are. The next one is 0, and so are others at the same distance behind it.
struct Run {
  int step = 0, count = 1;
};

Run zeros_beyond(const std::vector<bool>& is_zero, int n, int row, int col, int down, int right) {
  const auto zero_at = [&](int steps) {
    const int r = row + steps * down, c = col + steps * right;
    return r >= 0 && r < n && c >= 0 && c < n && is_zero[std::size_t(r) * n + c];
  };
  Run run;
  for (int step = 1; step < n && run.step == 0; ++step) {
    if (zero_at(step)) run.step = step;
  }
  while (run.step != 0 && zero_at(run.step * run.count)) ++run.count;
  return run;
}

// Recognises several results of a thread that are added up in one of them, so that the others stay
// 0.
std::optional<Diagnosis> sums_in_one(const Observation& seen, const Comparison& comparison) {
  const int n = seen.after.rows;
  std::vector<bool> is_zero(seen.after.values.size());
  for (std::size_t i = 0; i < is_zero.size(); ++i) {
    is_zero[i] = comparison.is_wrong[i] && seen.after.values[i] == 0;
  }
  if (std::ranges::find(is_zero, true) == is_zero.end()) return std::nullopt;
  for (const int sign : {1, -1}) {
    // The search begins at the corner that the zeros lie behind, so that the nearest ones are the
    // element's own.
    const auto holds_a_sum = [&](std::size_t i) { return comparison.is_wrong[i] && !is_zero[i]; };
    std::size_t first = 0;
    const auto place = [&] { return sign > 0 ? first : is_zero.size() - 1 - first; };
    while (first < is_zero.size() && !holds_a_sum(place())) ++first;
    if (first == is_zero.size()) return std::nullopt;
    const int row = static_cast<int>(place()) / n, col = static_cast<int>(place()) % n;
    const Run right = zeros_beyond(is_zero, n, row, col, 0, sign);
    const Run down = zeros_beyond(is_zero, n, row, col, sign, 0);
    for (const auto& [rows, cols] :
         {std::pair{Run{}, right}, std::pair{down, Run{}}, std::pair{down, right}}) {
      if (rows.count == 1 && cols.count == 1) continue;
      ReferenceProduct together = seen.expected;
      for (int r = 0; r < n; ++r) {
        for (int c = 0; c < n; ++c) {
          double& product = together.product(r, c);
          if (is_zero[std::size_t(r) * n + c]) {
            product = 0;
            continue;
          }
          for (int i = 0; i < rows.count; ++i) {
            for (int j = 0; j < cols.count; ++j) {
              const int other_r = r + sign * i * rows.step, other_c = c + sign * j * cols.step;
              const bool exists = other_r >= 0 && other_r < n && other_c >= 0 && other_c < n;
              if (!exists || (i == 0 && j == 0)) continue;
              if (!is_zero[std::size_t(other_r) * n + other_c]) continue;
              product += seen.expected.product(other_r, other_c);
              together.magnitude(r, c) += seen.expected.magnitude(other_r, other_c);
            }
          }
        }
      }
      if (!compare(seen.after, together).all_right()) continue;
      const int other_row = row + sign * (rows.count > 1 ? rows.step : 0);
      const int other_col = col + sign * (cols.count > 1 ? cols.step : 0);
      return Diagnosis{
          Pattern::sums_in_one,
          tr("C[{0}][{1}] holds the sum of what belongs to it and to C[{2}][{3}], which is 0, and "
             "so it is with the others",
             row, col, other_row, other_col),
          tr("Each result of a thread has a sum of its own, sum[i][j] for its row i and its column "
             "j: look at the indices of the sums where the products are added.")};
    }
  }
  return std::nullopt;
}

std::optional<Diagnosis> part_of_the_matrix(const Observation& seen, const Comparison& comparison) {
  const bool unwritten =
      !comparison.any_wrong([&](std::size_t i) { return !was_left_unwritten(seen, i); });
  const int n = seen.after.rows;
  if (seen.part) {
    if (auto diagnosis = recognise_parts(comparison.is_wrong, n, *seen.part)) return diagnosis;
  }
  return recognise_location(comparison.is_wrong, n, seen.tile, unwritten);
}

}  // namespace

std::string advice_on_missing_end(int terms, int all, int tile) {
  const int missing = all - terms;
  if (missing == 1 && terms > 1) {
    return tr(
        "The last product is missing: see where the loop over k ends, by a - 1 that does not "
        "belong there, or by < where <= is meant.");
  }
  const bool is_a_step = missing > 1 && terms % missing == 0;
  if (!is_a_step || tile < 2 || all % tile != 0) return "";
  return tr(
      "A whole step of {0} products is missing, though {0} divides {1}: count the steps, and see "
      "that the first brings its elements and the last runs. A step that takes {1} % {0} elements "
      "takes none.",
      missing, all);
}

std::optional<Diagnosis> recognise(const Observation& observation) {
  const Comparison comparison = compare(observation.after, observation.expected);
  if (comparison.all_right()) return std::nullopt;
  // Mistakes in the whole of C are tried before mistakes in parts of it.
  constexpr Recogniser recognisers[] = {
      never_written,   all_zero, reads_outside, not_a_number, accumulates, other_product,
      part_of_the_sum, offset,   scaled,        imprecise,    sums_in_one, part_of_the_matrix,
  };
  for (const Recogniser recogniser : recognisers) {
    if (auto diagnosis = recogniser(observation, comparison)) return diagnosis;
  }
  return std::nullopt;
}

Diagnosis not_a_number_found() {
  return {Pattern::not_a_number, tr("there are NaN among the results"),
          tr("NaN comes from memory that nothing wrote, a variable or shared tile that is read "
             "before it is set, or from an index outside A or B; where no check has found such a "
             "read, from a calculation: what is taken for a float may be other bits, or infinity "
             "less infinity.")};
}

}  // namespace tilewise::grading
