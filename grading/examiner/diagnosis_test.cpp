#include "grading/examiner/diagnosis.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <functional>
#include <string>

#include "grading/examiner/device_array.hpp"

namespace tilewise::grading {
namespace {

using ::testing::HasSubstr;

// A function under test on the host: one thread's work for element (row, col). A, B and C point
// into images with guard bands, as on a device.
using Element =
    std::function<void(const float* A, const float* B, float* C, int n, int row, int col)>;

float dot(const float* A, const float* B, int n, int row, int col, int first, int last) {
  float sum = 0;
  for (int k = first; k < last; ++k) sum += A[row * n + k] * B[k * n + col];
  return sum;
}

Matrix<float> run(const Element& element, const Matrix<float>& A, const Matrix<float>& B,
                  const Matrix<float>& before, int rows, int cols) {
  const int n = A.rows;
  DeviceArray arrays[] = {{"A", A}, {"B", B}, {"C", Access::output, n, n}};
  arrays[2].set(before);
  std::vector<std::byte> images[3];
  float* pointers[3] = {};
  for (int i = 0; i < 3; ++i) {
    images[i].resize(arrays[i].image_bytes());
    arrays[i].store(images[i]);
    pointers[i] = reinterpret_cast<float*>(images[i].data() + arrays[i].payload_offset());
  }
  for (int row = 0; row < rows; ++row) {
    for (int col = 0; col < cols; ++col) {
      element(pointers[0], pointers[1], pointers[2], n, row, col);
    }
  }
  arrays[2].load(images[2]);
  return arrays[2].contents();
}

// Some cases reach only part of C.
struct Case {
  const char* name;
  Pattern pattern;
  const char* what;
  Element element;
  std::function<int(int)> rows = [](int n) { return n; };
  std::function<int(int)> cols = [](int n) { return n; };
};

constexpr int tile = 8;

// Deals out the first 16 numbers: first those that are even, and then the others.
int dealt(int number) { return number >= 16 ? number : number < 8 ? 2 * number : 2 * number - 15; }

const Case cases[] = {
    {"nothing stored", Pattern::never_written, "no element",
     [](const float*, const float*, float*, int, int, int) {}},
    {"nothing added", Pattern::all_zero, "zero everywhere",
     [](const float*, const float*, float* C, int n, int row, int col) { C[row * n + col] = 0; }},
    {"k runs past the edge", Pattern::reads_outside, "around the matrices",
     [](const float* A, const float* B, float* C, int n, int row, int col) {
       const int steps = (n + tile - 1) / tile * tile;
       C[row * n + col] = dot(A, B, n, row, col, 0, steps);
     }},
    {"uninitialised", Pattern::not_a_number, "NaN among the results",
     [](const float* A, const float* B, float* C, int n, int row, int col) {
       C[row * n + col] = std::nanf("1") + dot(A, B, n, row, col, 0, n);
     }},
    {"+= on C", Pattern::accumulates, "added to what C held",
     [](const float* A, const float* B, float* C, int n, int row, int col) {
       C[row * n + col] += dot(A, B, n, row, col, 0, n);
     }},
    {"zero times C", Pattern::accumulates, "reads C",
     [](const float* A, const float* B, float* C, int n, int row, int col) {
       C[row * n + col] = 0 * C[row * n + col] + dot(A, B, n, row, col, 0, n);
     }},
    {"row and column swapped", Pattern::transposed, "transpose of the result",
     [](const float* A, const float* B, float* C, int n, int row, int col) {
       C[col * n + row] = dot(A, B, n, row, col, 0, n);
     }},
    {"B * A", Pattern::factors_swapped, "B * A",
     [](const float* A, const float* B, float* C, int n, int row, int col) {
       C[row * n + col] = dot(B, A, n, row, col, 0, n);
     }},
    {"A * A", Pattern::factor_taken_twice, "A * A",
     [](const float* A, const float*, float* C, int n, int row, int col) {
       C[row * n + col] = dot(A, A, n, row, col, 0, n);
     }},
    {"B * B", Pattern::factor_taken_twice, "B * B",
     [](const float*, const float* B, float* C, int n, int row, int col) {
       C[row * n + col] = dot(B, B, n, row, col, 0, n);
     }},
    {"A * B^T", Pattern::second_factor_transposed, "A * B^T",
     [](const float* A, const float* B, float* C, int n, int row, int col) {
       float sum = 0;
       for (int k = 0; k < n; ++k) sum += A[row * n + k] * B[col * n + k];
       C[row * n + col] = sum;
     }},
    {"A^T * B", Pattern::first_factor_transposed, "A^T * B",
     [](const float* A, const float* B, float* C, int n, int row, int col) {
       float sum = 0;
       for (int k = 0; k < n; ++k) sum += A[k * n + row] * B[k * n + col];
       C[row * n + col] = sum;
     }},
    {"last partial tile of k left out", Pattern::sum_cut_short,
     "first 16 products instead of all 21",
     [](const float* A, const float* B, float* C, int n, int row, int col) {
       C[row * n + col] = dot(A, B, n, row, col, 0, n / tile * tile);
     }},
    {"last product left out", Pattern::sum_cut_short, "first 20 products instead of all 21",
     [](const float* A, const float* B, float* C, int n, int row, int col) {
       C[row * n + col] = dot(A, B, n, row, col, 0, n - 1);
     }},
    {"sum reset after each tile", Pattern::sum_starts_late, "lacks the first 16 of its 21",
     [](const float* A, const float* B, float* C, int n, int row, int col) {
       C[row * n + col] = dot(A, B, n, row, col, n / tile * tile, n);
     }},
    {"sum starts at 1", Pattern::offset, "off by +1",
     [](const float* A, const float* B, float* C, int n, int row, int col) {
       C[row * n + col] = 1 + dot(A, B, n, row, col, 0, n);
     }},
    {"counted twice", Pattern::scaled, "2 times the right one",
     [](const float* A, const float* B, float* C, int n, int row, int col) {
       C[row * n + col] = 2 * dot(A, B, n, row, col, 0, n);
     }},
    {"odd columns counted twice", Pattern::scaled,
     "each of these is 2 times the right one, where col % 2 = 1",
     [](const float* A, const float* B, float* C, int n, int row, int col) {
       C[row * n + col] = (1 + col % 2) * dot(A, B, n, row, col, 0, n);
     }},
    {"ends of two parts left out", Pattern::part_unwritten,
     "they fill rows 8 to 9, 18 to 19 and columns 8 to 9, 18 to 19",
     [](const float* A, const float* B, float* C, int n, int row, int col) {
       if (row % 10 < 8 && col % 10 < 8) C[row * n + col] = dot(A, B, n, row, col, 0, n);
     }},
    {"half precision", Pattern::imprecise, "less precise than float",
     [](const float* A, const float* B, float* C, int n, int row, int col) {
       // Keeps 11 of 24 bits.
       const auto half = [](float value) {
         return std::bit_cast<float>(std::bit_cast<std::uint32_t>(value) & 0xFFFFE000);
       };
       float sum = 0;
       for (int k = 0; k < n; ++k) sum += half(A[row * n + k]) * half(B[k * n + col]);
       C[row * n + col] = sum;
     }},
    {"last product of each tile left out", Pattern::term_left_out,
     "C[7][0] is then 0: the product with k = 7 is left out",
     [](const float* A, const float* B, float* C, int n, int row, int col) {
       float sum = 0;
       for (int k = 0; k < n; ++k) {
         if (k % tile != tile - 1) sum += A[row * n + k] * B[k * n + col];
       }
       C[row * n + col] = sum;
     }},
    {"last tile of k repeated", Pattern::term_repeated,
     "C[16][0] is then 2 times that: the product with k = 16",
     [](const float* A, const float* B, float* C, int n, int row, int col) {
       C[row * n + col] = dot(A, B, n, row, col, 0, n) + dot(A, B, n, row, col, 16, n);
     }},
    {"edges not computed", Pattern::edges_only, "lower edge are missing",
     [](const float* A, const float* B, float* C, int n, int row, int col) {
       if (row >= n / tile * tile || col >= n / tile * tile) return;
       C[row * n + col] = dot(A, B, n, row, col, 0, n);
     }},
    {"edges wrong", Pattern::edges_only, "lower edge are wrong",
     [](const float* A, const float* B, float* C, int n, int row, int col) {
       const bool edge = row >= n / tile * tile || col >= n / tile * tile;
       C[row * n + col] = dot(A, B, n, row, col, 0, edge ? n - 1 : n);
     }},
    {"last row and column not computed", Pattern::part_unwritten,
     "only the last row and the last column are missing",
     [](const float* A, const float* B, float* C, int n, int row, int col) {
       C[row * n + col] = dot(A, B, n, row, col, 0, n);
     },
     [](int n) { return n - 1; }, [](int n) { return n - 1; }},
    {"first tile alone", Pattern::first_tile_only, "first 8x8 tile",
     [](const float* A, const float* B, float* C, int n, int row, int col) {
       C[row * n + col] = dot(A, B, n, row, col, 0, n);
     },
     [](int) { return tile; }, [](int) { return tile; }},
    {"first row of tiles alone", Pattern::part_unwritten,
     "all of them in rows 8 to 20, columns 0 to 20",
     [](const float* A, const float* B, float* C, int n, int row, int col) {
       C[row * n + col] = dot(A, B, n, row, col, 0, n);
     },
     [](int) { return tile; }},
    {"one row wrong", Pattern::submatrix, "all of them in row 3, columns 0 to 20",
     [](const float* A, const float* B, float* C, int n, int row, int col) {
       C[row * n + col] = dot(A, B, n, row, col, 0, n) + (row == 3 ? std::sin(float(col) + 1) : 0);
     }},
    {"odd columns wrong", Pattern::repeating,
     "all of them in rows 0 to 20, columns 1 to 19, where col % 2 = 1",
     [](const float* A, const float* B, float* C, int n, int row, int col) {
       C[row * n + col] =
           dot(A, B, n, row, col, 0, n) + (col % 2 == 1 ? std::sin(float(row * n + col) + 1) : 0);
     }},
    {"one column of four filled", Pattern::misplaced,
     "rows 0 to 20, columns 1 to 19, where col % 4 = 1 to 3; with A the identity, C must equal B, "
     "but 15 columns of it are 0, where col % 4 = 1 to 3: these of B get into no sum",
     [](const float* A, const float* B, float* C, int n, int row, int col) {
       C[row * n + col] = col % 4 == 0 ? dot(A, B, n, row, col, 0, n) : 0;
     }},
    {"most columns of sixteen wrong", Pattern::repeating, "where col % 8 = 0, 3 to 7",
     [](const float* A, const float* B, float* C, int n, int row, int col) {
       const bool right = col % 8 == 1 || col % 8 == 2;
       C[row * n + col] =
           dot(A, B, n, row, col, 0, n) + (right ? 0 : std::sin(float(row * n + col) + 1));
     }},
    {"rows of B shifted by one", Pattern::misplaced, "C[0][0] then holds B[1][0]",
     [](const float* A, const float* B, float* C, int n, int row, int col) {
       float sum = 0;
       for (int k = 0; k < n; ++k) sum += A[row * n + k] * B[(k + 1) % n * n + col];
       C[row * n + col] = sum;
     }},
    {"columns of A reversed within tiles", Pattern::misplaced, "C[0][0] then holds",
     [](const float* A, const float* B, float* C, int n, int row, int col) {
       float sum = 0;
       for (int k = 0; k < n; ++k) sum += A[row * n + (k < 16 ? k ^ 7 : k)] * B[k * n + col];
       C[row * n + col] = sum;
     }},
    {"A is read without n", Pattern::misplaced,
     "element (row, k) of A is read at row + k, and it lies at row * n + k",
     [](const float* A, const float* B, float* C, int n, int row, int col) {
       float sum = 0;
       for (int k = 0; k < n; ++k) sum += A[row + k] * B[k * n + col];
       C[row * n + col] = sum;
     }},
    {"B is read without n", Pattern::misplaced,
     "element (k, col) of B is read at k + col, and it lies at k * n + col",
     [](const float* A, const float* B, float* C, int n, int row, int col) {
       float sum = 0;
       for (int k = 0; k < n; ++k) sum += A[row * n + k] * B[k + col];
       C[row * n + col] = sum;
     }},
    {"A is read with a tile's row length", Pattern::misplaced, "is read at row * 8 + k",
     [](const float* A, const float* B, float* C, int n, int row, int col) {
       float sum = 0;
       for (int k = 0; k < n; ++k) sum += A[row * tile + k] * B[k * n + col];
       C[row * n + col] = sum;
     }},
    {"B is read at the column of its row", Pattern::misplaced,
     "element (k, col) of B is read at row + k * n, and it lies at k * n + col",
     [](const float* A, const float* B, float* C, int n, int row, int col) {
       float sum = 0;
       for (int k = 0; k < n; ++k) sum += A[row * n + k] * B[k * n + row];
       C[row * n + col] = sum;
     }},
    {"B is read at the row of the result", Pattern::misplaced,
     "element (k, col) of B is read at row * n + col, and it lies at k * n + col",
     [](const float* A, const float* B, float* C, int n, int row, int col) {
       float sum = 0;
       for (int k = 0; k < n; ++k) sum += A[row * n + k] * B[row * n + col];
       C[row * n + col] = sum;
     }},
    {"tiles of A are read by the column", Pattern::misplaced,
     "among the first 8 rows and columns, element (row, k) of A is read at k + col * n, and it "
     "lies at row * n + k",
     [](const float* A, const float* B, float* C, int n, int row, int col) {
       const int other = std::min(row / tile * tile + col % tile, n - 1);
       float sum = 0;
       for (int k = 0; k < n; ++k) sum += A[other * n + k] * B[k * n + col];
       C[row * n + col] = sum;
     }},
    {"rows of neighbours are stored apart", Pattern::misplaced,
     "row 1 of C is what row 2 should be",
     [](const float* A, const float* B, float* C, int n, int row, int col) {
       C[row * n + col] = dot(A, B, n, dealt(row), col, 0, n);
     }},
    {"columns of neighbours are stored apart", Pattern::misplaced,
     "column 1 of C is what column 2 should be",
     [](const float* A, const float* B, float* C, int n, int row, int col) {
       C[row * n + col] = dot(A, B, n, row, dealt(col), 0, n);
     }},
    {"B goes on by a tile's columns", Pattern::misplaced,
     "from one tile of B to the next the place that is read moves by 8, where it should be 168",
     [](const float* A, const float* B, float* C, int n, int row, int col) {
       float sum = 0;
       for (int k = 0; k < n; ++k) {
         sum += A[row * n + k] * B[k % tile * n + k / tile * tile + col];
       }
       C[row * n + col] = sum;
     }},
    {"two columns in one sum", Pattern::sums_in_one,
     "C[0][0] holds the sum of what belongs to it and to C[0][1], which is 0",
     [](const float* A, const float* B, float* C, int n, int row, int col) {
       float sum = 0;
       for (int j = col; j < std::min(col + 2, n); ++j) sum += dot(A, B, n, row, j, 0, n);
       C[row * n + col] = col % 2 == 0 ? sum : 0;
     }},
    {"the second of two sums has both", Pattern::sums_in_one,
     "C[20][20] holds the sum of what belongs to it and to C[20][9], which is 0",
     [](const float* A, const float* B, float* C, int n, int row, int col) {
       const int half = (n + 1) / 2;
       float sum = dot(A, B, n, row, col, 0, n);
       if (col >= half) sum += dot(A, B, n, row, col - half, 0, n);
       C[row * n + col] = col + half < n ? 0 : sum;
     }},
    {"parts of a fragment of A have changed places", Pattern::misplaced,
     "where its rows 0 to 7, columns 8 to 15 belong stand its rows 8 to 15, columns 0 to 7",
     [](const float* A, const float* B, float* C, int n, int row, int col) {
       float sum = 0;
       for (int k = 0; k < n; ++k) {
         const bool is_moved = row < 16 && k < 16 && (row < 8) != (k < 8);
         const int other = !is_moved ? 0 : row < 8 ? 8 : -8;
         sum += A[(row + other) * n + k - other] * B[k * n + col];
       }
       C[row * n + col] = sum;
     }},
    {"four results in one sum", Pattern::sums_in_one, "holds the sum of what belongs to it",
     [](const float* A, const float* B, float* C, int n, int row, int col) {
       float sum = 0;
       for (int i = row; i < std::min(row + 2, n); ++i) {
         for (int j = col; j < std::min(col + 2, n); ++j) sum += dot(A, B, n, i, j, 0, n);
       }
       C[row * n + col] = row % 2 == 0 && col % 2 == 0 ? sum : 0;
     }},
};

std::string name_of(Pattern pattern) { return std::to_string(static_cast<int>(pattern)); }

/// A factor as two numbers of which a tensor core reads all digits.
struct Split {
  explicit Split(float x) : large(rounded(x)), small(rounded(x - large)) {}
  static float rounded(float x) {
    return std::bit_cast<float>((std::bit_cast<std::uint32_t>(x) + 0x1000U) & ~0x1fffU);
  }
  float large, small;
};

TEST(Diagnosis, CountsTheProductsOfSplitFactors) {
  struct Case {
    int small_A, small_B;  // how often each is added
    const char* what;
  };
  const Case cases[] = {
      {0, 1,
       "that of A's small and B's large ones is in it 0 times, and that of A's large and B's "
       "small ones 1 times"},
      {2, 0, "is in it 2 times, and that of A's large and B's small ones 0 times"},
      {0, 0, "is in it 0 times, and that of A's large and B's small ones 0 times"},
  };
  constexpr int n = 48;
  Random random = seeded_random(48, "");
  const Matrix<float> A = random_matrix(n, n, random), B = random_matrix(n, n, random);
  const Matrix<float> before(n, n, std::bit_cast<float>(unwritten_bits));
  const ReferenceProduct expected = multiply(A, B);
  for (const Case& c : cases) {
    Matrix<float> after(n, n);
    for (int row = 0; row < n; ++row) {
      for (int col = 0; col < n; ++col) {
        float sum = 0;
        for (int k = 0; k < n; ++k) {
          const Split a(A(row, k)), b(B(k, col));
          sum += a.large * b.large + static_cast<float>(c.small_A) * a.small * b.large +
                 static_cast<float>(c.small_B) * a.large * b.small;
        }
        after(row, col) = sum;
      }
    }
    const auto diagnosis =
        recognise({A, B, before, after, expected, TileShape{8, 8}, std::nullopt, false, true});
    ASSERT_TRUE(diagnosis);
    EXPECT_EQ(name_of(diagnosis->pattern), name_of(Pattern::imprecise)) << diagnosis->what;
    EXPECT_THAT(diagnosis->what, HasSubstr(c.what));
  }
}

TEST(Diagnosis, RecognisesEveryMistake) {
  constexpr int n = 21;  // two whole tiles and a partial one
  Random random = seeded_random(21, "");
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    const Matrix<float> A = random_matrix(n, n, random);
    const Matrix<float> B = random_matrix(n, n, random);
    const Matrix<float> before(n, n, std::bit_cast<float>(unwritten_bits));
    const Rerun rerun = [&](const auto& A_, const auto& B_, const auto& before_) {
      return run(c.element, A_, B_, before_, c.rows(n), c.cols(n));
    };
    const Matrix<float> after = *rerun(A, B, before);
    const ReferenceProduct expected = multiply(A, B);
    const auto diagnosis =
        diagnose({A, B, before, after, expected, TileShape{tile, tile}}, true, rerun);
    ASSERT_TRUE(diagnosis);
    EXPECT_EQ(name_of(diagnosis->pattern), name_of(c.pattern)) << diagnosis->what;
    EXPECT_THAT(diagnosis->what, HasSubstr(c.what));
    EXPECT_FALSE(diagnosis->hint.empty());
  }
}

TEST(Diagnosis, AdvisesOnWhatIsMissingAtTheEndOfASum) {
  EXPECT_THAT(advice_on_missing_end(31, 32, 16), HasSubstr("The last product is missing"));
  EXPECT_THAT(advice_on_missing_end(248, 256, 128),
              HasSubstr("A whole step of 8 products is missing, though 8 divides 256"));
  EXPECT_EQ(advice_on_missing_end(16, 24, 16), "");  // a partial tile
  EXPECT_EQ(advice_on_missing_end(27, 32, 16), "");
  EXPECT_EQ(advice_on_missing_end(1, 2, 16), "");
}

TEST(Diagnosis, KnowsSumsOfOneStepThatGoOn) {
  constexpr int n = 21;
  const Matrix<float> code = index_coded_matrix(n, n);
  const auto counted = [&](const std::function<float(int)>& times) {
    Matrix<float> after = code;
    for (int k = 0; k < n; ++k) {
      for (int col = 0; col < n; ++col) after(k, col) *= times(k);
    }
    return tell_products(after, code, true);
  };
  const CountedProducts grows = counted([](int k) { return float(3 - k / 8); });
  EXPECT_THAT(grows.what, HasSubstr("k = 0 to 15 are added more than once"));
  EXPECT_THAT(grows.hint, HasSubstr("starts from 0 in each"));
  EXPECT_THAT(counted([](int k) { return k < 8 ? 3.0F : 0.0F; }).hint,
              HasSubstr("Follow a tile from step to step"));
  EXPECT_EQ(counted([](int) { return 1.0F; }).what, "");
}

TEST(Diagnosis, DrawsAMapOfThePartsThatAreWrong) {
  constexpr int n = 21;
  constexpr TileShape part{.width = 6, .height = 11};
  const struct {
    const char* name;
    std::function<bool(int row, int col)> is_wrong;
    Pattern pattern;
    const char* what;
  } parts[] = {
      {"one part", [](int row, int col) { return row >= 11 && col >= 6 && col < 12; },
       Pattern::whole_parts, "8 parts of C, 6x11 elements each, one is wrong altogether"},
      {"all but two", [](int row, int col) { return row >= 11 || col < 12; }, Pattern::whole_parts,
       "6 are wrong altogether (x) and the others right (.), row by row: xx.. xxxx"},
      {"half a part", [](int row, int col) { return row < 11 && col < 3; }, Pattern::submatrix,
       "all of them in rows 0 to 10, columns 0 to 2"},
  };
  Random random = seeded_random(25, "");
  const Matrix<float> A = random_matrix(n, n, random);
  const ReferenceProduct expected = multiply(A, A);
  for (const auto& [name, is_wrong, pattern, what] : parts) {
    SCOPED_TRACE(name);
    Matrix<float> after = random_matrix(n, n, random);
    for (int row = 0; row < n; ++row) {
      for (int col = 0; col < n; ++col) {
        if (!is_wrong(row, col)) after(row, col) = float(expected.product(row, col));
      }
    }
    const auto diagnosis =
        recognise({A, A, Matrix<float>(n, n), after, expected, TileShape{tile, tile}, part});
    ASSERT_TRUE(diagnosis);
    EXPECT_EQ(name_of(diagnosis->pattern), name_of(pattern)) << diagnosis->what;
    EXPECT_THAT(diagnosis->what, HasSubstr(what));
  }
}

TEST(Diagnosis, SaysNothingOfARightResult) {
  Random random = seeded_random(22, "");
  const Matrix<float> A = random_matrix(5, 5, random);
  const ReferenceProduct expected = multiply(A, A);
  Matrix<float> after(5, 5);
  for (std::size_t i = 0; i < 25; ++i) after.values[i] = float(expected.product.values[i]);
  EXPECT_FALSE(recognise({A, A, Matrix<float>(5, 5), after, expected, TileShape{tile, tile}}));
}

TEST(Diagnosis, SaysNothingOfNoise) {
  Random random = seeded_random(23, "");
  const Matrix<float> A = random_matrix(21, 21, random);
  const Matrix<float> noise = random_matrix(21, 21, random);
  const Matrix<float> before(21, 21, std::bit_cast<float>(unwritten_bits));
  const ReferenceProduct expected = multiply(A, A);
  const Rerun rerun = [&](const auto&, const auto&, const auto&) { return noise; };
  EXPECT_FALSE(diagnose({A, A, before, noise, expected, TileShape{tile, tile}}, false, rerun));
}

TEST(Diagnosis, BlamesEarlierCallsForWhatAFreshProcessDoesRight) {
  constexpr int n = 10;
  Random random = seeded_random(24, "");
  const Matrix<float> A = random_matrix(n, n, random);
  const Matrix<float> B = random_matrix(n, n, random);
  const Matrix<float> before(n, n, std::bit_cast<float>(unwritten_bits));
  const ReferenceProduct expected = multiply(A, B);
  Matrix<float> right(n, n);
  for (std::size_t i = 0; i < right.values.size(); ++i) {
    right.values[i] = float(expected.product.values[i]);
  }
  const Matrix<float> left_over = random_matrix(n, n, random);
  const Rerun rerun = [&](const auto&, const auto&, const auto&) { return right; };
  const Observation observation{A, B, before, left_over, expected, TileShape{tile, tile}};
  const auto later = diagnose(observation, false, rerun);
  ASSERT_TRUE(later);
  EXPECT_EQ(name_of(later->pattern), name_of(Pattern::stale));
  EXPECT_FALSE(diagnose(observation, true, rerun)) << "nothing came before a first call";
}

TEST(Diagnosis, DoesWithoutMoreCallsIfTheyFail) {
  constexpr int n = 10;
  const Matrix<float> A = identity_matrix(n);
  const Matrix<float> before(n, n, std::bit_cast<float>(unwritten_bits));
  const Rerun rerun = [](const auto&, const auto&, const auto&) { return std::nullopt; };
  const auto diagnosis =
      diagnose({A, A, before, before, multiply(A, A), TileShape{tile, tile}}, false, rerun);
  ASSERT_TRUE(diagnosis);
  EXPECT_EQ(name_of(diagnosis->pattern), name_of(Pattern::never_written));
}

}  // namespace
}  // namespace tilewise::grading
