#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "common/base/language.hpp"
#include "grading/examiner/device_array.hpp"
#include "grading/examiner/diagnosis.hpp"

namespace tilewise::grading {
namespace {

constexpr int block_order = 32;

template <typename Predicate>
bool any_element(const Matrix<double>& matrix, Predicate predicate) {
  return std::ranges::any_of(matrix.values, predicate);
}

std::optional<Diagnosis> unchanged(const DtrsmObservation& seen) {
  if (seen.X.values != seen.system.B.values) return std::nullopt;
  return Diagnosis{
      Pattern::never_written, tr("B still holds what it held before the call"),
      tr("The solution X goes where B is: check that the kernel is launched and stores "
         "its result.")};
}

std::optional<Diagnosis> not_a_number(const DtrsmObservation& seen) {
  if (any_element(seen.X, [](double x) { return has_bits(x, guard_bits_double); })) {
    if (seen.system.alpha == 0) {
      return Diagnosis{Pattern::reads_outside,
                       tr("NaN that B and A hold is left although alpha is 0"),
                       tr("With alpha = 0, B becomes 0 whatever B and A hold, and 0 * NaN is NaN: "
                          "store zeros, and read neither of them.")};
    }
    return Diagnosis{
        Pattern::reads_outside,
        tr("NaN got into the result that lies above the diagonal of A, in the gaps between rows "
           "and "
           "around the matrices"),
        tr("Only A[row][col] with col <= row is the matrix; element (row, col) lies at row * lda + "
           "col. Multiplying what lies elsewhere by zero does not help: do not load it.")};
  }
  if (!any_element(seen.X, [](double x) { return !std::isfinite(x); })) return std::nullopt;
  return Diagnosis{
      Pattern::not_a_number, tr("there are NaN or infinities among the results"),
      tr("They come from a division by something that is not the diagonal of A, or from "
         "a variable or shared tile that is read before it is set.")};
}

TriangularSystem with_unit_diagonal(TriangularSystem system) {
  for (int i = 0; i < system.A.rows; ++i) system.A(i, i) = 1;
  return system;
}

TriangularSystem with_inverted_diagonal(TriangularSystem system) {
  for (int i = 0; i < system.A.rows; ++i) system.A(i, i) = 1 / system.A(i, i);
  return system;
}

// Dividing a row before the products are subtracted acts as if the row's elements of A left of the
// diagonal were multiplied by the diagonal element.
TriangularSystem with_early_division(TriangularSystem system) {
  for (int row = 0; row < system.A.rows; ++row) {
    for (int col = 0; col < row; ++col) system.A(row, col) *= system.A(row, row);
  }
  return system;
}

// Multiplies A's elements below the diagonal by a factor: all of them, or only those whose row and
// column are in different blocks.
TriangularSystem with_updates_times(double factor, bool between_blocks_only,
                                    TriangularSystem system) {
  for (int row = 0; row < system.A.rows; ++row) {
    for (int col = 0; col < row; ++col) {
      if (between_blocks_only && row / block_order == col / block_order) continue;
      system.A(row, col) *= factor;
    }
  }
  return system;
}

TriangularSystem with_alpha(double alpha, TriangularSystem system) {
  system.alpha = alpha;
  return system;
}

std::optional<Diagnosis> other_system(const DtrsmObservation& seen) {
  const TriangularSystem& system = seen.system;
  const struct {
    TriangularSystem solved;
    std::string what;
    std::string hint;
  } cases[] = {
      {with_alpha(1, system), tr("X solves A * X = B: alpha is left out"),
       tr("Multiply B by alpha once, before anything is subtracted from it.")},
      {with_alpha(system.alpha * system.alpha, system), tr("alpha is applied twice"),
       tr("Multiply B by alpha once; what a solve of a block gets as its right-hand side is scaled "
          "already.")},
      {with_unit_diagonal(system), tr("X solves a system with ones on the diagonal"),
       tr("Each element is divided by its diagonal element A[row][row].")},
      {with_inverted_diagonal(system),
       tr("X is multiplied by the diagonal where it should be divided"),
       tr("Divide by A[row][row].")},
      {with_early_division(system),
       tr("each row is divided by its diagonal element before the products are subtracted from it"),
       tr("Divide row i once all products A[i][k] * X[k] with k < i are subtracted from it, not "
          "before.")},
      {with_updates_times(0, false, system),
       tr("each row is only divided by its diagonal element, as if A were diagonal"),
       tr("Before row i is divided, the products A[i][k] * X[k] with all k < i are subtracted from "
          "it.")},
      {with_updates_times(0, true, system),
       tr("each block of 32 rows is solved by itself, without what the rows above it contribute"),
       tr("Once X is known for a block of rows, subtract A * X of that block from all rows below, "
          "before the next block is solved.")},
      {with_updates_times(-1, false, system), tr("products are added that should be subtracted"),
       tr("X[i] = (alpha * B[i] - sum of A[i][k] * X[k]) / A[i][i].")},
      {with_updates_times(-1, true, system),
       tr("what the blocks of rows above contribute is added where it should be subtracted"),
       tr("An update is B2 = B2 - A21 * X1: a product with alpha = -1 and beta = 1.")},
  };
  for (const auto& c : cases) {
    const bool same = c.solved.alpha == system.alpha && c.solved.A.values == system.A.values;
    if (same || !check_solution(c.solved, seen.X).all_right()) continue;
    return Diagnosis{Pattern::other_system, c.what, c.hint};
  }
  return std::nullopt;
}

// Recognises rows that were right when the rows below used them, but are stored without the
// division.
std::optional<Diagnosis> stored_undivided(const DtrsmObservation& seen) {
  Matrix<double> divided = seen.X;
  for (int row = 0; row < divided.rows; ++row) {
    for (int col = 0; col < divided.cols; ++col) divided(row, col) /= seen.system.A(row, row);
  }
  if (!check_solution(seen.system, divided).all_right()) return std::nullopt;
  return Diagnosis{
      Pattern::other_system,
      tr("each row is A[row][row] times the right one, and what the rows below it were given is "
         "right"),
      tr("Store the quotient: b / A[row][row] goes to the other rows, and b itself stays as it was "
         "and is stored in the end. b /= A[row][row] changes b, too.")};
}

// Single precision has errors of some 2^-24, while a missing term is far larger.
std::optional<Diagnosis> imprecise(const DtrsmObservation& seen) {
  if (!solves_roughly(seen.system, seen.X, 0x1p-18)) return std::nullopt;
  return Diagnosis{
      Pattern::imprecise,
      tr("all of them are right to several digits, so the arithmetic is less precise "
         "than double"),
      tr("Keep A, B and X in double throughout; a constant like 1.0f or a float variable "
         "on the way is enough to lose half of the digits.")};
}

// A mistake in one row spoils the rows below it.
std::optional<Diagnosis> first_rows(const DtrsmObservation& seen, const Comparison& comparison) {
  const int first_wrong = comparison.row;
  if (first_wrong == 0) return std::nullopt;
  for (int row = first_wrong + 1; row < seen.X.rows; ++row) {
    const auto begin = comparison.is_wrong.begin() + std::ptrdiff_t(row) * seen.X.cols;
    if (std::find(begin, begin + seen.X.cols, true) == begin + seen.X.cols) return std::nullopt;
  }
  const bool block_begins = first_wrong % block_order == 0;
  const double alpha = seen.system.alpha;
  const std::string of_alpha =
      alpha == 1 ? ""
                 : tr(" Where calls with alpha = 1 are right: alpha, here {}, comes in once for "
                      "each row, with the first thing that is done to it.",
                      alpha);
  return Diagnosis{
      Pattern::first_rows_only,
      tr("{} right, and from row {} on each has wrong elements",
         first_wrong == 1 ? tr("row 0 is") : tr("rows 0 to {} are", first_wrong - 1), first_wrong),
      block_begins
          ? tr("A block of 32 rows begins there: check what is subtracted from it, and that "
               "this is complete before the block is solved.") +
                of_alpha
          : tr("Each row needs all rows above it: check the first wrong one, for its last "
               "product, and for the way that the unknowns above come to it: a barrier "
               "before they are read, or the lane that a shuffle takes them from.")};
}

std::optional<Diagnosis> location(const DtrsmObservation& seen, const Comparison& comparison) {
  return recognise_location(comparison.is_wrong, seen.X.rows, seen.X.cols, seen.tile, false,
                            {.matrix = "X", .bounds = "m and n"});
}

}  // namespace

std::optional<Diagnosis> diagnose_dtrsm(const DtrsmObservation& seen, bool first_call,
                                        const DtrsmRerun& rerun) {
  const Comparison comparison = check_solution(seen.system, seen.X);
  if (comparison.all_right()) return std::nullopt;
  if (!first_call) {
    const auto X = rerun();
    if (X && check_solution(seen.system, *X).all_right()) return left_over_from_earlier_calls();
  }
  if (auto diagnosis = unchanged(seen)) return diagnosis;
  if (auto diagnosis = not_a_number(seen)) return diagnosis;
  if (auto diagnosis = other_system(seen)) return diagnosis;
  if (auto diagnosis = stored_undivided(seen)) return diagnosis;
  if (auto diagnosis = imprecise(seen)) return diagnosis;
  if (auto diagnosis = first_rows(seen, comparison)) return diagnosis;
  return location(seen, comparison);
}

}  // namespace tilewise::grading
