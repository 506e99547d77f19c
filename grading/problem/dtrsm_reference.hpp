#pragma once

#include "grading/problem/compare.hpp"
#include "grading/problem/matrix.hpp"

namespace tilewise::grading {

/// A * X = alpha * B; A: (m, m), of which only the lower triangle with the diagonal counts, B and
/// X: (m, n).
struct TriangularSystem {
  double alpha = 1;
  Matrix<double> A;
  Matrix<double> B;
};

/// X by substitution.
Matrix<double> solve(const TriangularSystem& system);

/// Judges a solution by its residual R = alpha * B - A * X: each element of it has to satisfy
///
///     |R| <= 3 (m + 32) u |D| |D^-1| (|A| |X| + |alpha B|),  u = 2^-53,
///
/// where D is the block diagonal of A in blocks of 32. Substitution in any order satisfies it with
/// m u (|A| |X| + |alpha B|) alone, also by blocks and recursively (Higham, "Accuracy and Stability
/// of Numerical Algorithms", 2nd edition, theorem 8.5 and section 13.2); rounding errors of the
/// residual itself count as much again. Solvers that invert the blocks of the diagonal and multiply
/// by the inverses need the factor |D| |D^-1| (section 14.2), which is small for matrices from
/// random_lower_triangle(). Single precision exceeds it in most elements by a factor of thousands.
///
/// Residuals tell which rows went wrong first, not which elements: where there is a wrong one,
/// elements are compared with solve(), within |A^-1| times twice the bound. NaN is wrong.
Comparison check_solution(const TriangularSystem& system, const Matrix<double>& X);

/// Whether all residuals stay below `factor` times |A| |X| + |alpha B|.
bool solves_roughly(const TriangularSystem& system, const Matrix<double>& X, double factor);

}  // namespace tilewise::grading
