#include "grading/repair/variant.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <ostream>
#include <set>
#include <string>
#include <vector>

#include "common/base/test/matches.hpp"
#include "grading/repair/nearness.hpp"

namespace tilewise::grading {
namespace {

using testing::AnyOf;
using testing::Contains;
using testing::Field;
using testing::HasSubstr;
using testing::Not;
using testing::Pair;

std::vector<Variant> variants_in(const std::string& text) {
  const SourceText source(text);
  return variants_of(source, text);
}

std::string kernel(const std::string& body) {
  return "__global__ void f(const float* A, const float* B, float* C, int n) {\n"
         "  const int row = blockIdx.y * 16 + threadIdx.y;\n"
         "  const int col = blockIdx.x * 16 + threadIdx.x;\n" +
         body + "\n}\n";
}

// `+=` are two tokens. What is put between them compiles for no variant on that line.
TEST(Variants, OfADistanceBeginBehindItsSign) {
  const std::string text = kernel("const float* a = A;\na += n;\nC[0] = *a;");
  const SourceText source(text);
  bool is_varied = false;
  for (const Variant& variant : variants_of(source, text)) {
    for (const Change& change : variant.changes) {
      if (change.form != Change::Form::operand) continue;
      is_varied |= variant.line == 5;
      EXPECT_FALSE(source.outline.code()[change.words.first].is("=")) << variant.words;
    }
  }
  EXPECT_TRUE(is_varied);
}

struct Mended {
  const char* given;
  const char* words;
};

class WhatMends : public testing::TestWithParam<Mended> {};

TEST_P(WhatMends, IsAmongTheVariants) {
  const auto variants = variants_in(kernel(GetParam().given));
  EXPECT_THAT(variants, Contains(Field(&Variant::words, HasSubstr(GetParam().words))));
}

INSTANTIATE_TEST_SUITE_P(
    Variants, WhatMends,
    testing::Values(
        // Similar neighbours.
        Mended{"float a = row + 1 < n ? A[row] : 0; float b = col + 1 < n ? B[col] : 0;",
               "float a = col + 1 < n ? A[row] : 0; float b = row + 1 < n ? B[col] : 0;"},
        Mended{"float s[2] = {}; s[0] = A[row];\ns[1] = A[col];",
               "s[0] += A[row];' in place of 'float s[2] = {}; s[0] = A[row];', on line 5 write "
               "'s[1] += A[col];'"},
        Mended{"const int y = row / 4, x = row % 4;", "const int y = row / 8, x = row % 8;"},
        Mended{
            "float four[4] = {}; C[0] = four[0], C[1] = four[2];\nC[2] = four[1];",
            "C[1] = four[1];' in place of 'float four[4] = {}; C[0] = four[0], C[1] = four[2];', "
            "on line 5 write 'C[2] = four[2];'"},
        Mended{"multiply(A, B, C, row, col, n);", "multiply(A, B, C, n, col, row);"},
        Mended{"if (row < 2 * n) C[row] = 0;", "if (row <= n) C[row] = 0;"},
        Mended{"const int last = min(col + 16, n);", "const int last = min(col + 16, n - 1);"},
        Mended{"const unsigned mask = 0xffffffffu >> (32 - n);",
               "const unsigned mask = 0xffffffffu;"},
        Mended{"const unsigned mask = 0xFFFFFFFF << row;", "const unsigned mask = 0xFFFFFFFF;"},
        // An addend belongs further in, or another kind of value is meant.
        Mended{"__shared__ float As[16][16]; const float* a = As[row] + col;",
               "a = As[row + col];"},
        Mended{"const float* a = A + (min(row, n - 1) + col * 2) * n;",
               "(min(row + col * 2, n - 1)) * n"},
        Mended{"constexpr int wide = 8; C[row * wide + col] = 0;", "C[row * n + col] = 0;"},
        Mended{"constexpr int wide = 8; load(row);", "load(row * wide);"},
        Mended{"for (int k = n / 4; k < n; ++k) C[k] = 0;", "int k = n / 4 * 4;"},
        Mended{"const int across = row & 31 * 4;", "across = (row & 31) * 4;"},
        Mended{"const int lower = row + 8;", "lower = min(row + 8, n - 1);"},
        Mended{"constexpr int wide = 8; float s = __shfl_sync(all, A[row], 0);",
               "__shfl_sync(all, A[row], 0, wide);"},
        // A thread's part of a whole, by quotients and remainders.
        Mended{"constexpr int wide = 8; const int i = n % 16, k = n / 16;",
               "const int i = n / wide, k = n % wide;"},
        Mended{"const int y = row % 8 + row / 16 * 8, x = row / 8 % 2;",
               "y = row % 8 + row / 8 % 2 * 8, x = row / 16;"},
        Mended{"const int r = row / 4 * 16 + row;", "r = row / 4 * 16 + row % 4;"},
        Mended{"const int y = row / 8;\nconst int x = row % 8;",
               "y = row % 8;' in place of 'const int y = row / 8;', on line 5 write"},
        Mended{"const int wide = blockDim.x, high = blockDim.y;\n"
               "const int t = threadIdx.x * high + threadIdx.y;",
               "t = threadIdx.y * wide + threadIdx.x;"},
        Mended{"const int t = threadIdx.x * blockDim.y + threadIdx.y;",
               "t = threadIdx.y * blockDim.x + threadIdx.x;"},
        // A whole bound, limits and bytes.
        Mended{"const int tiles = divide_up(n * row, 16 * 16);",
               "tiles = divide_up(n, 16) * divide_up(row, 16);"},
        Mended{"const bool whole = n & 3 == 0;", "whole = (n & 3) == 0;"},
        Mended{"float a, b[2], c = 0; a += A[0]; C[0] = a + b[0] + c;",
               "float a = {}, b[2] = {}, c = 0;"},
        Mended{"for (int i = 0; i < 2; ++i) {\nC[i] = A[0];\nA += n;\nB += n;\n}\nC[2] = 0;",
               "move 'A += n; B += n;' from line 6: before line 9, 'C[2] = 0;'"},
        Mended{"float s = 0; for (int k = 0; k < gridDim.x * blockDim.x; ++k) s += A[k];",
               "k < n; ++k"},
        Mended{"const float* a = A + min(row, n - 1) * n;\nconst float* b = B + col;",
               "b = B + min(col, n - 1);"},
        Mended{"__shared__ float As[16]; cp_async<16>(&As[0], A + row, n - col);",
               "A + row, (n - col) * sizeof(float));"},
        Mended{"const int left = n - row;", "left = n - (row + col);"},
        // Parentheses are missing or too many, or a loop, factor, order or constant is wrong.
        Mended{"const float x = n * (A[row] + col * B[col]);", "x = n * A[row] + col * B[col];"},
        Mended{"const int blocks = n + 16 - 1 / 16;", "blocks = (n + 16 - 1) / 16;"},
        Mended{"int c = row;\nif (c >= n) { c -= n; }", "while (c >= n) { c -= n; }"},
        Mended{"const int from_end = gridDim.x - blockIdx.x;", "gridDim.x - 1 - blockIdx.x;"},
        Mended{"const int step = gridDim.y;", "step = gridDim.y * blockDim.y;"},
        Mended{"const float a[3] = {A[0], A[row], A[col]};", "{A[0], A[col], A[row]};"},
        Mended{"constexpr int wide = 8; C[row * wide] = A[4 * col];", "C[row * 4] = A[4 * col];"},
        Mended{"const float* b = A;\nb += 8;", "b += 8 * n;"},
        Mended{"const float* b = A;\nb += row - 1;", "b += (row - 1) * n;"},
        // Elements are meant to be bytes, as elsewhere in the statement.
        Mended{"copy<4 * n>(&C[row], A + col, row < n ? n : 0);", "row < n ? 4 * n : 0);"},
        // Something is missing.
        Mended{"constexpr int half = 8, wide = 16; const float* a = A + n;\n"
               "const float* b = a + half;",
               "b = a + half * wide;"},
        Mended{"for (int k = 0; k < n; k += 16) if (row < n) C[k] = 0;",
               "if (row < n && k + 16 <= n) C[k] = 0;"},
        Mended{"for (int s = 0; s < 16; ++s) if (row < n) C[s] = 0;", "if (row + s < n) C[s] = 0;"},
        Mended{"const float* a = A + std::size_t(row) * n; C[row] = a[0];",
               "const float* a = A + std::size_t(row) * n + row;"},
        Mended{"int i = row; for (; i + n < col; i += 2 * n) C[i] = 0; if (i < col) C[i] = 0;",
               "for (; i < col; i += n) C[i] = 0;"},
        Mended{"if (n >= 4) C[row] = A[col];", "if (row < n) C[row] = A[col];"},
        Mended{"C[row] = 0;\n__syncwarp();\nC[col] = 1;\nC[row] = 2;",
               "put a __syncwarp(); before line 7"},
        Mended{"C[row] = 0;\n__syncwarp();\nC[col] = 1;",
               "on line 5 write '__syncthreads();' in place of '__syncwarp();'"},
        Mended{"for (int k = row; k < n; k += 8) { C[k] = 0; __syncthreads(); }",
               "for (int k = row; k - row < n; k += 8)"},
        Mended{"store_matrix_sync(C, c, n, wmma::mem_col_major);",
               "store_matrix_sync(C, c, n, wmma::mem_row_major);"},
        Mended{"const int threads = row * col;", "const int threads = row;"},
        Mended{"for (int i = row; i < n; i += blockDim.x) C[i] = 0;",
               "i += blockDim.x * gridDim.x"},
        Mended{"for (int i = 0; i < n * 3 / 16; ++i) C[i] = 0;", "i < (n * 3 + 16 - 1) / 16"},
        Mended{"C[row * n + col] = A[row * n + row];",
               "on line 4 write 'C[row * n + col] = A[row * n + col];'"},
        Mended{"C[row * n + col] = A[row * n + blockIdx.x];", "A[row * n + threadIdx.x];'"},
        Mended{"float s = 0; for (int k = 0; k <= n; ++k) s += A[k];", "k < n; ++k"},
        Mended{"float s = 0; for (int k = 1; k < n; ++k) s += A[k];", "int k = 0;"},
        Mended{"float s = 0; for (int t = 0; t < n / 16; ++t) s += A[t];",
               "t < (n + 16 - 1) / 16;"},
        Mended{"float s = 0; for (int t = 0; t < (n + 16 - 1) / 16; ++t) s += A[t];",
               "t < n / 16;"},
        Mended{"__shared__ float As[16][17];\nC[row] = As[threadIdx.x][threadIdx.y];",
               "As[threadIdx.y][threadIdx.x]"},
        Mended{"if (row < n || col < n) C[row * n + col] = 1;", "if (row < n && col < n)"},
        Mended{"float a = 0, b = 0;\nif (row < n) a = A[row * n + col];\n"
               "if (col < n) b = B[row * n + col];",
               "on line 5 write 'if (col < n) a = A[row * n + col];' in place of "
               "'if (row < n) a = A[row * n + col];', on line 6 write 'if (row < n) b"},
        Mended{"C[row * n + col] = 1;", "if (row < n && col < n) C[row * n + col] = 1;"},
        Mended{"if (row + 1 < n) C[row] = 1;",
               "on line 4 leave out the condition 'row + 1 < n', so"},
        Mended{"for (int i = 0; i < n; ++i) C[i] = 1;", "i < n - 1; ++i"},
        Mended{"if (row < n && col < n) C[col] = C[col + 1] = 1;", "if (row < n && col < n - 1)"},
        Mended{"C[row * n + 2 * col] = 1;", "write 'C[row * n + col] = 1;'"},
        Mended{"C[row * n + col * 2] = 1;", "write 'C[row * n + col] = 1;'"},
        Mended{"C[row * n + 3 * col] = 1;", "write 'C[row * n + 2 * col] = 1;'"},
        Mended{"float s = 0; for (int k = 0; k < n; ++k) s = A[k];", "s += A[k];"},
        Mended{"float s; for (int k = 0; k < n; ++k) s += A[k];", "float s = {};"},
        Mended{"__shared__ float As[16];\nAs[threadIdx.x] = A[col];\nC[col] = As[n];",
               "put a __syncthreads(); before line 6"},
        Mended{"__syncthreads();\nC[col] = 1;\nC[row] = 2;",
               "move the __syncthreads(); from line 4: before line 6"},
        Mended{"float s = 0;\nfor (int k = 0; k < n; ++k) {\ns += A[k];\nC[col] = s;\n}",
               "move 'C[col] = s;' from line 7: before the } on line 9"},
        Mended{"C[row * n - col] = A[row];", "C[row * n + col] = A[row];"},
        Mended{"C[row + col] = A[row];", "C[row * n + col]"},
        Mended{"const int fours = n / 4;\nfor (int k = fours; k < n; ++k) C[k] = 0;",
               "for (int k = fours * 4; k < n; ++k)"},
        Mended{
            "for (int k = row; k < n; k += 8) C[k] = 0;\nfor (int k = col; k < n; ++k) C[k] = 1;",
            "for (int k = col * 8;"},
        Mended{"const int first = blockIdx.x + threadIdx.x;\nC[first] = 0;",
               "first = blockIdx.x * blockDim.x + threadIdx.x;"},
        Mended{"constexpr int Side = 16;\nconst int first = blockIdx.y;\nC[first] = Side;",
               "first = blockIdx.y * Side;"},
        Mended{"const float* p = A;\np += 16;\nA += row;", "A += row * n;"},
        Mended{"int a = 0, b = 1;\na = 1 - a;\nC[a] = b;", "put 'b = 1 - b;' behind line 5"},
        Mended{"if (row * n + col >= n * n) return;\nC[row * n + col] = 1;",
               "on line 4 write 'if (row >= n || col >= n) return;'"},
        Mended{"float s = 0, part = 0;\nfor (int t = 0; t < n; ++t) {\n"
               "for (int k = 0; k < n; ++k) part += A[k];\ns += part;\n}\nC[row] = s;",
               "put 'part = 0;' before line 6"},
        Mended{"for (int k = 0; k < n; ++k) {\nif (k == row) return;\nC[k] = 1;\n}",
               "on line 5 write 'if (k == row) continue;'"},
        Mended{"while (n > 0) {\nif (n == row) continue;\nC[--n] = 1;\n}",
               "on line 5 write 'if (n == row) break;'"},
        Mended{"const float* a = A + row;\nfor (int j = 0; j < n; ++j) {\n"
               "for (int k = 0; k < n; ++k) C[k] += *a++;\n}",
               "put 'a = A + row;' before line 6"},
        // A path for whole steps, or for wide accesses, lacks a test.
        Mended{"for (int k0 = 0; k0 < n; k0 += 16) {\nif (row < n) C[k0] = 0; else C[1] = 1;\n}",
               "on line 5 write 'if (row < n && k0 + 16 <= n) C[k0] = 0;"},
        Mended{"if (col + 1 < n) *reinterpret_cast<float2*>(C + col) = make_float2(0, 0);",
               "'if (col + 1 < n && n % 2 == 0)"},
        Mended{"const bool is_wide = col + 3 < n;\nif (is_wide) keep(float4{});",
               "is_wide = col + 3 < n && n % 4 == 0;"},
        Mended{"C[n] = 0;\nC[row] = 1;\nC[col] = 2;",
               "move 'C[n] = 0;' from line 4: before the } on line 7"}));

// The source that is built has the change that is reported.
TEST(Variants, AreEditsOfTheSource) {
  const std::string text = kernel("// sum\nC[row] = A[col];\n__syncthreads();\nC[col] = 1;");
  const SourceText source(text);
  std::set<std::string> sources;
  for (const Variant& variant : variants_of(source, text)) {
    sources.insert(with_edits(source, text, variant));
  }
  EXPECT_THAT(sources, Not(Contains(text)));
  for (const char* changed :
       {"// sum\nC[row] = A[row];\n__syncthreads();\nC[col] = 1;",
        "// sum\nC[row] = A[col];\n;\nC[col] = 1;",
        "// sum\n__syncthreads(); C[row] = A[col];\n;\nC[col] = 1;",
        "// sum\nC[row] = A[col];\n__syncthreads();\nC[col] = 1;\n__syncthreads(); }"}) {
    EXPECT_THAT(sources, Contains(HasSubstr(changed)));
  }
}

// A part that may be exchanged is put in parentheses even if it is not exchanged, so it must be a
// value by itself.
TEST(Variants, TakeNoSumApart) {
  struct Sum {
    const char *given, *part;
  };
  for (const Sum& sum : {Sum{"float s = C[0] * A[row] + n;", "A[row] + n"},
                         Sum{"int k = n - row + col;", "row + col"},
                         Sum{"int k = min(row, n) + col / 2;", "min(row, n) + col"},
                         Sum{"int k = min(row, n) + col % 2;", "min(row, n) + col"},
                         Sum{"int k = row & 31 * col * n;", "row & 31 * col"},
                         Sum{"bool k = row == col & 31 * n;", "col & 31 * n"}}) {
    const std::string text = kernel(sum.given);
    const SourceText source(text);
    const std::vector<Token>& code = source.outline.code();
    for (const Variant& variant : variants_of(source, text)) {
      for (const Change& change : variant.changes) {
        const std::size_t end = change.words.end;
        if (change.form != Change::Form::expression || end <= change.words.first) continue;
        const std::size_t begin = code[change.words.first].begin;
        EXPECT_NE(text.substr(begin, code[end - 1].end() - begin), sum.part) << sum.given;
      }
    }
  }
}

TEST(Variants, RoundUpOnce) {
  EXPECT_THAT(variants_in(kernel("const int tiles = (n + row - 1) / col;\nC[tiles] = 1;")),
              Not(Contains(Field(&Variant::words, HasSubstr("= ((n + row - 1)")))));
}

TEST(Variants, LeaveWhatRoundsUpAsItIs) {
  const auto variants = variants_in(kernel("const int tiles = (n + 16 - 1) / 16;\nC[tiles] = 1;"));
  EXPECT_THAT(variants, testing::AllOf(Not(Contains(Field(&Variant::words, HasSubstr("- 0)")))),
                                       Not(Contains(Field(&Variant::words, HasSubstr("- 2)")))),
                                       Not(Contains(Field(&Variant::words, HasSubstr("+ 1)")))),
                                       Contains(Field(&Variant::words, HasSubstr("n / 16")))));
}

// A condition that never holds only seems to mend, because the wrong statement no longer runs.
TEST(Variants, LeaveRestsAsTheyAre) {
  EXPECT_THAT(variants_in(kernel("if (row * 4 % 16 == 0) C[row] = A[col + 2];")),
              testing::AllOf(Not(Contains(Field(&Variant::words, HasSubstr("16 == 1")))),
                             Not(Contains(Field(&Variant::words, HasSubstr("/ 16 == 0")))),
                             Contains(Field(&Variant::words, HasSubstr("A[col + 3]"))),
                             Contains(Field(&Variant::words, HasSubstr("% 17 == 0")))));
}

// A variable that is read behind a loop collects all its iterations, and one that a loop does not
// change needs no new start in it.
TEST(Variants, StartAnewOnlyWhatATurnIsDoneWith) {
  const auto variants =
      variants_in(kernel("float s = 0, part = 0;\nfor (int t = 0; t < n; ++t) {\n"
                         "for (int k = 0; k < n; ++k) part += A[k];\ns += part;\n}\nC[row] = s;"));
  EXPECT_THAT(variants, Not(Contains(Field(&Variant::words, HasSubstr("put 's = 0;'")))));
}

// A change of a condition, or of a bool in it, is judged by the paths that the condition chooses
// between.
TEST(Variants, KnowTheConditionThatTheyChange) {
  const std::string text = kernel(
      "const bool fits = row + 16 < n;\nif (fits && col < n) {\nC[row] = A[col];\nreturn;\n}\n"
      "C[col] = row + col < n ? A[row] : 0;\nif (row < n) C[row + 1] = 0;");
  const auto variants = variants_in(text);
  std::set<std::pair<int, std::size_t>> paths, others;  // pairs of line and condition
  for (const Variant& variant : variants) {
    if (variant.condition == 0) continue;
    (variant.takes_one_path ? paths : others).emplace(variant.line, variant.condition);
  }
  EXPECT_THAT(paths, testing::ElementsAre(Pair(5, testing::_), Pair(9, testing::_)));
  EXPECT_THAT(others,
              testing::ElementsAre(Pair(4, paths.begin()->second), Pair(5, paths.begin()->second),
                                   Pair(9, paths.rbegin()->second)));
}

// If a barrier outside of a loop mends a kernel, one inside does, too, but that is the wrong thing
// to learn.
TEST(Variants, CountTheLoopsAroundABarrier) {
  const std::string text = kernel(
      "__shared__ float As[16];\nfor (int t = 0; t < n; ++t) {\nAs[t] = A[t];\n"
      "for (int k = 0; k < 16; ++k) {\nC[k] = As[k];\n}\n}");
  const SourceText source(text);
  const auto variants = variants_of(source, text);
  for (const auto& [words, loops] : {std::pair{"before line 5", 0},
                                     {"before line 6", 1},
                                     {"before line 7", 1},
                                     {"before line 8", 2}}) {
    const auto put = std::ranges::find(
        variants, std::string("put a __syncthreads(); ") + words,
        [](const Variant& variant) { return variant.words.substr(0, variant.words.find(',')); });
    ASSERT_NE(put, variants.end()) << words;
    EXPECT_EQ(put->loops, loops) << words;
  }
}

// What depends on the value that was there, such as a largest one, must not begin at 0.
TEST(Variants, SetToZeroWhatAGuardedLoadLeaves) {
  const auto variants = variants_in(
      kernel("float a[2], most = 0;\nfor (int h = 0; h < 2; ++h) {\nif (row < n) a[h] = A[row];\n"
             "if (col < n) { a[1 - h] = A[col]; }\nif (A[h] > most) most = A[h];\n"
             "if (row < n) C[row] = a[0];\nif (h < n) a[0] = 1; else a[1] = 2;\n}\nC[n] = most;"));
  const auto put = [](const char* text) {
    return Contains(
        Field(&Variant::words, HasSubstr("put '" + std::string(text) + "' before line")));
  };
  EXPECT_THAT(variants, put("a[h] = 0; a[1 - h] = 0;"));
  for (const char* other : {"most = 0;", "C[row] = 0;", "a[0] = 0;"}) {
    EXPECT_THAT(variants, Not(put(other))) << other;
  }
}

TEST(Variants, RepeatTheFactorOfTwoNeighbours) {
  const auto variants =
      variants_in(kernel("const int now = row % 2 * n;\nconst int next = (row + 1) % 2 * n;\nconst "
                         "int m = n + col, k = 2 "
                         "* n;\nC[now] = C[next];"));
  EXPECT_THAT(
      variants,
      Contains(Field(&Variant::words, testing::AllOf(HasSubstr("now = row % 2 * n * n;"),
                                                     HasSubstr("next = (row + 1) % 2 * n * n;")))));
  EXPECT_THAT(variants, Not(Contains(Field(&Variant::words, HasSubstr("k = 2 * n * n")))));
}

// Without the choice the mistake in what is chosen would only be hidden.
TEST(Variants, LeaveOutNoChoiceBetweenFunctions) {
  const auto variants = variants_in(
      "int g(float* C, int n) {\n  if (n < 8) return small<8>(C, n);\n  if (n < 4) return 1;\n"
      "  return large(C, n);\n}");
  EXPECT_THAT(variants,
              Contains(Field(&Variant::words, HasSubstr("leave out 'if (n < 4) return 1;'"))));
  EXPECT_THAT(variants, Not(Contains(Field(&Variant::words, HasSubstr("leave out 'if (n < 8)")))));
}

TEST(Variants, MoveNothingBehindAReturn) {
  const auto variants = variants_in("int g(float* C, int n) {\n  f(C);\n  h(n);\n  return 0;\n}");
  EXPECT_THAT(variants, Contains(Field(&Variant::words,
                                       HasSubstr("move 'f(C);' from line 2: before line 4"))));
  EXPECT_THAT(variants, Not(Contains(Field(&Variant::words, HasSubstr("before the } on line 5")))));
}

TEST(Variants, ExchangeNoArgumentsOfMemset) {
  const auto variants = variants_in(
      "int g(float* C, int n) {\n  std::memset(C, 0, n * 4);\n  f(C, 0, n * 4);\n  return 0;\n}");
  EXPECT_THAT(variants, Contains(Field(&Variant::words, HasSubstr("f(C, n * 4, 0)"))));
  EXPECT_THAT(variants, Not(Contains(Field(&Variant::words, HasSubstr("memset(C, n * 4, 0)")))));
}

TEST(Variants, AddOnTheOtherSideOfAComparison) {
  const auto variants =
      variants_in(kernel("for (int i = row; i < n - 3 * col; i += col) C[i] = A[i];\nif (row <= n "
                         "- col && n) C[row] = "
                         "1;\nif (row < n - 5 + 1) C[row] = 2;\nif (1 + row < n - 7) C[row] = 3;"));
  EXPECT_THAT(variants, Contains(Field(&Variant::words, HasSubstr("i + 3 * col < n"))));
  EXPECT_THAT(variants, Contains(Field(&Variant::words, HasSubstr("row + col <= n && n"))));
  for (const char* other : {"row + 5 < n", "row + 7 < n"}) {
    EXPECT_THAT(variants, Not(Contains(Field(&Variant::words, HasSubstr(other))))) << other;
  }
}

TEST(Variants, ExchangeTheArgumentsOfALaunch) {
  const auto variants = variants_in(
      "void g(const float* A, const float* B, float* C, int n) {\n"
      "  dim3 grid(n / 16, n / 8), block(8, 16);\n  f<<<block, grid>>>(B, A, C, n);\n}");
  EXPECT_THAT(variants,
              Contains(Field(&Variant::words, HasSubstr("f<<<grid, block>>>(B, A, C, n);"))));
  EXPECT_THAT(variants,
              Contains(Field(&Variant::words, HasSubstr("f<<<block, grid>>>(A, B, C, n);"))));
}

TEST(Variants, LaunchByOtherSides) {
  const auto variants = variants_in(
      "void g(float* C, int n, dim3 block) {\n"
      "  const dim3 flat(block.x, block.y * block.z), grid(n / 16, n / 8);\n"
      "  f<<<grid, block>>>(C, n);\n}");
  EXPECT_THAT(variants, Contains(Field(&Variant::words, HasSubstr("f<<<grid, flat>>>(C, n);"))));
  EXPECT_THAT(variants, Contains(Field(&Variant::words, HasSubstr("f<<<flat, block>>>(C, n);"))));
}

TEST(Variants, TakeNothingFromItself) {
  const auto variants = variants_in(kernel("C[0] = n - row; if (col < n) C[col / row] = 0;"));
  for (const char* const words : {"n - n", "row - row", "n < n", "col < col", "col / col"}) {
    EXPECT_THAT(variants, Not(Contains(Field(&Variant::words, HasSubstr(words))))) << words;
  }
}

TEST(Variants, LaunchAsManyAsOneOfTwoLimitsSays) {
  const auto words_of_launch = [](const std::string& launch) {
    const auto variants = variants_in("void g(float* C, int n, int most) {\n" + launch + "\n}");
    std::string words;
    for (const Variant& variant : variants) words += variant.words + "\n";
    return words;
  };
  const std::string words = words_of_launch("  f<<<1, std::min(n, most)>>>(C);");
  EXPECT_THAT(words, HasSubstr("write 'f<<<1, most>>>(C);'"));
  EXPECT_THAT(words, HasSubstr("write 'f<<<1, n>>>(C);'"));
  EXPECT_THAT(words, Not(HasSubstr("f<<<std::min(n, most), 1>>>(C);")));
  EXPECT_THAT(words_of_launch("  f<<<n, 1>>>(C);"), HasSubstr("f<<<1, n>>>(C);"));
  EXPECT_THAT(words_of_launch("  const int k = std::min(n, most); h(k);"),
              Not(HasSubstr("const int k = most;")));
}

TEST(Variants, AskForWholeVectorsInAllRows) {
  const auto variants = variants_in(
      "void g(float* C, int rows, int cols) {\n  const bool in_fours = cols % 4 == 0 && fits(C);\n"
      "  if (in_fours) quick(C);\n}");
  EXPECT_THAT(variants, Contains(Field(&Variant::words,
                                       HasSubstr("in_fours = cols % 4 == 0 && fits(C) && rows % 4 "
                                                 "== 0;"))));
}

TEST(Variants, CallWhatIsAlike) {
  const auto variants = variants_in(
      kernel("float a = A[row], b = B[col];\na = fmaxf(a, __shfl_down_sync(~0u, a, 8));\n"
             "b += __shfl_down_sync(~0u, b, 8);\nC[std::min(row, n)] = a + b;"));
  for (const char* words :
       {"on line 5 write 'a = fmaxf(a, __shfl_xor_sync(~0u, a, 8));'",
        "on line 6 write 'b += __shfl_xor_sync(~0u, b, 8);' in place of 'b += __shfl_down",
        "__shfl_down_sync(~0u, a, 8));', on line 6 write 'b += __shfl_xor_sync(~0u, b, 8);'",
        "on line 5 write 'a = fminf(a", "on line 7 write 'C[std::max(row, n)]"}) {
    EXPECT_THAT(variants, Contains(Field(&Variant::words, HasSubstr(words))));
  }
}

// The variant that runs makes the same change as the one that is reported.
TEST(Variants, CallWhatIsAlikeWithinACall) {
  const std::string text = kernel("C[row] = fmaxf(fmaxf(A[row], 1), n);");
  const SourceText source(text);
  const auto variants = variants_of(source, text);
  const auto both = std::ranges::find_if(variants, [](const Variant& variant) {
    return variant.words.find("fminf(fminf(A[row], 1), n)") != std::string::npos;
  });
  ASSERT_NE(both, variants.end());
  ASSERT_EQ(both->changes.size(), 1u);
  EXPECT_EQ(core::matches_of(both->changes[0].text, "fminf").size(), 2u) << both->changes[0].text;
}

TEST(Variants, ReachWhatATableNames) {
  const std::string text = kernel("C[row] = A[col];") +
                           "template <int T> int run(int n) { f<<<n, T>>>(nullptr); return 0; }\n"
                           "constexpr int (*runs[])(int) = {run<8>, run<16>};\n"
                           "int other(int n) { return n + 7; }\n"
                           "int product(int n) { return runs[n](n); }\n";
  const SourceText source(text);
  const auto variants = variants_of(source, text, {"product"});
  EXPECT_THAT(variants, Contains(Field(&Variant::words, HasSubstr("C[row] = A[row];"))));
  EXPECT_THAT(variants, Not(Contains(Field(&Variant::words, HasSubstr("n + 7")))));
}

// A lambda without captures can use only its own names, and constants.
TEST(Variants, PutNothingIntoALambdaThatItCannotSee) {
  const auto variants = variants_in(
      kernel("constexpr int t = 4;\nconst auto at = [](int i, int j) { return i * t + j; };\n"
             "C[at(row, col)] = 1;\nconst auto last = [] { return t + 1; };"));
  const auto on_line = [](int line, const char* words) {
    return Contains(
        testing::AllOf(Field(&Variant::line, line), Field(&Variant::words, HasSubstr(words))));
  };
  EXPECT_THAT(variants, on_line(5, "return j * t + j;"));
  EXPECT_THAT(variants, on_line(5, "return i * t + i;"));
  for (const char* unseen : {"return row", "* n", "* col", "+ row"}) {
    EXPECT_THAT(variants, Not(on_line(5, unseen)));
  }
  EXPECT_THAT(variants, on_line(7, "return t + 2;"));
  for (const char* unseen : {"return n", "return row", "return col"}) {
    EXPECT_THAT(variants, Not(on_line(7, unseen)));
  }
}

TEST(Variants, LeaveConstantsAlone) {
  const auto variants =
      variants_in(kernel("constexpr int t = 4;\n__shared__ float As[t + 12];\ncopy<16>(As);\n"
                         "static_assert(t < 8);"));
  for (const Variant& variant : variants) {
    const Change::Form form = variant.changes.front().form;
    if (form == Change::Form::insertion || form == Change::Form::statement) continue;
    EXPECT_THAT(variant.line, AnyOf(2, 3)) << variant.words;
  }
}

// Of the eight constants only six are tried: those that are used nearest to the mistake.
TEST(Variants, PreferConstantsThatAreUsedNearby) {
  const auto variants = variants_in(
      "struct Tiling {\n"
      "  static constexpr int a = 1, b = 2, c = 3, d = 4, e = 5, f = 6, lanes = 8, warps = 2;\n"
      "  static __device__ int row(int t) { return t / lanes * 4; }\n"
      "  static __device__ int col(int t) { return t % warps * lanes; }\n"
      "};\n");
  EXPECT_THAT(variants, Contains(Field(&Variant::words, HasSubstr("return t % lanes * lanes;"))));
  // The function before multiplies by 4.
  EXPECT_THAT(variants, Contains(Field(&Variant::words, HasSubstr("return t % warps * 4;"))));
}

// Extents are constants in a local class, too.
TEST(Variants, LeaveMembersOfLocalClassesAlone) {
  for (const Variant& variant :
       variants_in(kernel("constexpr int wide = 8;\nstruct Pair {\n  float a[wide][wide + "
                          "1];\n};\nC[row] = wide;"))) {
    EXPECT_NE(variant.line, 6) << variant.words;
  }
}

// A function that right calls run, too, is less likely to be at fault.
TEST(Variants, AreNearerInFunctionsThatOnlyWrongCallsRun) {
  const SourceText source(
      "__device__ int both() {\n  return 1;\n}\n"
      "__device__ int one() {\n  return 2;\n}\n"
      "void right() {\n  both();\n}\n"
      "void wrong() {\n  both();\n  one();\n}\n");
  RepairRequest request;
  request.lines = {2, 5};
  const auto steps = steps_in(source, request, {"right"});
  EXPECT_LT(steps.at(5), steps.at(2));
  EXPECT_EQ(steps.at(5), 0);
}

TEST(Variants, TakeNoShiftForAComparison) {
  const std::string text = kernel("for (int i = n; i > 1; i >>= 1) C[i] = A[i];");
  const SourceText source(text);
  for (const Variant& variant : variants_of(source, text)) {
    const std::string changed = with_edits(source, text, variant);
    EXPECT_THAT(changed, testing::AnyOf(HasSubstr("i >>= "), HasSubstr(" >>= 1"))) << variant.words;
  }
}

/// No statement is moved to a place where a name that it uses is not declared.
TEST(Variants, MoveNothingOutOfSightOfItsNames) {
  const auto variants =
      variants_in(kernel("for (int k = 0; k < n; ++k) {\nfloat s = A[k];\nC[k] = s;\n}"));
  EXPECT_THAT(variants, Not(Contains(Field(&Variant::words, HasSubstr("move 'C[k] = s;' from")))));
}

// A #pragma belongs to the loop below it.
TEST(Variants, PutNothingBetweenAPragmaAndItsLoop) {
  const std::string text = kernel(
      "__shared__ float s[4];\n  #pragma unroll\nfor (int k = 0; k < 4; "
      "++k) s[k] = 0;");
  const SourceText source(text);
  for (const Variant& variant : variants_of(source, text)) {
    if (variant.words.find("put a __syncthreads(); before line 5, '#pragma unroll'") == 0) {
      EXPECT_THAT(with_edits(source, text, variant),
                  HasSubstr("s[4];\n  __syncthreads();\n#pragma unroll\nfor"));
      return;
    }
  }
  ADD_FAILURE() << "no barrier is put before the loop";
}

TEST(Variants, AreWovenIntoTheSourceLineByLine) {
  const std::string text =
      kernel("// sum\nfloat s = 0;\nfor (int k = 0; k < n; ++k) s += A[row * n + k];");
  const SourceText source(text);
  const auto variants = variants_of(source, text);
  const std::string woven = varied(source, text, variants);
  EXPECT_EQ(std::ranges::count(woven, '\n'), std::ranges::count(text, '\n'));
  EXPECT_THAT(woven, HasSubstr("// sum\n"));
  // A test asks for a variant by its number, or for a range of numbers.
  std::set<std::size_t> asked_for;
  for (const auto& found : core::matches_of(woven, R"(variant (==|-) (\d+)(\) > (\d+)U)?)")) {
    const std::size_t first = std::stoul(found[2]);
    const std::size_t more = found[4].empty() ? 0 : std::stoul(found[4]);
    for (std::size_t i = first; i <= first + more; ++i) asked_for.insert(i);
  }
  for (std::size_t i = 0; i < variants.size(); ++i) {
    EXPECT_THAT(asked_for, Contains(i + 1)) << variants[i].words;
  }
}

}  // namespace
}  // namespace tilewise::grading
