#include "grading/examiner/device_array.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <functional>

#include "grading/examiner/inputs.hpp"

namespace tilewise::grading {
namespace {

// Stands in for a worker: hands the array's image to `kernel` with a pointer to the matrix.
void run(DeviceArray& array, const std::function<void(float*)>& kernel) {
  std::vector<std::byte> memory(array.image_bytes());
  array.store(memory);
  kernel(reinterpret_cast<float*>(memory.data() + array.payload_offset()));
  array.load(memory);
}

TEST(DeviceArray, HandsOverTheContentsRowByRow) {
  const Matrix<float> contents = index_coded_matrix(3, 4);
  DeviceArray array("A", Access::input, 3, 4, 6);
  array.set(contents);
  run(array, [](const float* A) {
    EXPECT_EQ(A[0], 13.0F);
    EXPECT_EQ(A[2 * 6 + 3], 24.0F);
    EXPECT_TRUE(has_bits(A[4], guard_bits)) << "gap behind the first row";
    EXPECT_TRUE(has_bits(A[-1], guard_bits));
    EXPECT_TRUE(has_bits(A[3 * 6], guard_bits));
  });
  EXPECT_EQ(array.contents().values, contents.values);
  EXPECT_TRUE(array.untouched());
}

TEST(DeviceArray, OutputStartsAsNaNAndTakesResults) {
  DeviceArray array("C", Access::output, 2, 2);
  run(array, [](float* C) {
    for (int i = 0; i < 4; ++i) EXPECT_TRUE(std::isnan(C[i]));
    C[0] = 1;
    C[1] = std::nanf("");
    C[2] = 3;
  });
  const Matrix<float> result = array.contents();
  EXPECT_EQ(result(0, 0), 1.0F);
  EXPECT_TRUE(std::isnan(result(0, 1)));
  EXPECT_FALSE(has_bits(result(0, 1), unwritten_bits)) << "a NaN that was written is no poison";
  EXPECT_TRUE(has_bits(result(1, 1), unwritten_bits));
  EXPECT_FALSE(array.untouched());
}

TEST(DeviceArray, IsAlignedAsMemoryFromCudaMalloc) {
  for (const int n : {0, 1, 7, 37, 1024}) {
    EXPECT_EQ(DeviceArray("A", Access::input, n, n).payload_offset() % 256, 0U) << "n = " << n;
  }
}

TEST(DeviceArray, FindsAChangedInput) {
  DeviceArray array("A", index_coded_matrix(5, 7));
  run(array, [](float* A) { A[3 * 7 + 2] = -1; });
  const auto change = array.first_changed();
  ASSERT_TRUE(change);
  EXPECT_EQ(change->row, 3);
  EXPECT_EQ(change->col, 2);
  EXPECT_EQ(change->given, 59.0F);
  EXPECT_EQ(change->found, -1.0F);
  EXPECT_FALSE(array.guard_damage());
}

TEST(DeviceArray, FindsStrayStoresOfWhatWasReadOutside) {
  DeviceArray array("C", Access::output, 4, 4);
  run(array, [](float* C) { C[16] = std::bit_cast<float>(guard_bits); });
  EXPECT_TRUE(array.guard_damage());
  run(array, [](float* C) { C[16] += 0.25F; });
  EXPECT_TRUE(array.guard_damage());
}

struct GuardCase {
  const char* description;
  std::ptrdiff_t write;
  bool between_rows;
};

TEST(DeviceArray, FindsWritesOutsideTheMatrix) {
  constexpr int n = 5;
  constexpr int leading_dimension = 8;
  const GuardCase cases[] = {
      {"just before", -1, false},
      {"just behind", n * leading_dimension, false},
      {"one block of 1024 rows further", (n + 1022) * leading_dimension + n, false},
      {"in the gap behind row 2", 2 * leading_dimension + n, true},
  };
  for (const GuardCase& c : cases) {
    SCOPED_TRACE(c.description);
    DeviceArray array("C", Access::output, n, n, leading_dimension);
    run(array, [&](float* C) { C[c.write] = 0; });
    const auto damage = array.guard_damage();
    ASSERT_TRUE(damage);
    EXPECT_EQ(damage->first, c.write);
    EXPECT_EQ(damage->elements, 1U);
    EXPECT_EQ(damage->between_rows, c.between_rows);
    EXPECT_FALSE(array.first_changed());
    EXPECT_FALSE(array.untouched());
  }
}

TEST(DeviceArray, CountsDamageAndTellsTheFirst) {
  DeviceArray array("C", Access::output, 4, 4);
  run(array, [](float* C) { C[16] = C[17] = C[20] = 0; });
  const auto damage = array.guard_damage();
  ASSERT_TRUE(damage);
  EXPECT_EQ(damage->elements, 3U);
  EXPECT_EQ(damage->first, 16);
}

TEST(DeviceArray, OfOrderZeroHasGuardsOnly) {
  DeviceArray array("C", Access::output, 0, 0);
  EXPECT_EQ(array.payload_bytes(), 0U);
  run(array, [](float* C) { C[0] = 0; });
  ASSERT_TRUE(array.guard_damage());
  EXPECT_EQ(array.guard_damage()->first, 0);
}

TEST(DeviceArray, RefusesImpossibleShapes) {
  EXPECT_THROW(DeviceArray("A", Access::input, 2, 3, 2), std::invalid_argument);
  DeviceArray array("A", Access::input, 2, 3);
  EXPECT_THROW(array.set(Matrix<float>(3, 2)), std::invalid_argument);
}

}  // namespace
}  // namespace tilewise::grading
