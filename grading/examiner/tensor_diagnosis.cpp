// Recognises mistakes in the use of tensor cores: parts of fragments that have changed places, and
// products of the parts of split numbers that are left out.
#include <fmt/format.h>

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <string>

#include "common/base/language.hpp"
#include "grading/examiner/diagnosis.hpp"

namespace tilewise::grading {
namespace {

constexpr int part_side = 8;  // side of what ldmatrix loads, and of a register of a fragment

/// The place that a part of 8 x 8 elements comes from as a whole.
struct Origin {
  int row, col;
};

std::optional<Origin> origin_of(const PlaceOfElement& place_of, int n, int first_row,
                                int first_col) {
  const auto start = place_of(first_row, first_col);
  if (!start) return std::nullopt;
  for (int row = 0; row < part_side; ++row) {
    for (int col = 0; col < part_side; ++col) {
      const auto place = place_of(first_row + row, first_col + col);
      if (!place || *place != *start + long(row) * n + col) return std::nullopt;
    }
  }
  return Origin{static_cast<int>(*start / n), static_cast<int>(*start % n)};
}

std::string span_of(Origin part) {
  return tr("rows {} to {}, columns {} to {}", part.row, part.row + part_side - 1, part.col,
            part.col + part_side - 1);
}

/// Returns what a tensor core reads of a float: its upper 19 bits, rounded.
float to_tf32(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  return std::bit_cast<float>((bits + 0x1000U) & ~0x1fffU);
}

/// Multiplies one part of each factor, the large or the small one.
Matrix<double> multiply_parts(const Matrix<float>& A, const Matrix<float>& B, bool small_A,
                              bool small_B) {
  const auto part = [](float value, bool is_small) {
    const float big = to_tf32(value);
    return double(is_small ? to_tf32(value - big) : big);
  };
  Matrix<double> C(A.rows, B.cols);
  for (int row = 0; row < A.rows; ++row) {
    for (int k = 0; k < A.cols; ++k) {
      const double a = part(A(row, k), small_A);
      for (int col = 0; col < B.cols; ++col) C(row, col) += a * part(B(k, col), small_B);
    }
  }
  return C;
}

double dot(const Matrix<double>& a, const Matrix<double>& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.values.size(); ++i) sum += a.values[i] * b.values[i];
  return sum;
}

}  // namespace

std::optional<Diagnosis> recognise_moved_parts(const PlaceOfElement& place_of, int n,
                                               const char* coded, bool by_fragments) {
  constexpr int side = 16;  // of a fragment
  if (n < side) return std::nullopt;
  std::string moved;
  for (int row = 0; row < side; row += part_side) {
    for (int col = 0; col < side; col += part_side) {
      const auto origin = origin_of(place_of, n, row, col);
      if (!origin) return std::nullopt;
      if (origin->row == row && origin->col == col) continue;
      moved += tr("{}where its {} belong stand its {}", moved.empty() ? "" : ", ",
                  span_of({row, col}), span_of(*origin));
    }
  }
  if (moved.empty()) return std::nullopt;
  return Diagnosis{
      Pattern::misplaced,
      tr("{} is multiplied in parts of 8 x 8 elements, and some have changed places: {}", coded,
         moved),
      by_fragments
          ? tr("Each register of a fragment is one part. For A of mma.m16n8k16 they come in this "
               "order: "
               "rows 0 to 7, rows 8 to 15, both of k 0 to 7, then the same of k 8 to 15; for B k 0 "
               "to 7, "
               "then k 8 to 15. Lanes 0 to 7 give ldmatrix the rows of the first part, lanes 8 to "
               "15 "
               "those of the second, and so on: look at the row and the column that a lane makes "
               "of its "
               "number.")
          : tr("Whole parts are right in themselves and stand for one another: look at what says "
               "which one is fetched, the step's first row and column, and which buffer it is "
               "stored in and read from; all must be of the same step."),
      coded};
}

std::optional<Diagnosis> recognise_split_products(const Observation& seen) {
  const Matrix<double> small_A = multiply_parts(seen.A, seen.B, true, false);
  const Matrix<double> small_B = multiply_parts(seen.A, seen.B, false, true);
  Matrix<double> rest = multiply_parts(seen.A, seen.B, false, false);
  for (std::size_t i = 0; i < rest.values.size(); ++i) {
    rest.values[i] = seen.after.values[i] - rest.values[i];
  }
  // Computes how often each of the two products is in what the result has beside the product of the
  // large parts.
  const double aa = dot(small_A, small_A), ab = dot(small_A, small_B), bb = dot(small_B, small_B);
  const double ra = dot(rest, small_A), rb = dot(rest, small_B);
  const double determinant = aa * bb - ab * ab;
  if (!(determinant > 1e-6 * aa * bb)) return std::nullopt;
  const std::array times = {(ra * bb - rb * ab) / determinant, (rb * aa - ra * ab) / determinant};
  std::array<long, 2> counts = {};
  for (std::size_t i = 0; i < times.size(); ++i) {
    counts[i] = std::lround(times[i]);
    constexpr double noise = 0.1;
    if (!(std::abs(times[i] - double(counts[i])) < noise)) return std::nullopt;
  }
  if (counts[0] == 1 && counts[1] == 1) return std::nullopt;
  return Diagnosis{
      Pattern::imprecise,
      tr("beside the product of the large parts, that of A's small and B's large ones is in it {} "
         "times, and that of A's large and B's small ones {} times",
         counts[0], counts[1]),
      tr("Each of the three products is to be added once: large x large, small x large and large x "
         "small. Look at the two fragments of each mma, and at what is left for the small part: "
         "x - to_tf32(x), rounded to TF32 again.")};
}

}  // namespace tilewise::grading
