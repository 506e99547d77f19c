// Tests the variants that are programs of their own, and those of constants that are not.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <ostream>
#include <string>
#include <vector>

#include "grading/repair/variant.hpp"

namespace tilewise::grading {
namespace {

using testing::Contains;
using testing::Field;
using testing::HasSubstr;
using testing::Not;

// A function that the compiler runs cannot read a run-time variable, so its variants are programs
// of their own.
TEST(Variants, OfConstantsAreProgramsOfTheirOwn) {
  const std::string text =
      "template <int W> __device__ constexpr int at(int lane) { return lane % W * 4; }\n"
      "__global__ void f(float* C) {\n  constexpr int rounds = 256 / 96;\n  C[at<8>(rounds)] = "
      "0;\n}\n";
  const SourceText source(text);
  const auto is_told = [](const char* words) {
    return Contains(Field(&Variant::words, HasSubstr(words)));
  };
  EXPECT_THAT(variants_of(source, text), Not(is_told("lane / W * 4")));
  const auto fixed = fixed_variants_of(source, text);
  EXPECT_THAT(fixed, is_told("lane / W * 4"));
  EXPECT_THAT(fixed, is_told("rounds = (256 + 96 - 1) / 96;"));
  EXPECT_THAT(fixed, testing::Each(Field(&Variant::changes, testing::IsEmpty())));
}

struct OfConstants {
  const char* text;
  std::vector<const char*> chosen;  ///< words of variants chosen at run time
  std::vector<const char*> fixed;   ///< words of variants fixed at compile time
  std::vector<const char*> never;
};

void PrintTo(const OfConstants& constants, std::ostream* out) { *out << constants.text; }

class ConstantsAreVaried : public testing::TestWithParam<OfConstants> {};

TEST_P(ConstantsAreVaried, WhereTheyStand) {
  const auto& [text, chosen, fixed, never] = GetParam();
  const std::string whole = text;
  const SourceText source(whole);
  const auto of_the_run = variants_of(source, whole);
  const auto of_the_compiler = fixed_variants_of(source, whole);
  const auto says = [](const char* words) { return Field(&Variant::words, HasSubstr(words)); };
  for (const char* words : chosen) EXPECT_THAT(of_the_run, Contains(says(words)));
  for (const char* words : fixed) {
    EXPECT_THAT(of_the_compiler, Contains(says(words)));
    EXPECT_THAT(of_the_run, Not(Contains(says(words))));
  }
  for (const char* words : never) {
    EXPECT_THAT(of_the_run, Not(Contains(says(words))));
    EXPECT_THAT(of_the_compiler, Not(Contains(says(words))));
  }
  for (const Variant& variant : of_the_compiler) {
    EXPECT_TRUE(variant.changes.empty()) << variant.words;
    EXPECT_NE(with_edits(source, whole, variant), whole) << variant.words;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Variants, ConstantsAreVaried,
    testing::Values(
        OfConstants{"__device__ void load(const float* A, float a, float& b, int k) {\n"
                    "  a = A[k];\n  b = A[k + 1];\n}",
                    {},
                    {"on line 1 take what is stored in as references: 'float& a'"},
                    {"& b", "& k"}},
        OfConstants{"__global__ void f(float* C) {\n  constexpr int pitch = 16 + 1;\n"
                    "  __shared__ float As[16][pitch];\n}",
                    {},
                    {"on line 2 write 'constexpr int pitch = 16 + 4;'"},
                    {}},
        OfConstants{"__global__ void f(const double* A, float beta) {\n"
                    "  __shared__ float As[16];\n  float sum = 0;\n}",
                    {},
                    {"on line 2 write '__shared__ double As[16];'", "write 'double sum = 0;'"},
                    {"double beta"}},
        OfConstants{"template <int Tile, int Rx>\n"
                    "__global__ void f(float* C, int n) {\n"
                    "  __shared__ float As[2 * Tile][Rx];\n"
                    "  fill<Tile, Rx>(As);\n"
                    "  C[n * Rx] = As[0][0];\n"
                    "}",
                    {"on line 5 write 'C[n * Tile] = As[0][0];'"},
                    {"on line 3 write '__shared__ float As[Rx][2 * Tile];'", "As[2 * Rx][Rx];'",
                     "As[3 * Tile][Rx];'", "on line 4 write 'fill<Rx, Tile>(As);'",
                     "fill<Tile, Tile>(As);'"},
                    {}},
        OfConstants{"template <class Shape>\n"
                    "__global__ void f(float* C, int n) {\n"
                    "  store<Shape::rows, float>(C, Shape::as_row + n, std::size_t(n));\n"
                    "  Shape::type value = Shape::rows * n;\n"
                    "  Shape::sum(C, Shape::as_row, value);\n"
                    "}",
                    {"Shape::rows + n", "value = Shape::as_row * n;'"},
                    {"on line 3 write 'store<Shape::as_row, float>(C"},
                    {"store<float", "Shape::type *", "Shape::type + n", "Shape::sum *"}},
        OfConstants{"constexpr int side = 16; template <class T> constexpr int unit = sizeof(T);\n"
                    "__global__ void f(float* C, int n) {\n"
                    "  constexpr int depth = 8;\n"
                    "  C[n * side] = depth;\n"
                    "}",
                    {"C[n * depth] = depth;'", "C[n * side] = side;'"},
                    {"on line 3 write 'constexpr int depth = 16;'", "depth = 9;'"},
                    {"n * unit"}},
        OfConstants{"int run(const double* A, double* C, int n) {\n"
                    "  f<<<n, n, 2 * n * sizeof(float)>>>(A, C, n);\n"
                    "}",
                    {"2 * n * sizeof(double)"},
                    {},
                    {"sizeof(int)"}},
        OfConstants{"int run(const double* A, int n) {\n"
                    "  constexpr std::size_t bytes = 2 * 16 * sizeof(float);\n"
                    "  f<<<n, n, bytes>>>(A, n);\n"
                    "}",
                    {},
                    {"on line 2 write 'constexpr std::size_t bytes = 2 * 16 * sizeof(double);'"},
                    {}},
        OfConstants{"__global__ void f(float* C) {\n"
                    "  fragment<matrix_a, 16, 16, 16, __half, wmma::row_major> a;\n"
                    "}",
                    {},
                    {"16, 16, 16, __half, wmma::col_major>"},
                    {}},
        // Constants of classes and of namespaces.
        OfConstants{"constexpr int tile = 32;\n"
                    "struct Shape {\n"
                    "  static constexpr int rows = 64, cols = 8;\n"
                    "  static constexpr int depth = 8;\n"
                    "  static constexpr int row = depth + 1;\n"
                    "};\n"
                    "__global__ void f(float* C) { C[Shape::row] = 0; }",
                    {},
                    {"on line 1 write 'tile = 16' in place of 'tile = 32'",
                     "on line 5 write 'row = depth + 4' in place of 'row = depth + 1'",
                     "on line 3 write 'cols = 4' in place of 'cols = 8'"},
                    {"row = tile"}},
        OfConstants{"struct Shape {\n"
                    "  static constexpr int across = 4, down = 8;\n"
                    "  __device__ static int row(int lane) { return lane % down * 4; }\n"
                    "};\n"
                    "__global__ void f(float* C) { C[Shape::row(3)] = 0; }",
                    {"return lane / across * 4;"},
                    {},
                    {}},
        OfConstants{"constexpr int threads = 512, most = 1024;\n"
                    "__device__ float sums[threads];\n"
                    "__global__ void f(float* C) { C[0] = sums[0]; }",
                    {},
                    {"on line 2 write 'sums[most]' in place of 'sums[threads]'"},
                    {}},
        // A constant that is declared in a block is unknown outside of it.
        OfConstants{"__global__ void f(float* C, int n) {\n"
                    "  constexpr int side = 16;\n"
                    "  C[n * side] = 1;\n"
                    "  { constexpr int depth = 8; keep(depth); }\n"
                    "}",
                    {"keep(side);"},
                    {},
                    {"n * depth"}},
        OfConstants{"constexpr int edge = 32, strip = 8;\n"
                    "int run(const float* A, int n) {\n"
                    "  const dim3 threads(strip, edge);\n"
                    "  const std::size_t bytes = 2 * n * n;\n"
                    "  f<<<n, threads, bytes>>>(A, n);\n"
                    "  f<<<n, threads, n>>>(A, n);\n"
                    "}",
                    {"threads(edge, strip);", "bytes = 2 * n * n * sizeof(float);",
                     "f<<<n, threads, n * sizeof(float)>>>(A, n);"},
                    {},
                    {"sizeof(int)"}},
        // The storage of a variable.
        OfConstants{"__global__ void f(float* C) {\n"
                    "  __shared__ float next;\n"
                    "  __shared__ float tile[4];\n"
                    "}\n"
                    "int run(int n) {\n"
                    "  static const int half = n / 2;\n"
                    "  return half;\n"
                    "}",
                    {},
                    {"on line 2 write 'float next;'", "write 'const int half = n / 2;'"},
                    {"'float tile[4];'"}},
        OfConstants{"template <int Rx, int Ry>\n"
                    "__global__ void f(float* C) {\n"
                    "  __shared__ float As[Rx][16];\n"
                    "  __shared__ float Bs[Ry][16];\n"
                    "}",
                    {},
                    {"As[Ry][16];' in place of '__shared__ float As[Rx][16];', on line 4 write "
                     "'__shared__ float Bs[Rx][16];'",
                     "on line 3 write '__shared__ float As[Ry][16];' in place of '__shared__ float "
                     "As[Rx][16];'"},
                    {}},
        // Rows of tiles are made one element longer, for other banks.
        OfConstants{"constexpr int pitch = 32 + 4;\n"
                    "__global__ void f(float* C) {\n"
                    "  __shared__ float a[32][32], b[32 + 1][32];\n"
                    "  __shared__ float c[32][32 + 1];\n"
                    "  __shared__ float d[32 + spare][32];\n"
                    "}",
                    {},
                    {"pitch = 32 + 1'", "a[32][32 + 1]", "b[32][32 + 1]", "d[32][32 + spare]"},
                    {"c[32][32 + 1 + 1]"}},
        // A square tile is stored transposed wherever it is accessed.
        OfConstants{
            "__global__ void f(const float* A, float* C, int x, int y) {\n"
            "  __shared__ float a[2][8][8 + 1];\n"
            "  __shared__ float b[8][4];\n"
            "  __shared__ float c[8][8];\n"
            "  a[0][y][x] = b[y][x] = c[y][x] = 1;\n"
            "  C[x] = a[1][x][y] + b[x][y] + c[x][y] + *c[x];\n"
            "}",
            {},
            {"on line 5 write 'a[0][x][y] = b[y][x] = c[y][x] = 1;' in place of 'a[0][y][x] = "
             "b[y][x] = c[y][x] = 1;', on line 6 write 'C[x] = a[1][y][x] + b[x][y] + c[x][y] + "
             "*c[x];'"},
            {"', on line 6 write 'C[x] = a[1][x][y] + b[y][x]",
             "', on line 6 write 'C[x] = a[1][x][y] + b[x][y] + c[y][x]"}},
        OfConstants{"__global__ void f(float* C, int n) {\n"
                    "  const auto ty = threadIdx.y;\n"
                    "  const auto last = n - 1;\n"
                    "}",
                    {},
                    {"const int ty = threadIdx.y"},
                    {"const int last"}},
        OfConstants{"int run(float* sum) { return cudaMemset(sum, 0, sizeof sum); }",
                    {},
                    {"cudaMemset(sum, 0, sizeof *sum)"},
                    {}},
        OfConstants{"__global__ void f(float* C, int n) {\n"
                    "  __shared__ __align__(8) float Bs[2 * 16][16];\n"
                    "  float own[4];\n"
                    "}",
                    {},
                    {"on line 2 write '__shared__ __align__(8) float Bs[16][2 * 16];'"},
                    {"own[5]", "__align__(9)"}}));

}  // namespace
}  // namespace tilewise::grading
