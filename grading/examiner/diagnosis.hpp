#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "grading/problem/matrix.hpp"
#include "grading/problem/reference.hpp"

namespace tilewise::grading {

/// Part of C that one block computes at a time, in elements.
struct TileShape {
  int width = 1;   ///< along a row of C
  int height = 1;  ///< along a column of C
};

/// One wrong call of a function that is to compute C = A * B; all matrices (n, n).
struct Observation {
  const Matrix<float>& A;
  const Matrix<float>& B;
  const Matrix<float>& before;  ///< C as the function found it
  const Matrix<float>& after;   ///< C as the function left it
  const ReferenceProduct& expected;
  TileShape tile;
  /// C is cut into parts of so many elements, and each thread has its place in all of them.
  std::optional<TileShape> part = std::nullopt;
  bool in_halves = false;  ///< A and B: whole numbers up to 2048 are exact
  /// Each factor is to be multiplied as the sum of two TF32 numbers, a large and a small one.
  bool is_split = false;
};

/// Mistakes that a wrong matrix gives away.
enum class Pattern {
  never_written,
  all_zero,
  reads_outside,
  not_a_number,
  accumulates,
  stale,
  transposed,
  factors_swapped,
  factor_taken_twice,
  first_factor_transposed,
  second_factor_transposed,
  sum_cut_short,
  sum_starts_late,
  offset,
  scaled,
  imprecise,
  edges_only,
  first_tile_only,
  whole_parts,
  sums_in_one,
  misplaced,
  term_left_out,
  term_repeated,
  part_unwritten,
  submatrix,
  repeating,
  copied,
  wrong_stride,
  tiles_not_swapped,
  tiles_not_transposed,
  square_part_only,
  tiles_missing,
  other_factors,
  other_system,
  first_rows_only,
};

/// A recognised mistake in words for a student.
struct Diagnosis {
  Pattern pattern;
  std::string what;        ///< continues "... elements are wrong: "
  std::string hint;        ///< what to look at next; empty if the pattern suggests nothing special
  std::string input = {};  ///< that is read at a wrong place, "B"; empty: none is known to be
  bool is_sure = false;    ///< that it is this one, and not the other factor
};

/// Looks for the mistake behind a wrong result. Nothing if C is right or wrong in no known way.
std::optional<Diagnosis> recognise(const Observation& observation);

/// Of a product in double precision whose first wrong element, and most of them, are right ones of
/// other places.
std::optional<Diagnosis> recognise_moved_elements(const Matrix<double>& after,
                                                  const ReferenceProduct& expected,
                                                  const Comparison& comparison);

/// Of a product whose first wrong row, or column, is the right one of another place.
std::optional<Diagnosis> recognise_moved_row(const Matrix<double>& after,
                                             const ReferenceProduct& expected,
                                             const Comparison& comparison);
std::optional<Diagnosis> recognise_moved_row(const Matrix<float>& after,
                                             const ReferenceProduct& expected,
                                             const Comparison& comparison);

/// How often each product counts, where that is the same for all elements. With A the identity, row
/// k of C is that of B times it, and so are columns with B the identity.
struct CountedProducts {
  std::string what;  ///< continues a sentence; empty: nothing is known
  std::string hint;
};
CountedProducts tell_products(const Matrix<float>& after, const Matrix<float>& code, bool by_rows);

/// Of y = A * x, which element of x each column of A was multiplied by, where A has as many rows as
/// columns or more. Nothing where that does not explain y.
/// @param x (A.cols, 1), y: A.rows of them
std::optional<Diagnosis> recognise_factors_of_columns(const Matrix<float>& A,
                                                      const Matrix<float>& x,
                                                      const std::vector<double>& y);

/// What messages call a matrix and the bounds of its rows and columns.
struct MatrixWords {
  const char* matrix = "C";
  const char* bounds = "n";
};

/// Tells a mistake from where the wrong elements of C lie. `is_wrong`: (rows, cols); `unwritten`:
/// none of the wrong elements was written. Nothing if they lie all over C.
std::optional<Diagnosis> recognise_location(const std::vector<bool>& is_wrong, int rows, int cols,
                                            TileShape tile, bool unwritten,
                                            const MatrixWords& words = {});

/// The same for a C of order n.
inline std::optional<Diagnosis> recognise_location(const std::vector<bool>& is_wrong, int n,
                                                   TileShape tile, bool unwritten) {
  return recognise_location(is_wrong, n, n, tile, unwritten);
}

/// Tells which parts of C are wrong, where some are right and the others wrong in all of their
/// elements. `is_wrong`: (n, n).
std::optional<Diagnosis> recognise_parts(const std::vector<bool>& is_wrong, int n, TileShape part);

/// Which element of a factor stands somewhere in a product with the identity: row * n + col;
/// nothing where none does.
using PlaceOfElement = std::function<std::optional<long>(int row, int col)>;

/// Tells which parts of 8 x 8 elements, as fragments of tensor cores consist of, have changed
/// places in the first 16 rows and columns. Nothing if anything else has happened. `coded`: the
/// factor. `by_fragments`: the function works with them.
std::optional<Diagnosis> recognise_moved_parts(const PlaceOfElement& place_of, int n,
                                               const char* coded, bool by_fragments);

/// Tells how often each product of a small and a large part is in a result that is right but for
/// its last digits, of factors that are split. Nothing if each is there once, or some other
/// fraction.
std::optional<Diagnosis> recognise_split_products(const Observation& observation);

/// Of results among which there are NaN that a kernel has written.
Diagnosis not_a_number_found();

/// What to look at where only the first `terms` of `all` products are in a sum, and one is missing
/// or, though tiles of `tile` columns divide them, a whole step; else empty.
std::string advice_on_missing_end(int terms, int all, int tile);

/// What is wrong with a call that a fresh process makes rightly.
Diagnosis left_over_from_earlier_calls();

/// Calls the function under test again with other data, in a fresh process, and tells what C holds
/// then. Nothing if the call failed.
using Rerun = std::function<std::optional<Matrix<float>>(
    const Matrix<float>& A, const Matrix<float>& B, const Matrix<float>& before)>;

/// Names the mistake behind a wrong result as well as it can: from the result itself, and from more
/// calls where that is not enough. `first_call`: the process had made no call before this one.
std::optional<Diagnosis> diagnose(const Observation& observation, bool first_call,
                                  const Rerun& rerun);

/// One wrong call of a function that is to compute C = alpha * A * B + beta * C.
struct DgemmObservation {
  const GemmInputs& inputs;
  const Matrix<double>& before;  ///< C as the function found it: NaN where beta is 0
  const Matrix<double>& after;   ///< C as the function left it
  TileShape tile;                ///< elements of C that one block computes
};

/// Calls the function under test again with the same A and B and another C, in a fresh process, and
/// tells what C holds then. Nothing if the call failed.
using DgemmRerun = std::function<std::optional<Matrix<double>>(const Matrix<double>& before)>;

/// Numbers that rise: "0 to 7, 16".
std::string in_runs(const std::vector<int>& numbers);

/// ", where col % 4 = 1 to 3": of the rows and columns with wrong elements; empty where nothing
/// repeats.
std::string what_repeats(const std::vector<bool>& is_wrong, int rows, int cols);

/// Names the mistake behind a wrong result as well as it can. `first_call`: the process had made no
/// call before this one.
std::optional<Diagnosis> diagnose_dgemm(const DgemmObservation& observation, bool first_call,
                                        const DgemmRerun& rerun);

/// One wrong call of a function that is to solve A * X = alpha * B, X over B.
struct DtrsmObservation {
  const TriangularSystem& system;
  const Matrix<double>& X;  ///< what the function left in place of B
  TileShape tile;           ///< elements of X that one block computes at a time
};

/// Makes the same call in a fresh process, and tells what it leaves in place of B. Nothing if the
/// call failed.
using DtrsmRerun = std::function<std::optional<Matrix<double>>()>;

/// Names the mistake behind a wrong solution as well as it can. `first_call`: the process had made
/// no call before this one.
std::optional<Diagnosis> diagnose_dtrsm(const DtrsmObservation& observation, bool first_call,
                                        const DtrsmRerun& rerun);

/// One call of a function that is to transpose.
struct TransposeObservation {
  const Matrix<float>& in;   ///< (rows, cols), no two elements equal
  const Matrix<float>& out;  ///< (cols, rows), as the function left it; unwritten before
  int tile = 32;  ///< side of the square tiles that in and out are thought to be cut into
};

/// Compares out with the transpose of in, bit for bit.
Comparison compare_transpose(const Matrix<float>& in, const Matrix<float>& out);

/// Looks for the mistake behind a wrong transpose. Nothing if out is right or wrong in no known
/// way.
std::optional<Diagnosis> recognise_transpose(const TransposeObservation& seen);

}  // namespace tilewise::grading
