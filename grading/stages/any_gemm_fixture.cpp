#include "grading/stages/any_gemm_fixture.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>
#include <optional>

#include "common/base/language.hpp"

namespace tilewise::grading {

void AnyGemmTest::SetUp() {
  DgemmTest::SetUp();
  const core::GpuProfile& gpu = options().profile;
  if (options().on_gpu() || capability().has_double_precision) return;
  skip(tr("{} has no double precision, which came with compute capability 1.3.", gpu.name),
       tr("Grade with --gpu gtx280, or a later one."));
}

DgemmCase AnyGemmTest::of(const DgemmFunction& function, Shape shape, Factors factors, Gaps gaps) {
  const auto [m, n, k] = shape;
  return {.function = function,
          .m = m,
          .n = n,
          .k = k,
          .alpha = factors.alpha,
          .beta = factors.beta,
          .lda = std::max(k, 1) + gaps.a,
          .ldb = std::max(n, 1) + gaps.b,
          .ldc = std::max(n, 1) + gaps.c};
}

void AnyGemmTest::expect_any_shape(const DgemmFunction& function) {
  // Tiles of 16, 32 and 64 divide these. The first shapes with different sides are small, so that a
  // wrong row length shows in the result, and not by a crash.
  constexpr std::array<Shape, 9> whole = {{{64, 64, 64},
                                           {16, 16, 16},
                                           {32, 64, 128},
                                           {64, 128, 32},
                                           {128, 32, 64},
                                           {16, 128, 64},
                                           {128, 16, 192},
                                           {64, 64, 16},
                                           {192, 256, 128}}};
  for (const Shape shape : whole) expect_right(of(function, shape));
  for (const Factors& factors : all_factors) expect_inside(of(function, {48, 32, 64}, factors));
  for (const Gaps& gaps : all_gaps) {
    expect_inside(of(function, {32, 48, 64}, product_alone, gaps));
    expect_inside(of(function, {48, 64, 32}, {1.5, -0.5}, gaps));
  }

  constexpr std::array<Shape, 24> ragged = {
      {{31, 31, 31}, {33, 33, 33},  {64, 64, 63},  {64, 64, 65},   {64, 63, 64},  {63, 64, 64},
       {65, 64, 64}, {64, 65, 64},  {15, 17, 16},  {17, 15, 31},   {33, 31, 47},  {37, 101, 53},
       {97, 61, 13}, {131, 67, 29}, {50, 130, 70}, {129, 127, 17}, {3, 5, 7},     {2, 1, 3},
       {1, 1, 1},    {1, 97, 1},    {97, 1, 1},    {3, 2, 1501},   {1201, 7, 19}, {7, 1201, 19}}};
  for (std::size_t i = 0; i < ragged.size(); ++i) {
    expect_right(of(function, ragged[i]));
    // 11 and 5 are coprime, so the factors meet other gaps every time.
    expect_inside(of(function, ragged[i], all_factors[i % all_factors.size()],
                     all_gaps[i % all_gaps.size()]));
  }

  for (const Factors& factors : all_factors) {
    expect_inside(of(function, {33, 21, 0}, factors, {4, 0, 3}));
  }
  for (const Shape shape : {Shape{0, 20, 5}, Shape{20, 0, 5}, Shape{0, 0, 5}, Shape{0, 20, 0}}) {
    expect_nothing_done(of(function, shape, {1.5, 0.5}));
  }
  // This has more rows than a grid may have blocks of 16 rows along y. On compute capability 1.x a
  // grid along x ends there, too.
  if (!is_of_first_gpus()) {
    expect_right_with_many_blocks(of(function, {65'535 * 16 + 1, 1, 1}));
  }
  expect_bad_arguments_refused(function);
  expect_right(of(function, bystander));
}

void AnyGemmTest::expect_bad_arguments_refused(const DgemmFunction& function) {
  const DgemmCase allocated = of(function, bystander, {1.5, 0.5});
  const auto expect_negative_refused = [&](int DgemmCase::*side, const std::string& reason) {
    for (const int negative : {-1, -16, std::numeric_limits<int>::min()}) {
      DgemmCase bad = allocated;
      bad.*side = negative;
      expect_refused(bad, allocated, reason);
    }
  };
  expect_negative_refused(&DgemmCase::m, tr("m is negative"));
  expect_negative_refused(&DgemmCase::n, tr("n is negative"));
  expect_negative_refused(&DgemmCase::k, tr("k is negative"));
  const auto expect_close_rows_refused = [&](std::optional<int> DgemmCase::*distance, int width,
                                             const std::string& reason) {
    for (const int too_small : {width - 1, width / 2, -width}) {
      DgemmCase bad = allocated;
      bad.*distance = too_small;
      expect_refused(bad, allocated, reason);
    }
  };
  expect_close_rows_refused(&DgemmCase::lda, bystander.k,
                            tr("lda is less than k: rows of A overlap"));
  expect_close_rows_refused(&DgemmCase::ldb, bystander.n,
                            tr("ldb is less than n: rows of B overlap"));
  expect_close_rows_refused(&DgemmCase::ldc, bystander.n,
                            tr("ldc is less than n: rows of C overlap"));
}

}  // namespace tilewise::grading
