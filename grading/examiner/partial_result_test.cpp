#include "grading/examiner/partial_result.hpp"

#include <gtest/gtest.h>

#include <bit>

#include "grading/examiner/device_array.hpp"
#include "grading/problem/compare.hpp"

namespace tilewise::grading {
namespace {

const float nobody = std::bit_cast<float>(unwritten_bits);

/// (rows, 2), without an element that anybody has written.
Matrix<float> blank(int rows) { return Matrix<float>(rows, 2, nobody); }

TEST(PartialResult, SamplesRowsWithAnElementThatWasWritten) {
  Random random(1);
  Matrix<float> C = blank(40);
  EXPECT_TRUE(sample_of_written_rows(C, 16, random).empty());
  C(3, 1) = 0;
  C(30, 0) = 1;
  EXPECT_EQ(sample_of_written_rows(C, 16, random), (std::vector{3, 30}));
  for (int row = 10; row < 40; ++row) C(row, 0) = 1;
  const std::vector<int> sample = sample_of_written_rows(C, 5, random);
  EXPECT_EQ(sample.size(), 5u);
  for (const int row : sample) EXPECT_TRUE(row == 3 || row >= 10) << row;
}

TEST(PartialResult, IsRightIfWhatWasWrittenIs) {
  Random random(1);
  const Matrix<float> A = random_matrix(4, 4, random), B = random_matrix(4, 2, random);
  const ReferenceProduct all = multiply(A, B);
  for (const bool wrong : {false, true}) {
    Matrix<float> C = blank(4);
    C(2, 1) = static_cast<float>(all.product(2, 1)) + (wrong ? 1.0f : 0.0f);
    const ReferenceProduct expected = multiply_rows(A, B, sample_of_written_rows(C, 16, random));
    fill_in_unwritten(C, expected);
    EXPECT_EQ(compare(C, expected).wrong, wrong ? 1u : 0u);
    EXPECT_TRUE(has_bits(C(0, 0), unwritten_bits)) << "no row of the reference's";
  }
}

TEST(PartialResult, MayBeOfDoubles) {
  Random random(1);
  Matrix<double> C(3, 1, std::bit_cast<double>(unwritten_bits_double));
  EXPECT_TRUE(sample_of_written_rows(C, 16, random).empty());
  C(1, 0) = 7;
  EXPECT_EQ(sample_of_written_rows(C, 16, random), std::vector{1});
  ReferenceProduct expected;
  expected.rows = {0, 1};
  expected.product = Matrix<double>(2, 1, 5.0);
  fill_in_unwritten(C, expected);
  EXPECT_EQ(C(0, 0), 5);
  EXPECT_EQ(C(1, 0), 7);
}

TEST(PartialResult, TellsWhetherAnythingIsUnwritten) {
  const DeviceArray unwritten("C", Access::output, 3, 2);
  EXPECT_TRUE(has_unwritten(unwritten));
  EXPECT_FALSE(has_unwritten(DeviceArray("A", Matrix<float>(3, 2, 0.0f))));
}

}  // namespace
}  // namespace tilewise::grading
