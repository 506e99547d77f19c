#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <functional>
#include <string>

#include "grading/examiner/device_array.hpp"
#include "grading/examiner/diagnosis.hpp"
#include "grading/problem/inputs.hpp"

namespace tilewise::grading {
namespace {

using ::testing::HasSubstr;

constexpr int tile = 8;

/// A function under test on the host: in and out lie within guard bands, as on a device.
using Kernel = std::function<void(const float* in, float* out, int rows, int cols)>;

Matrix<float> run(const Kernel& kernel, const Matrix<float>& in) {
  DeviceArray device_in("in", in);
  DeviceArray device_out("out", Access::output, in.cols, in.rows);
  std::vector<std::byte> in_image(device_in.image_bytes()), out_image(device_out.image_bytes());
  device_in.store(in_image);
  device_out.store(out_image);
  kernel(reinterpret_cast<const float*>(in_image.data() + device_in.payload_offset()),
         reinterpret_cast<float*>(out_image.data() + device_out.payload_offset()), in.rows,
         in.cols);
  device_out.load(out_image);
  return device_out.contents();
}

Kernel for_each(const std::function<void(const float* in, float* out, int rows, int cols, int row,
                                         int col)>& element) {
  return [=](const float* in, float* out, int rows, int cols) {
    for (int row = 0; row < rows; ++row) {
      for (int col = 0; col < cols; ++col) element(in, out, rows, cols, row, col);
    }
  };
}

const Kernel right = for_each([](auto in, auto out, int rows, int cols, int row, int col) {
  out[col * rows + row] = in[row * cols + col];
});

struct Case {
  const char* name;
  Pattern pattern;
  const char* what;
  Kernel kernel;
};

const Case cases[] = {
    {"nothing stored", Pattern::never_written, "no element of out",
     [](const float*, float*, int, int) {}},
    {"copied", Pattern::copied, "as they were",
     for_each([](auto in, auto out, int, int cols, int row, int col) {
       out[row * cols + col] = in[row * cols + col];
     })},
    {"in read with the wrong stride", Pattern::wrong_stride, "in was read as if",
     for_each([](auto in, auto out, int rows, int, int row, int col) {
       out[col * rows + row] = in[row * rows + col];
     })},
    {"out written with the wrong stride", Pattern::wrong_stride, "out was written as if",
     for_each([](auto in, auto out, int, int cols, int row, int col) {
       out[col * cols + row] = in[row * cols + col];
     })},
    {"tiles transposed in place", Pattern::tiles_not_swapped, "stays where it was",
     for_each([](auto in, auto out, int rows, int cols, int row, int col) {
       const int to_row = row / tile * tile + col % tile, to_col = col / tile * tile + row % tile;
       if (to_row < cols && to_col < rows) out[to_row * rows + to_col] = in[row * cols + col];
     })},
    {"tiles swapped, not transposed", Pattern::tiles_not_transposed, "not transposed",
     for_each([](auto in, auto out, int rows, int cols, int row, int col) {
       const int to_row = col / tile * tile + row % tile, to_col = row / tile * tile + col % tile;
       if (to_row < cols && to_col < rows) out[to_row * rows + to_col] = in[row * cols + col];
     })},
    {"bounds of the shorter side for both", Pattern::square_part_only,
     "first 21 rows and 21 columns",
     for_each([](auto in, auto out, int rows, int cols, int row, int col) {
       const int side = std::min(rows, cols);
       if (row < side && col < side) out[col * rows + row] = in[row * cols + col];
     })},
    {"one tile left out", Pattern::tiles_missing,
     "tiles of 8x8 was never written, the first one at",
     for_each([](auto in, auto out, int rows, int cols, int row, int col) {
       if (row / tile == 0 && col / tile == 1) return;
       out[col * rows + row] = in[row * cols + col];
     })},
    {"partial tiles left out", Pattern::edges_only, "partial 8x8 tiles",
     for_each([](auto in, auto out, int rows, int cols, int row, int col) {
       if (row >= rows / tile * tile || col >= cols / tile * tile) return;
       out[col * rows + row] = in[row * cols + col];
     })},
    {"reads beyond the end", Pattern::reads_outside, "around in",
     for_each([](auto in, auto out, int rows, int cols, int row, int col) {
       out[col * rows + row] = in[row == 2 ? rows * cols + col : row * cols + col];
     })},
    {"one row of in wrong", Pattern::submatrix, "all of them in rows 0 to",
     for_each([](auto in, auto out, int rows, int cols, int row, int col) {
       out[col * rows + row] = in[row == 2 ? col : row * cols + col];
     })},
};

TEST(TransposeCheck, RecognisesEveryMistake) {
  Random random = seeded_random(41, "");
  const struct { int rows, cols; } shapes[] = {{21, 37}, {37, 21}};
  for (const Case& c : cases) {
    for (const auto& [rows, cols] : shapes) {
      SCOPED_TRACE(std::string(c.name) + ", rows = " + std::to_string(rows));
      const Matrix<float> in = distinct_matrix(rows, cols, random);
      const Matrix<float> out = run(c.kernel, in);
      const auto diagnosis = recognise_transpose({.in = in, .out = out, .tile = tile});
      ASSERT_TRUE(diagnosis);
      EXPECT_EQ(static_cast<int>(diagnosis->pattern), static_cast<int>(c.pattern))
          << diagnosis->what;
      EXPECT_THAT(diagnosis->what, HasSubstr(c.what));
      EXPECT_FALSE(diagnosis->hint.empty());
    }
  }
}

TEST(TransposeCheck, CountsMissingTiles) {
  Random random = seeded_random(42, "");
  const Matrix<float> in = distinct_matrix(24, 32, random);
  // This acts as if blocks along a diagonal were numbered with one modulus that is too small.
  const Kernel kernel = for_each([](auto from, auto to, int rows, int cols, int row, int col) {
    if (col / tile == 2) return;
    to[col * rows + row] = from[row * cols + col];
  });
  const auto diagnosis = recognise_transpose({.in = in, .out = run(kernel, in), .tile = tile});
  ASSERT_TRUE(diagnosis);
  EXPECT_THAT(diagnosis->what,
              HasSubstr("3 of 12 tiles of 8x8 were never written, the first one at out[16][0]"));
}

TEST(TransposeCheck, IsExact) {
  Random random = seeded_random(43, "");
  for (const auto& [rows, cols] :
       {std::pair(1, 1), std::pair(1, 9), std::pair(9, 1), std::pair(13, 7), std::pair(0, 4)}) {
    const Matrix<float> in = distinct_matrix(rows, cols, random);
    const Matrix<float> out = run(right, in);
    EXPECT_TRUE(compare_transpose(in, out).all_right()) << rows << " x " << cols;
    EXPECT_FALSE(recognise_transpose({.in = in, .out = out, .tile = tile}));
  }
  Matrix<float> in = distinct_matrix(3, 5, random);
  in(2, 4) = 0.0F;
  Matrix<float> out = transposed(in);
  out(4, 2) = -0.0F;
  const Comparison comparison = compare_transpose(in, out);
  EXPECT_EQ(comparison.wrong, 1U) << "another sign is another number";
  EXPECT_EQ(comparison.row, 4);
  EXPECT_EQ(comparison.col, 2);
}

}  // namespace
}  // namespace tilewise::grading
