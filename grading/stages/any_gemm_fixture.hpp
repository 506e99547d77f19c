#pragma once

#include <array>

#include "grading/examiner/matrix_fixtures.hpp"

namespace tilewise::grading {

/// Base of the graders whose functions are BLAS's DGEMM, for any shape and any leading dimensions.
class AnyGemmTest : public DgemmTest {
 protected:
  struct Shape {
    int m, n, k;
  };

  struct Factors {
    double alpha, beta;
  };

  /// Elements between the end of a row and the start of the next.
  struct Gaps {
    int a, b, c;
  };

  static constexpr Factors product_alone = {1, 0};
  static constexpr Gaps no_gaps = {0, 0, 0};

  void SetUp() override;

  static DgemmCase of(const DgemmFunction& function, Shape shape, Factors factors = product_alone,
                      Gaps gaps = no_gaps);

  /// Expects right products for any shape, no writes outside of C, empty calls to do nothing, and
  /// invalid calls to be refused. The checks come one after another, so that a mistake is reported
  /// for the simplest call that it affects.
  void expect_any_shape(const DgemmFunction& function);

  void expect_bad_arguments_refused(const DgemmFunction& function);

  static constexpr std::array<Factors, 11> all_factors = {{{2.1, 0},
                                                           {1, 1},
                                                           {-1, 1},
                                                           {0.7, -1.3},  // not exact as floats
                                                           {1, -1},
                                                           {-1, 0},
                                                           {1, 0.375},
                                                           {-3, 2},
                                                           {0, 0.5},
                                                           {0, 1},
                                                           {0, 0}}};

  /// Gaps in one matrix alone, to show whose row length is wrong, and then in all.
  static constexpr std::array<Gaps, 5> all_gaps = {
      {{5, 0, 0}, {0, 7, 0}, {0, 0, 9}, {1, 2, 3}, {96, 33, 65}}};

  /// One leading dimension alone is odd, though all sizes are even: rows do not begin at whole
  /// vectors, which the sizes do not show.
  static constexpr std::array<Gaps, 3> odd_gaps = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};

  static constexpr Shape bystander = {20, 24, 28};

  static bool is_of_first_gpus() { return !options().on_gpu() && capability().serves_half_warps; }
};

}  // namespace tilewise::grading
