#include "grading/examiner/device_array.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <functional>

#include "grading/problem/inputs.hpp"
#include "grading/problem/reference.hpp"

namespace tilewise::grading {
namespace {

// Stands in for a worker: hands the array's image to `kernel` with a pointer to the matrix.
template <typename T>
void run_on(DeviceArray& array, const std::function<void(T*)>& kernel) {
  std::vector<std::byte> memory(array.image_bytes());
  array.store(memory);
  kernel(reinterpret_cast<T*>(memory.data() + array.payload_offset()));
  array.load(memory);
}

void run(DeviceArray& array, const std::function<void(float*)>& kernel) {
  run_on<float>(array, kernel);
}

void run_double(DeviceArray& array, const std::function<void(double*)>& kernel) {
  run_on<double>(array, kernel);
}

// Element (row, col) is 10 * row + col.
Matrix<double> numbered(int rows, int cols) {
  Matrix<double> matrix(rows, cols);
  for (int row = 0; row < rows; ++row) {
    for (int col = 0; col < cols; ++col) matrix(row, col) = 10 * row + col;
  }
  return matrix;
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

TEST(DeviceArray, HandsOverHalves) {
  Random random = seeded_random(1, "halves");
  const Matrix<float> contents = random_half_matrix(3, 5, random);
  DeviceArray array("A", contents, ElementType::float16);
  EXPECT_EQ(array.payload_bytes(), 3 * 5 * sizeof(__half));
  EXPECT_EQ(array.payload_offset() % 256, 0u);
  run_on<__half>(array, [&](const __half* A) {
    for (int i = 0; i < 15; ++i) EXPECT_EQ(__half2float(A[i]), contents.values[i]);
    EXPECT_TRUE(std::isnan(__half2float(A[-1])));
    EXPECT_TRUE(std::isnan(__half2float(A[15])));
  });
  EXPECT_TRUE(array.untouched());
  run_on<__half>(array, [](__half* A) {
    A[6] = __float2half(2.0F);
    A[15] = __float2half(3.0F);
  });
  const auto change = array.first_changed();
  ASSERT_TRUE(change);
  EXPECT_EQ(change->row, 1);
  EXPECT_EQ(change->col, 1);
  EXPECT_EQ(change->given, contents(1, 1));
  EXPECT_EQ(change->found, 2.0);
  ASSERT_TRUE(array.guard_damage());
  EXPECT_EQ(array.guard_damage()->first, 15);
  EXPECT_THROW(DeviceArray("C", Access::output, 2, 2, 2, ElementType::float16),
               std::invalid_argument);
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

TEST(DeviceArray, HoldsDoublesWithGapsBetweenRows) {
  const Matrix<double> contents = numbered(3, 4);
  DeviceArray array("A", Access::input, contents, 6);
  EXPECT_EQ(array.element_bytes(), sizeof(double));
  EXPECT_EQ(array.payload_offset() % 256, 0U);
  EXPECT_EQ(array.payload_bytes(), (2 * 6 + 4) * sizeof(double)) << "no gap behind the last row";
  run_double(array, [](const double* A) {
    EXPECT_EQ(A[0], 0);
    EXPECT_EQ(A[2 * 6 + 3], 23);
    for (const int outside : {-1, 4, 5, 6 + 4, 2 * 6 + 4, 3 * 6}) {
      EXPECT_TRUE(has_bits(A[outside], guard_bits_double)) << outside;
      EXPECT_TRUE(std::isnan(A[outside]));
    }
  });
  EXPECT_EQ(array.contents_double().values, contents.values);
  EXPECT_TRUE(array.untouched());
  EXPECT_THROW(array.contents(), std::logic_error);
}

TEST(DeviceArray, KeepsTheBitsOfItsNaNThroughFloat) {
  for (const std::uint64_t bits : {guard_bits_double, unwritten_bits_double}) {
    const volatile float narrow = static_cast<float>(std::bit_cast<double>(bits));
    EXPECT_TRUE(has_bits(static_cast<double>(narrow), bits));
  }
}

TEST(DeviceArray, InOutKeepsContentsInsideOrdinaryNumbers) {
  DeviceArray array("C", Access::in_out, numbered(3, 4), 6);
  run_double(array, [](double* C) {
    EXPECT_EQ(C[6 + 2], 12);
    EXPECT_TRUE(has_bits(C[4], output_guard_bits_double));
    EXPECT_NEAR(C[4], 1.23, 0.01);
    C[6 + 2] = -1;
  });
  EXPECT_EQ(array.contents_double()(1, 2), -1);
  const auto change = array.first_changed();
  ASSERT_TRUE(change);
  EXPECT_EQ(change->row, 1);
  EXPECT_EQ(change->col, 2);
  EXPECT_EQ(change->given, 12);
  EXPECT_EQ(change->found, -1);
  EXPECT_FALSE(array.guard_damage());
}

TEST(DeviceArray, OutputOfDoublesStartsUnwritten) {
  DeviceArray array("C", Access::output, 2, 3, 3, ElementType::float64);
  run_double(array, [](double* C) { C[4] = 5; });
  const Matrix<double> result = array.contents_double();
  EXPECT_TRUE(has_bits(result(0, 0), unwritten_bits_double));
  EXPECT_EQ(result(1, 1), 5);
}

TEST(DeviceArray, FindsWritesOutsideOfDoubles) {
  constexpr int rows = 5, cols = 3, ld = 8;
  const GuardCase cases[] = {
      {"just before", -1, false},
      {"behind the last element", (rows - 1) * ld + cols, false},
      {"one block of 1024 rows further", (rows + 1022) * ld + cols, false},
      {"in the gap behind row 2", 2 * ld + cols, true},
      {"at the end of the gap behind row 0", ld - 1, true},
  };
  for (const Access access : {Access::input, Access::output, Access::in_out}) {
    for (const GuardCase& c : cases) {
      SCOPED_TRACE(c.description);
      DeviceArray array("C", access, rows, cols, ld, ElementType::float64);
      run_double(array, [&](double* C) {
        // Changing half of an element is enough.
        reinterpret_cast<std::uint32_t*>(C + c.write)[1] ^= 1;
      });
      const auto damage = array.guard_damage();
      ASSERT_TRUE(damage);
      EXPECT_EQ(damage->first, c.write);
      EXPECT_EQ(damage->elements, 1U);
      EXPECT_EQ(damage->between_rows, c.between_rows);
      EXPECT_FALSE(array.first_changed());
    }
  }
}

TEST(DeviceArray, PoisonsWhatIsNotToBeRead) {
  const struct {
    Readable readable;
    std::function<bool(int row, int col)> may_be_read;
  } cases[] = {
      {Readable::everything, [](int, int) { return true; }},
      {Readable::lower_triangle, [](int row, int col) { return col <= row; }},
      {Readable::nothing, [](int, int) { return false; }},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(static_cast<int>(c.readable));
    DeviceArray array("A", Access::input, numbered(4, 4), 7);
    array.let_read_only(c.readable);
    EXPECT_EQ(array.readable(), c.readable);
    run_double(array, [&](const double* A) {
      for (int row = 0; row < 4; ++row) {
        for (int col = 0; col < 4; ++col) {
          const double found = A[row * 7 + col];
          if (c.may_be_read(row, col)) {
            EXPECT_EQ(found, 10 * row + col);
          } else {
            EXPECT_TRUE(has_bits(found, guard_bits_double)) << row << " " << col;
          }
        }
      }
    });
    EXPECT_FALSE(array.first_changed());
  }
  EXPECT_EQ(DeviceArray("C", Access::output, 2, 2).readable(), Readable::nothing);
}

TEST(DeviceArray, OfDoublesWithoutElementsHasGuardsOnly) {
  for (const auto& [rows, cols] : {std::pair(0, 5), std::pair(5, 0)}) {
    DeviceArray array("A", Access::input, rows, cols, 5, ElementType::float64);
    EXPECT_EQ(array.payload_bytes(), 0U);
    EXPECT_EQ(array.contents_double().rows, rows);
  }
}

TEST(DeviceArray, RefusesImpossibleShapes) {
  EXPECT_THROW(DeviceArray("A", Access::input, 2, 3, 2), std::invalid_argument);
  DeviceArray array("A", Access::input, 2, 3);
  EXPECT_THROW(array.set(Matrix<float>(3, 2)), std::invalid_argument);
  EXPECT_THROW(array.set(Matrix<double>(2, 3)), std::invalid_argument);
  EXPECT_THROW(array.let_read_only(Readable::lower_triangle), std::invalid_argument);
}

const float nobody = std::bit_cast<float>(unwritten_bits);

/// Returns a (rows, 2) matrix in which nobody has written an element.
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
