#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "common/base/language.hpp"
#include "grading/examiner/device_array.hpp"
#include "grading/examiner/diagnosis.hpp"

namespace tilewise::grading {
namespace {

bool was_left_unwritten(const DgemmObservation& seen, std::size_t i) {
  return std::memcmp(&seen.before.values[i], &seen.after.values[i], sizeof(double)) == 0;
}

bool is_result_of(const Matrix<double>& C, const GemmInputs& inputs) {
  return compare(C, multiply_add(inputs)).all_right();
}

bool has_no_terms(const GemmInputs& inputs) { return inputs.alpha == 0 || inputs.A.cols == 0; }

// 0 times the NaN of an unwritten C is that NaN, so that C looks as if it had never been written.
std::optional<Diagnosis> reads_c_for_beta_0(const DgemmObservation& seen, const DgemmRerun& rerun) {
  if (seen.inputs.beta != 0) return std::nullopt;
  Matrix<double> ordinary(seen.after.rows, seen.after.cols);
  // Where the result is 0, a kernel that leaves zeros alone would be right, too.
  if (has_no_terms(seen.inputs)) std::ranges::fill(ordinary.values, 1.0);
  const auto after = rerun(ordinary);
  if (!after || !is_result_of(*after, seen.inputs)) return std::nullopt;
  return Diagnosis{
      Pattern::accumulates,
      tr("the result is right only if C holds ordinary numbers beforehand, so the kernel "
         "reads C although beta is 0"),
      tr("With beta = 0, C may hold anything, NaN too, and 0 * NaN is NaN: write C "
         "without reading it.")};
}

std::optional<Diagnosis> never_written(const DgemmObservation& seen, const Comparison& comparison) {
  if (comparison.wrong < comparison.compared ||
      comparison.any_wrong([&](std::size_t i) { return !was_left_unwritten(seen, i); })) {
    return std::nullopt;
  }
  const std::string what = seen.inputs.beta == 0 ? tr("no element of C was ever written")
                                                 : tr("C still holds what it held before the call");
  if (has_no_terms(seen.inputs)) {
    return Diagnosis{
        Pattern::never_written,
        what + tr(", but it becomes beta * C even where there are no products to add, "
                  "with k = 0 or alpha = 0"),
        tr("Only m = 0 and n = 0 leave nothing to do. Let the kernel run with a loop that "
           "makes no step, so that C is still scaled, or for beta = 0 cleared.")};
  }
  return Diagnosis{
      Pattern::never_written, what,
      tr("Check that the kernel is launched and stores its result, and that the grid is "
         "not empty.")};
}

std::optional<Diagnosis> not_a_number(const DgemmObservation& seen, const Comparison& comparison) {
  const auto from_guard = [&](std::size_t i) {
    return has_bits(seen.after.values[i], guard_bits_double);
  };
  if (comparison.any_wrong(from_guard)) {
    if (seen.inputs.alpha == 0) {
      return Diagnosis{
          Pattern::reads_outside,
          tr("NaN that A and B hold got into the result although alpha is 0"),
          tr("With alpha = 0, C becomes beta * C whatever A and B hold, and 0 * NaN is "
             "NaN: read neither of them.")};
    }
    return Diagnosis{
        Pattern::reads_outside,
        tr("NaN that lies around the matrices, and in the gaps between their rows, got into the "
           "result"),
        tr("Element (row, col) of A lies at row * lda + col, of B at row * ldb + col. Beyond m, n "
           "and "
           "k use zero in place of what is there: multiplying it by zero does not help.")};
  }
  const auto is_new_nan = [&](std::size_t i) {
    return std::isnan(seen.after.values[i]) && !was_left_unwritten(seen, i);
  };
  if (!comparison.any_wrong(is_new_nan)) return std::nullopt;
  return not_a_number_found();
}

std::optional<Diagnosis> all_zero(const DgemmObservation& seen) {
  if (std::ranges::any_of(seen.after.values, [](double value) { return value != 0; })) {
    return std::nullopt;
  }
  if (seen.inputs.beta == 0) {
    return Diagnosis{
        Pattern::all_zero, tr("C is zero everywhere"),
        tr("With beta = 0, C is to become alpha * A * B: look for a beta that multiplies the sum, "
           "too. If there is none, nothing was added to the sum: check the bounds of the loop over "
           "k and that the tiles of A and B are loaded.")};
  }
  return Diagnosis{Pattern::all_zero, tr("C is zero everywhere"),
                   tr("The sum is stored but nothing was added to it: check the bounds of the loop "
                      "over k and that the tiles of A and B are loaded.")};
}

std::optional<Diagnosis> other_factors(const DgemmObservation& seen, const Comparison& comparison) {
  const double alpha = seen.inputs.alpha, beta = seen.inputs.beta;
  const struct {
    double alpha, beta;
    std::string what;
    std::string hint;
  } cases[] = {
      {1, beta, tr("C holds A * B + beta * C: alpha is left out"),
       tr("Multiply the sum by alpha before it is stored.")},
      {alpha, 0, tr("C holds alpha * A * B: beta * C is left out"),
       tr("Where beta is not 0, add beta times what C held.")},
      {0, beta, tr("C holds beta * C: nothing was added to it"),
       tr("Check the bounds of the loop over k and that the tiles of A and B are loaded.")},
      {alpha, 1, tr("C holds alpha * A * B + C: beta is left out"),
       tr("What C held is to be multiplied by beta before the sum is added.")},
      {alpha, alpha * beta, tr("C holds alpha * (A * B + beta * C): alpha multiplies C, too"),
       tr("Multiply the sum by alpha first, then add beta * C.")},
      {beta, alpha, tr("alpha and beta have changed places"),
       tr("alpha belongs to A * B, beta to C.")},
      {alpha, -beta, tr("beta * C was subtracted"), tr("Add beta * C.")},
  };
  for (const auto& c : cases) {
    if (c.alpha == alpha && c.beta == beta) continue;
    if (c.beta != 0 && beta == 0) continue;  // C held NaN
    GemmInputs other = seen.inputs;
    other.alpha = c.alpha;
    other.beta = c.beta;
    const Comparison by_others = compare(seen.after, multiply_add(other));
    if (by_others.all_right()) return Diagnosis{Pattern::other_factors, c.what, c.hint};
    if (comparison.any_wrong([&](std::size_t i) { return by_others.is_wrong[i]; })) continue;
    return Diagnosis{
        Pattern::other_factors,
        tr("in these alone{}, {}",
           what_repeats(comparison.is_wrong, seen.after.rows, seen.after.cols), c.what),
        tr("{} The others are right: look for the place that stores these, of several results of "
           "a thread perhaps.",
           c.hint)};
  }
  return std::nullopt;
}

constexpr const char* where_factors_belong = marked(
    "alpha multiplies the sum of the products and nothing else, and beta what C held: alpha * sum "
    "+ "
    "beta * C.");

std::string instead_of_both(const std::string& found) {
  return tr("C holds {}, and it is to hold alpha * A * B + beta * C", found);
}

std::optional<Diagnosis> adds_beta_alone(const DgemmObservation& seen) {
  const double beta = seen.inputs.beta;
  if (beta == 0) return std::nullopt;
  Matrix<double> without = seen.after;
  for (double& value : without.values) value -= beta;
  GemmInputs product = seen.inputs;
  product.beta = 0;
  if (!is_result_of(without, product)) return std::nullopt;
  return Diagnosis{Pattern::other_factors, instead_of_both("alpha * A * B + beta"),
                   core::in_language(where_factors_belong)};
}

// Recognises any other way to combine alpha and beta with A * B and C.
std::optional<Diagnosis> misplaced_factors(const DgemmObservation& seen,
                                           const Comparison& comparison) {
  const double alpha = seen.inputs.alpha, beta = seen.inputs.beta;
  // If two of the factors are equal, it cannot be told which one was meant.
  for (const double plain : {0.0, 1.0}) {
    if (alpha == plain || beta == plain) return std::nullopt;
  }
  if (alpha == beta || seen.inputs.A.cols == 0) return std::nullopt;
  const struct {
    double value;
    const char* text;  ///< the {} stands for what it multiplies
  } factors[] = {{0, ""},
                 {1, "{}"},
                 {alpha, "alpha * {}"},
                 {beta, "beta * {}"},
                 {alpha * beta, "alpha * beta * {}"},
                 {alpha * alpha, "alpha * alpha * {}"},
                 {beta * beta, "beta * beta * {}"},
                 {alpha + beta, "(alpha + beta) * {}"}};
  GemmInputs product = seen.inputs;
  product.alpha = 1;
  product.beta = 0;
  const ReferenceProduct AB = multiply_add(product);
  const int row = comparison.row, col = comparison.col;
  for (const auto& a : factors) {
    for (const auto& b : factors) {
      // One element is tried first, because to try all of them takes a whole product.
      const double guess = a.value * AB.product(row, col) + b.value * seen.inputs.C(row, col);
      if (!(std::abs(guess - comparison.found) <= 10 * comparison.tolerance)) continue;
      GemmInputs other = seen.inputs;
      other.alpha = a.value;
      other.beta = b.value;
      if (!is_result_of(seen.after, other)) continue;
      std::string found = fmt::format(fmt::runtime(a.text), "A * B");
      if (b.value != 0) {
        found += (found.empty() ? "" : " + ") + fmt::format(fmt::runtime(b.text), "C");
      }
      return Diagnosis{Pattern::other_factors, instead_of_both(found),
                       core::in_language(where_factors_belong)};
    }
  }
  return std::nullopt;
}

std::optional<Diagnosis> transposed_factor(const DgemmObservation& seen) {
  const auto square = [](const Matrix<double>& matrix) { return matrix.rows == matrix.cols; };
  GemmInputs other = seen.inputs;
  if (square(other.B)) {
    other.B = transposed(seen.inputs.B);
    if (is_result_of(seen.after, other)) {
      return Diagnosis{Pattern::second_factor_transposed,
                       tr("B is read by rows where it should be read by columns"),
                       tr("Element (k, col) of B lies at k * ldb + col.")};
    }
  }
  other = seen.inputs;
  if (square(other.A)) {
    other.A = transposed(seen.inputs.A);
    if (is_result_of(seen.after, other)) {
      return Diagnosis{Pattern::first_factor_transposed,
                       tr("A is read by columns where it should be read by rows"),
                       tr("Element (row, k) of A lies at row * lda + k.")};
    }
  }
  return std::nullopt;
}

// Returns the columns [first, last) of a matrix: (rows, last - first).
Matrix<double> columns(const Matrix<double>& matrix, int first, int last) {
  Matrix<double> result(matrix.rows, last - first);
  for (int row = 0; row < result.rows; ++row) {
    for (int col = 0; col < result.cols; ++col) result(row, col) = matrix(row, first + col);
  }
  return result;
}

bool has_terms(const DgemmObservation& seen, int first, int last) {
  GemmInputs part = seen.inputs;
  part.A = columns(part.A, first, last);
  part.B = transposed(columns(transposed(part.B), first, last));
  return is_result_of(seen.after, part);
}

// Returns a matrix with its columns [first, last) once more behind the others:
// (rows, cols + last - first).
Matrix<double> with_columns_again(const Matrix<double>& matrix, int first, int last) {
  Matrix<double> result(matrix.rows, matrix.cols + last - first);
  for (int row = 0; row < result.rows; ++row) {
    for (int col = 0; col < result.cols; ++col) {
      result(row, col) = matrix(row, col < matrix.cols ? col : first + col - matrix.cols);
    }
  }
  return result;
}

bool has_terms_twice(const DgemmObservation& seen, int first, int last) {
  GemmInputs more = seen.inputs;
  more.A = with_columns_again(more.A, first, last);
  more.B = transposed(with_columns_again(transposed(more.B), first, last));
  return is_result_of(seen.after, more);
}

// Recognises sums that leave out the first or the last products. Their number is found from one
// element and then has to hold for all of them.
std::optional<Diagnosis> part_of_the_sum(const DgemmObservation& seen,
                                         const Comparison& comparison) {
  const int k = seen.inputs.A.cols;
  const double found = comparison.found, allowed = comparison.tolerance;
  double left = comparison.expected;  // without the first terms
  double sum =
      seen.inputs.beta == 0 ? 0 : seen.inputs.beta * seen.inputs.C(comparison.row, comparison.col);
  for (int terms = 1; terms < k; ++terms) {
    const double term = seen.inputs.alpha * seen.inputs.A(comparison.row, terms - 1) *
                        seen.inputs.B(terms - 1, comparison.col);
    sum += term;
    left -= term;
    if (std::abs(sum - found) <= allowed && has_terms(seen, 0, terms)) {
      const std::string at_the_end = advice_on_missing_end(terms, k, seen.tile.width);
      return Diagnosis{
          Pattern::sum_cut_short,
          tr("each element is the sum of its first {} products instead of all {}", terms, k),
          at_the_end.empty() ? tr("Check where the loop over k ends. Tiles that do not divide k "
                                  "need one more step: k / tile, rounded up.")
                             : at_the_end};
    }
    if (std::abs(left - found) <= allowed && has_terms(seen, terms, k)) {
      return Diagnosis{Pattern::sum_starts_late,
                       tr("each element lacks the first {} of its {} products", terms, k),
                       tr("Check where the loop over k starts, and whether the sum is reset inside "
                          "it.")};
    }
  }
  return std::nullopt;
}

// Recognises products that are added twice. They are found and proved in the same way.
std::optional<Diagnosis> terms_added_twice(const DgemmObservation& seen,
                                           const Comparison& comparison) {
  const int k = seen.inputs.A.cols;
  const double surplus = comparison.found - comparison.expected;
  for (int first = 0; first < k; ++first) {
    double sum = 0;
    for (int last = first; last < k; ++last) {
      sum += seen.inputs.alpha * seen.inputs.A(comparison.row, last) *
             seen.inputs.B(last, comparison.col);
      if (!(std::abs(sum - surplus) <= comparison.tolerance)) continue;
      if (!has_terms_twice(seen, first, last + 1)) continue;
      return Diagnosis{
          Pattern::term_repeated,
          first == last ? tr("the product with k = {} is added twice", first)
                        : tr("the products with k = {} to {} are added twice", first, last),
          tr("Where a tile hangs over k it still holds what the step before left there: put zeros "
             "where nothing is loaded. Otherwise follow k through the loops: which steps bring "
             "these "
             "in?")};
    }
  }
  return std::nullopt;
}

// Single precision has errors of some 2^-24 of the magnitude, while a missing term is far larger.
std::optional<Diagnosis> imprecise(const DgemmObservation& seen, const ReferenceProduct& expected) {
  for (std::size_t i = 0; i < seen.after.values.size(); ++i) {
    const double allowed = 0x1p-20 * expected.magnitude.values[i];
    if (!(std::abs(seen.after.values[i] - expected.product.values[i]) <= allowed)) {
      return std::nullopt;
    }
  }
  return Diagnosis{
      Pattern::imprecise,
      tr("all of them are right to several digits, so the arithmetic is less precise "
         "than double"),
      tr("Keep the factors, the tiles and the sum in double; a constant like 0.0f or a "
         "float variable on the way is enough to lose half of the digits.")};
}

std::optional<Diagnosis> location(const DgemmObservation& seen, const Comparison& comparison) {
  const bool unwritten =
      !comparison.any_wrong([&](std::size_t i) { return !was_left_unwritten(seen, i); });
  return recognise_location(comparison.is_wrong, seen.after.rows, seen.after.cols, seen.tile,
                            unwritten, {.matrix = "C", .bounds = "m and n"});
}

}  // namespace

std::optional<Diagnosis> diagnose_dgemm(const DgemmObservation& seen, bool first_call,
                                        const DgemmRerun& rerun) {
  const ReferenceProduct expected = multiply_add(seen.inputs);
  const Comparison comparison = compare(seen.after, expected);
  if (comparison.all_right()) return std::nullopt;
  if (!first_call) {
    const auto after = rerun(seen.before);
    if (after && compare(*after, expected).all_right()) return left_over_from_earlier_calls();
  }
  if (comparison.any_wrong([&](std::size_t i) { return std::isnan(seen.after.values[i]); })) {
    if (auto diagnosis = reads_c_for_beta_0(seen, rerun)) return diagnosis;
  }
  if (auto diagnosis = never_written(seen, comparison)) return diagnosis;
  if (auto diagnosis = all_zero(seen)) return diagnosis;
  if (auto diagnosis = not_a_number(seen, comparison)) return diagnosis;
  if (auto diagnosis = other_factors(seen, comparison)) return diagnosis;
  if (auto diagnosis = adds_beta_alone(seen)) return diagnosis;
  if (auto diagnosis = misplaced_factors(seen, comparison)) return diagnosis;
  if (auto diagnosis = transposed_factor(seen)) return diagnosis;
  if (auto diagnosis = part_of_the_sum(seen, comparison)) return diagnosis;
  if (auto diagnosis = terms_added_twice(seen, comparison)) return diagnosis;
  if (auto diagnosis = imprecise(seen, expected)) return diagnosis;
  auto place = location(seen, comparison);
  if (seen.inputs.beta != 0) return place;  // each row of C holds its own beta * C
  auto moved = recognise_moved_row(seen.after, expected, comparison);
  if (!moved) moved = recognise_moved_elements(seen.after, expected, comparison);
  if (moved && place) moved->what = place->what + "; " + moved->what;
  return moved ? moved : place;
}

}  // namespace tilewise::grading
