#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "grading/problem/matrix.hpp"
#include "grading/problem/reference.hpp"

namespace tilewise::grading {

/// The part of C that one block computes at a time, in elements.
struct TileShape {
  int width = 1;   ///< along a row of C
  int height = 1;  ///< along a column of C
};

/// One wrong call of a function that is to compute C = A * B; all matrices are (n, n).
struct Observation {
  const Matrix<float>& A;
  const Matrix<float>& B;
  const Matrix<float>& before;  ///< C as the function found it
  const Matrix<float>& after;   ///< C as the function left it
  const ReferenceProduct& expected;
  TileShape tile;
  /// C is cut into parts of this size, and each thread has a place in every part.
  std::optional<TileShape> part = std::nullopt;
  bool in_halves = false;  ///< A and B hold halves, in which whole numbers up to 2048 are exact
  /// Each factor is to be multiplied as the sum of two TF32 numbers, a large and a small one.
  bool is_split = false;
};

/// Mistakes that can be recognised from a wrong matrix.
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

/// A recognised mistake, in words for a student.
struct Diagnosis {
  Pattern pattern;
  std::string what;        ///< continues "... elements are wrong: "
  std::string hint;        ///< what to look at next; empty if the pattern suggests nothing special
  std::string input = {};  ///< the input that is read at a wrong place: "B"; empty: unknown
  bool is_sure = false;    ///< it is certainly this factor, and not the other one
};

/// Looks for the mistake behind a wrong result. Returns nothing if C is right, or wrong in no known
/// way.
std::optional<Diagnosis> recognise(const Observation& observation);

/// Recognises a product in double precision in which the first wrong element, and at least half of
/// all wrong elements, hold values that are right in other places.
std::optional<Diagnosis> recognise_moved_elements(const Matrix<double>& after,
                                                  const ReferenceProduct& expected,
                                                  const Comparison& comparison);

/// Recognises a product whose first wrong row, or column, is the right one for another place.
std::optional<Diagnosis> recognise_moved_row(const Matrix<double>& after,
                                             const ReferenceProduct& expected,
                                             const Comparison& comparison);
std::optional<Diagnosis> recognise_moved_row(const Matrix<float>& after,
                                             const ReferenceProduct& expected,
                                             const Comparison& comparison);

/// How often each product was added, where that number is the same for all elements. If A is the
/// identity, row k of C is row k of B times that number; if B is the identity, the same holds for
/// the columns of C and A.
struct CountedProducts {
  std::string what;  ///< continues a sentence; empty: nothing is known
  std::string hint;
};
CountedProducts tell_products(const Matrix<float>& after, const Matrix<float>& code, bool by_rows);

/// Finds out which element of x each column of A was multiplied by in y = A * x, where A has at
/// least as many rows as columns. Returns nothing if that does not explain y.
/// @param x (A.cols, 1)
/// @param y A.rows elements
std::optional<Diagnosis> recognise_factors_of_columns(const Matrix<float>& A,
                                                      const Matrix<float>& x,
                                                      const std::vector<double>& y);

/// What messages call a matrix and the bounds of its rows and columns.
struct MatrixWords {
  const char* matrix = "C";
  const char* bounds = "n";
};

/// Recognises a mistake from the places of the wrong elements of C. `is_wrong` is (rows, cols);
/// `unwritten` says that none of the wrong elements was written. Returns nothing if they lie all
/// over C.
std::optional<Diagnosis> recognise_location(const std::vector<bool>& is_wrong, int rows, int cols,
                                            TileShape tile, bool unwritten,
                                            const MatrixWords& words = {});

/// Does the same for a C of order n.
inline std::optional<Diagnosis> recognise_location(const std::vector<bool>& is_wrong, int n,
                                                   TileShape tile, bool unwritten) {
  return recognise_location(is_wrong, n, n, tile, unwritten);
}

/// Says which parts of C are wrong, if each part is either right or wrong in all of its elements.
/// `is_wrong` is (n, n).
std::optional<Diagnosis> recognise_parts(const std::vector<bool>& is_wrong, int n, TileShape part);

/// Returns which element of a factor stands at (row, col) of a product with the identity, as that
/// element's row * n + col. Returns nothing if no element of the factor stands there.
using PlaceOfElement = std::function<std::optional<long>(int row, int col)>;

/// Says which parts of 8 x 8 elements have changed places in the first 16 rows and columns;
/// fragments of tensor cores consist of such parts. Returns nothing if anything else has happened.
/// `coded` is the factor's name. `by_fragments` says that the function works with fragments.
std::optional<Diagnosis> recognise_moved_parts(const PlaceOfElement& place_of, int n,
                                               const char* coded, bool by_fragments);

/// Says how often each product of a small and a large part was added, in a result of split factors
/// that is right except for its last digits. Returns nothing if each was added once, or if one was
/// added some fraction of a time.
std::optional<Diagnosis> recognise_split_products(const Observation& observation);

/// The diagnosis for results that contain a NaN which a kernel has written.
Diagnosis not_a_number_found();

/// Returns what to look at if a sum has only the first `terms` of `all` products, and either one
/// product is missing or, although tiles of `tile` columns divide `all`, a whole step. Otherwise
/// empty.
std::string advice_on_missing_end(int terms, int all, int tile);

/// The diagnosis for a wrong result that is right when a fresh process makes the same call.
Diagnosis left_over_from_earlier_calls();

/// Calls the function under test again with other data, in a fresh process, and returns what C
/// holds afterwards. Returns nothing if the call failed.
using Rerun = std::function<std::optional<Matrix<float>>(
    const Matrix<float>& A, const Matrix<float>& B, const Matrix<float>& before)>;

/// Names the mistake behind a wrong result as well as possible: from the result itself, and from
/// more calls where that is not enough. `first_call` says that the process had made no call before
/// this one.
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
/// returns what C holds afterwards. Returns nothing if the call failed.
using DgemmRerun = std::function<std::optional<Matrix<double>>(const Matrix<double>& before)>;

/// Writes ascending numbers as runs: "0 to 7, 16".
std::string in_runs(const std::vector<int>& numbers);

/// Describes how the rows and columns with wrong elements repeat: ", where col % 4 = 1 to 3". Empty
/// where nothing repeats.
std::string what_repeats(const std::vector<bool>& is_wrong, int rows, int cols);

/// Names the mistake behind a wrong result as well as possible. `first_call` says that the process
/// had made no call before this one.
std::optional<Diagnosis> diagnose_dgemm(const DgemmObservation& observation, bool first_call,
                                        const DgemmRerun& rerun);

/// One wrong call of a function that is to solve A * X = alpha * B and to store X in place of B.
struct DtrsmObservation {
  const TriangularSystem& system;
  const Matrix<double>& X;  ///< what the function left in place of B
  TileShape tile;           ///< elements of X that one block computes at a time
};

/// Makes the same call in a fresh process, and returns what it leaves in place of B. Returns
/// nothing if the call failed.
using DtrsmRerun = std::function<std::optional<Matrix<double>>()>;

/// Names the mistake behind a wrong solution as well as possible. `first_call` says that the
/// process had made no call before this one.
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

/// Looks for the mistake behind a wrong transpose. Returns nothing if out is right, or wrong in no
/// known way.
std::optional<Diagnosis> recognise_transpose(const TransposeObservation& seen);

}  // namespace tilewise::grading
