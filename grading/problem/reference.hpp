#pragma once

#include <cstddef>
#include <vector>

#include "grading/problem/inputs.hpp"
#include "grading/problem/matrix.hpp"

namespace tilewise::grading {

/// While an object of this class exists, each thread that asks for a reference computes it alone,
/// because several threads do so side by side. OpenBLAS would share the work with threads of its
/// own, and ends those whenever this process forks: a thread that waits for one of them then waits
/// for ever.
class ReferencesWithoutThreads {
 public:
  ReferencesWithoutThreads();
  ~ReferencesWithoutThreads();
  ReferencesWithoutThreads(const ReferencesWithoutThreads&) = delete;
  ReferencesWithoutThreads& operator=(const ReferencesWithoutThreads&) = delete;

 private:
  int threads_before_;
};

/// A * B in double precision, or some rows of it.
struct ReferenceProduct {
  std::vector<int> rows;     ///< rows of the product that were computed, ascending
  Matrix<double> product;    ///< (rows.size(), n), row i is row rows[i] of A * B
  Matrix<double> magnitude;  ///< |A| * |B|, of the same shape: what rounding errors scale with
  int summation_length = 0;  ///< terms in each element
};

/// Computes all rows of A * B; A is (m, k), B is (k, n).
ReferenceProduct multiply(const Matrix<float>& A, const Matrix<float>& B);

/// Computes only the given rows of A * B, because large products are checked by a sample.
ReferenceProduct multiply_rows(const Matrix<float>& A, const Matrix<float>& B,
                               std::vector<int> rows);

/// Returns the sum of all elements in double precision.
double sum_of(const Matrix<float>& x);

/// Returns `count` different rows out of `rows`, ascending, the first and the last among them;
/// returns all of them if there are no more than that.
std::vector<int> sample_rows(int rows, int count, Random& random);

/// Returns the largest error that a correct single-precision sum of products may have.
///
/// Each term of a sum of `summation_length` products passes through at most that many roundings of
/// relative size u = 2^-24, in whatever order it is summed, with or without fused multiply-add.
/// Taken as independent with mean zero they amount to no more than exp(lambda sqrt(k) u + k u^2 /
/// (1 - u)) - 1 with a probability of at least 1 - 2 exp(-lambda^2 (1 - u)^2 / 2), relative to
/// `magnitude` = sum |a_i b_i| (Higham and Mary, "A new approach to probabilistic rounding error
/// analysis", SIAM J. Sci. Comput. 41, 2019, theorems 2.4 and 3.1). The classical bound k u would
/// be safe too, but lets half precision pass from about k = 1000 on.
double tolerance(int summation_length, double magnitude);

/// Returns the same in double precision. Then the reference is no more precise, so that the errors
/// of two sums count; alpha and beta add three roundings to each term.
double tolerance_double(int summation_length, double magnitude);

/// What is known about the roundings in a sum.
enum class Roundings {
  independent,  ///< its terms are random, so that most of their roundings cancel out
  any,          ///< all may go the same way, as in a sequence that counts up; k u bounds them
  /// The sums of a tensor core, which cuts off where it adds, and of products that are made of
  /// three in TF32. Each product may lack 32 u more: its two factors lack 8 u each, since their
  /// parts hold 11 bits of 24 and are cut off, and the product of the small parts is left out, 16 u
  /// at most. A single product in TF32 lacks 2^13 u.
  of_tensor_cores,
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

/// Compares the rows of C that the reference has; C itself has all rows. NaN is wrong.
Comparison compare(const Matrix<float>& C, const ReferenceProduct& reference,
                   Roundings roundings = Roundings::independent);
Comparison compare(const Matrix<double>& C, const ReferenceProduct& reference,
                   Roundings roundings = Roundings::independent);

/// The inputs of C = alpha * A * B + beta * C; A is (m, k), B is (k, n) and C is (m, n).
struct GemmInputs {
  double alpha = 1;
  Matrix<double> A;
  Matrix<double> B;
  double beta = 0;
  Matrix<double> C;  ///< before the call
};

/// Computes alpha * A * B + beta * C by BLAS's rules: A and B may hold NaN where alpha is 0, and C
/// where beta is 0. The magnitude is |alpha| * |A| * |B| + |beta| * |C|.
ReferenceProduct multiply_add(const GemmInputs& inputs);

/// Computes only the given rows of it, because large products are checked by a sample.
ReferenceProduct multiply_add_rows(const GemmInputs& inputs, std::vector<int> rows);

/// The system A * X = alpha * B. A is (m, m), of which only the lower triangle with the diagonal
/// counts; B and X are (m, n).
struct TriangularSystem {
  double alpha = 1;
  Matrix<double> A;
  Matrix<double> B;
};

/// Computes X by substitution.
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
/// Residuals show which rows went wrong first, but not which elements. If a residual is wrong,
/// elements are compared with solve(), within |A^-1| times twice the bound. NaN is wrong.
Comparison check_solution(const TriangularSystem& system, const Matrix<double>& X);

/// Whether all residuals stay below `factor` times |A| |X| + |alpha B|.
bool solves_roughly(const TriangularSystem& system, const Matrix<double>& X, double factor);

}  // namespace tilewise::grading
