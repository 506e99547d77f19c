#pragma once

#include <cstddef>
#include <vector>

#include "grading/problem/reference.hpp"

namespace tilewise::grading {

/// Largest error a correct single-precision sum of products may have.
///
/// Each term of a sum of `summation_length` products passes through at most that many roundings of
/// relative size u = 2^-24, in whatever order it is summed, with or without fused multiply-add.
/// Taken as independent with mean zero they amount to no more than exp(lambda sqrt(k) u + k u^2 /
/// (1 - u)) - 1 with a probability of at least 1 - 2 exp(-lambda^2 (1 - u)^2 / 2), relative to
/// `magnitude` = sum |a_i b_i| (Higham and Mary, "A new approach to probabilistic rounding error
/// analysis", SIAM J. Sci. Comput. 41, 2019, theorems 2.4 and 3.1). The classical bound k u would
/// be safe too, but lets half precision pass from about k = 1000 on.
double tolerance(int summation_length, double magnitude);

/// The same in double precision. The reference is no more precise then, so that the errors of two
/// sums count; alpha and beta add three roundings to each term.
double tolerance_double(int summation_length, double magnitude);

/// What is known of the roundings in a sum.
enum class Roundings {
  independent,  ///< its terms are random, so that most of their roundings cancel out
  any,          ///< as of a sequence that counts up: all may go the same way; k u holds them
};

/// Result of comparing a matrix with its reference.
struct Comparison {
  std::size_t wrong = 0;
  std::size_t compared = 0;
  std::vector<bool> is_wrong;  ///< shape of the reference's product

  /// First wrong element; meaningful if there is one.
  int row = 0;
  int col = 0;
  double found = 0;
  double expected = 0;
  double tolerance = 0;

  bool all_right() const { return wrong == 0; }

  /// Whether the predicate holds for the number of a wrong element.
  template <class Predicate>
  bool any_wrong(Predicate predicate) const {
    for (std::size_t i = 0; i < compared; ++i) {
      if (is_wrong[i] && predicate(i)) return true;
    }
    return false;
  }
};

/// Compares the reference's rows of C, a matrix of all rows; NaN is wrong.
Comparison compare(const Matrix<float>& C, const ReferenceProduct& reference,
                   Roundings roundings = Roundings::independent);
Comparison compare(const Matrix<double>& C, const ReferenceProduct& reference,
                   Roundings roundings = Roundings::independent);

}  // namespace tilewise::grading
