#include "common/simt/rewrite/remarks.hpp"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace tilewise::simt {
namespace {

std::string told_of(const std::string& source) {
  std::string text;
  for (const Remark& remark : remarks_on(source)) {
    text += std::to_string(remark.line) + ": " + remark.message + "\n";
  }
  return text;
}

/// Returns a kernel of two matrices, with this body on line 2.
std::string kernel(const std::string& body) {
  return "__global__ void k(const float* A, float* C, int n, std::size_t w) {\n" + body + "\n}";
}

TEST(Remarks, NameOffsetsThatOverflow) {
  const std::pair<const char*, const char*> cases[] = {
      {"int row = 1, col = 2; C[row * n + col] = 0;",
       "2: row * n is an int, and so at most 2,147,483,647: it overflows where a matrix has more "
       "elements, from n = 46,341 on; write std::size_t(row) * n"},
      {"const int row = blockIdx.y; const float* a = A + row * n;", "row * n is an int"},
      {"for (int k = 0; k < n; ++k) C[k] = A[k * n];", "k * n is an int"},
      {"int k0 = 0, ty = 1, col = 2; C[0] = A[(k0 + ty) * n + col];",
       "write std::size_t(k0 + ty) * n"},
      {"int row = 3; C[n * row] = 0;", "n * row is an int"},
  };
  for (const auto& [body, told] : cases) {
    EXPECT_NE(told_of(kernel(body)).find(told), std::string::npos) << told_of(kernel(body));
  }
}

TEST(Remarks, NameFunctionsWhoseOffsetsOverflow) {
  const std::string use = "__global__ void k(float* C, int n) { C[at(1, 2, n)] = 0; }\n";
  EXPECT_EQ(
      told_of("__device__ int at(int row, int col, int ld) { return row * ld + col; }\n" + use),
      "1: row * ld is an int, and so at most 2,147,483,647: it overflows where a matrix has "
      "more elements; let at() return a std::size_t, and write std::size_t(row) * ld\n");
  for (const char* const function :
       {"__device__ std::size_t at(int row, int col, int ld) { return std::size_t(row) * ld + col; "
        "}\n",
        "__device__ int other(int row, int col, int ld) { return row * ld + col; }\n",
        "__device__ int at(int row, int col, int ld) { return row + ld + col; }\n"}) {
    EXPECT_EQ(told_of(function + use), "") << function;
  }
}

// Grading must not wait for remarks on a source that was made long.
TEST(Remarks, AreNotMadeOnVeryLongSources) {
  const std::string remarkable = kernel("float sum = 1 / n;"), filling = "int filling;\n";
  const auto with_filling = [&](std::size_t bytes) {
    std::string source = remarkable;
    while (source.size() < bytes) source += filling;
    return told_of(source);
  };
  EXPECT_NE(with_filling(60 * 1024), "");
  EXPECT_EQ(with_filling(65 * 1024), "");
}

TEST(Remarks, TellWhereFunctionsWait) {
  EXPECT_EQ(
      told_of("cudaError_t f(float* C) {\nk<<<1, 1>>>(C);\nreturn cudaDeviceSynchronize(); }"),
      "3: cudaDeviceSynchronize() waits for the kernel, and the contract says that the function "
      "does not: its caller has the GPU idle meanwhile. Leave it out, and return "
      "cudaGetLastError() behind the launch\n");
  EXPECT_EQ(told_of("cudaError_t f(float* C, cudaStream_t own) {\nk<<<1, 1, 0, own>>>(C);\n"
                    "return cudaDeviceSynchronize(); }"),
            "");
}

TEST(Remarks, TellWhereArgumentsAreFreed) {
  const std::string begin = "cudaError_t f(const float* A, float* C, int n) {\n";
  EXPECT_EQ(told_of(begin + "cudaFree((void*)A); }"), "2: A\n");
  EXPECT_EQ(told_of(begin + "cudaFree(C); }"), "2: C\n");
  EXPECT_EQ(told_of(begin + "float* own; cudaMalloc(&own, n * sizeof *own); cudaFree(own); }"), "");
}

TEST(Remarks, DoubtNumbersOfTheWrongKind) {
  const std::pair<const char*, const char*> cases[] = {
      {"struct Shape { int rx, ry; };\nShape c;\nconst double cost = 2 / (1 / c.rx + 0.5);",
       "4: 1 / c.rx is a quotient of whole numbers, and 0 for every c.rx above 1"},
      {"const float part = 1 / n;", "2: 1 / n is a quotient of whole numbers"},
      {"const int T = 8, steps = n + T - 1 / T;",
       "2: n + T - 1 / T is n + T, since / comes first and 1 / T of whole numbers is 0"},
      {"struct Shape { float rx; };\nShape c;\nconst double cost = 2 / (1 / c.rx);", ""},
      {"struct Shape { float rx; };\nShape c;\nint rx = 2;\nconst double cost = 1 / c.rx;", ""},
      {"const float part = 1.0f / n + n * 1 / n;", ""},
      {"const float x = 2;\nunsigned large = __float_as_uint(x) & ~0x1fffu;\nC[0] = x - large;",
       "4: large holds the bits of a float, and x - large takes them for a whole number"},
      {"float x = 2;\nunsigned large = ptx::to_tf32(x);\nx = large + x;", "4: large holds"},
      {"float x = 2;\nunsigned large = __float_as_uint(x), one = 1u;\none = large + one;", ""},
      {"float x = 2;\nunsigned large = n;\nC[0] = x - large;", ""},
      {"float rest = 2;\nunsigned small = rest, large = __float_as_uint(rest);", ""},
      {"float rest = 2;\nunsigned large = __float_as_uint(rest);\nunsigned small = rest;",
       "4: small is a whole number: small = rest drops what the float rest has behind its point"},
      {"float rest = 2;\nunsigned large = __float_as_uint(rest);\nunsigned& small = large;\n"
       "small = rest;",
       "5: small is a whole number"},
      {"float rest = 2;\nunsigned small = rest;", ""},
      {"const auto rest = threadIdx.x;\nunsigned bits = __float_as_uint(2.0f);\nunsigned small = "
       "rest;",
       ""},
      {"int rest = 2;\nunsigned large = __float_as_uint(2.0f), small;\nsmall = rest;", ""},
      {"float rest = 2, large = __float_as_uint(2.0f), small;\nsmall = rest;", ""},
  };
  for (const auto& [body, told] : cases) {
    const std::string found = told_of(kernel(body));
    EXPECT_EQ(found.substr(0, std::string_view(told).size()), told) << body;
    EXPECT_EQ(found.empty(), std::string_view(told).empty()) << body << "\n" << found;
  }
}

TEST(Remarks, DoubtLoopsWithBarriersThatThreadsLeave) {
  const std::pair<const char*, const char*> cases[] = {
      {"const int tx = threadIdx.x;\nfor (int k = tx; k < n; k += 8) {\nC[k] = 0;\n"
       "__syncthreads();\n}",
       "3: k begins at tx here, so that threads with a larger tx may leave the loop a turn "
       "earlier, and do not come to its __syncthreads() on line 5"},
      {"for (int k = 8 * 2 + threadIdx.y; k < n; k += 8) { __syncthreads(); }",
       "2: k begins at threadIdx.y here"},
      {"const int tx = threadIdx.x;\nfor (int k = 0; k < n; k += 8) { __syncthreads(); }", ""},
      {"const int tx = threadIdx.x;\nfor (int k = tx; k < n; k += 8) C[k] = 0;", ""},
      {"const int x = threadIdx.x;\nfor (int k = blockIdx.x; k < n; ++k) { __syncthreads(); }", ""},
      {"const int tx = threadIdx.x;\nfor (int k = tx; k - tx < n; k += 8) { __syncthreads(); }",
       ""},
      {"const int tx = threadIdx.x;\nfor (int k = tx; k < n + tx; ++k) { __syncthreads(); }", ""},
  };
  for (const auto& [body, told] : cases) {
    const std::string found = told_of(kernel("__shared__ float tile[8]; " + std::string(body)));
    EXPECT_EQ(found.substr(0, std::string_view(told).size()), told) << body;
    EXPECT_EQ(found.empty(), std::string_view(told).empty()) << body << "\n" << found;
  }
}

TEST(Remarks, DoubtDifferencesWithoutSign) {
  const std::pair<const char*, const char*> cases[] = {
      {"const unsigned col = threadIdx.x;\nif (n - col > 0) C[col] = 0;",
       "3: col has no sign, and so n - col has none and is never below 0"},
      {"if (n > 0 && w - n >= 0) C[0] = 0;", "2: w has no sign, and so w - n has none"},
      {"const std::size_t row = 2;\nwhile (n > 1 && row - n >= 0) n /= 2;",
       "3: row has no sign, and so row - n has none"},
      {"unsigned int col = threadIdx.x;\nif (n - col > 0) C[col] = 0;", "3: col has no sign"},
      {"const int col = threadIdx.x;\nif (n - col > 0) C[col] = 0;", ""},
      {"const unsigned col = threadIdx.x;\nif (col < n - 1) C[col] = 0;", ""},
      {"unsigned left = 3;\nif (left > 0) C[left - n] = 0;", ""},
      {"std::size_t all = 2;\nconst std::size_t count = n;\nfor (; i < count - 3 * all; ++i) C[i] "
       "= 0;",
       "4: count has no sign: where 3 * all is more, count - 3 * all is no number below 0 but one "
       "near "
       "the largest that there is, and i < count - 3 * all holds for any i"},
      {"unsigned w = 2;\nif (n > 0 && i < w - n && i) C[i] = 0;",
       "3: w has no sign: where n is more"},
      {"int w = 2;\nif (i < w - n) C[i] = 0;", ""},
      {"unsigned w = 2;\nif (i < w - 1) C[i] = 0;", ""},
      {"unsigned w = 2;\nif (i < w + n) C[i] = 0;", ""},
  };
  for (const auto& [body, told] : cases) {
    const std::string found = told_of(kernel(body));
    EXPECT_NE(found.find(told), std::string::npos) << found;
    EXPECT_EQ(found.empty(), std::string_view(told).empty()) << body << "\n" << found;
  }
}

TEST(Remarks, DoubtNeighboursThatTakeTheSame) {
  const std::pair<const char*, const char*> cases[] = {
      {"c10 += a1 * b.x;\nc11 += a1 * b.x;",
       "3: c11 gets here what c10 gets on line 2, a1 * b.x\n"},
      {"c00 += a0 * b0;\nc01 += a0 * b1;\nc10 += a0 * b1;\nc11 += a1 * b1;",
       "4: c10 gets here what c01 gets on line 3, a0 * b1\n"},
      {"sum += a0 * b0;\nsum += a0 * b0;", "3: sum gets the same here as on line 2, a0 * b0\n"},
      {"As[y][x] = A[k];\nBs[y][x] = A[k];", "3: Bs[y][x] gets here what As[y][x] gets"},
      {"C[0] = c00; C[1] = c00;", "2: C[1] gets here what C[0] gets on line 2, c00\n"},
      // There is no remark on distinct values, constants, counters, variables that start from the
      // same value, and other blocks.
      {"c0 += a * b0; c1 += a * b1; C[0] = 0; C[1] = 0; i += 1; j += 1;", ""},
      {"low = A[0]; high = A[0];", ""},
      {"a += T * n;\nb += T * n;\nC[0] = *a * b[0];", ""},
      {"i += T * n;\nj += T * n;\nC[0] = A[i] * B[j + 1];", ""},
      {"if (w) { c0 += a * b; } else { c1 += a * b; }", ""},
      {"c0 += a * b; f(); c1 += a * b;", ""},
  };
  for (const auto& [body, told] : cases) {
    const std::string found = told_of(kernel(body));
    EXPECT_NE(found.find(told), std::string::npos) << found;
    EXPECT_EQ(found.empty(), std::string_view(told).empty()) << body << "\n" << found;
  }
}

TEST(Remarks, NameMacrosWithoutParentheses) {
  const std::pair<const char*, const char*> cases[] = {
      {"#define AT(r, c) r * n + c\n",
       "1: AT puts its arguments in as they stand, without parentheses: AT(n + 1, 2) on line 3 is "
       "n "
       "+ 1 * n + 2\n"},
      {"#define AT(r, c) (n / c + (r))\n", ""},
      {"#define AT(r, c) ((r) * n + (c))\n", ""},
      {"#define AT(r, c) f(r, c)\n", ""},
      {"#define AT (1)\n", ""},
      {"#define AT(r", ""},
      {"#define AT(r, ...) r * n\n",
       "1: AT puts its arguments in as they stand, without parentheses: AT(n + 1, 2) on line 3 "
       "is n + 1 * n\n"},
      {"#define AT(r, c) c[r * 2]\n",
       "1: AT puts its arguments in as they stand, without "
       "parentheses: AT(n + 1, 2) on line 3 is 2[n + 1 * 2]\n"},
  };
  for (const auto& [macro, told] : cases) {
    EXPECT_EQ(told_of(macro + kernel("C[AT(n + 1, 2)] = A[0];")), told) << macro;
  }
  const std::string halves = "#define HALF T / 2\n", more = "#define MORE T + 1\n";
  const std::pair<std::string, const char*> uses[] = {
      {halves + kernel("C[n / HALF] = 0;"),
       "1: HALF stands for T / 2 without parentheses: n / HALF on line 3 is n / T / 2\n"},
      {halves + kernel("C[HALF * w] = C[w + HALF];"), ""},
      {more + kernel("C[w * MORE] = 0;"),
       "1: MORE stands for T + 1 without parentheses: w * MORE on line 3 is w * T + 1\n"},
      {more + kernel("C[MORE * w] = 0;"),
       "1: MORE stands for T + 1 without parentheses: MORE * w on line 3 is T + 1 * w\n"},
      {more + kernel("C[w + MORE] = C[(MORE)];"), ""},
      {"#define MORE (T + 1)\n" + kernel("C[w * MORE] = 0;"), ""},
  };
  for (const auto& [source, told] : uses) EXPECT_EQ(told_of(source), told) << source;
}

TEST(Remarks, NameStatementsThatEndElsewhere) {
  const std::pair<const char*, const char*> cases[] = {
      {"float s = 0;\nfor (int k = 0; k < n; ++k);\n  s += A[k];\nC[0] = s;",
       "3: the ; behind for (...) is all that it repeats"},
      {"for (int k = 0; k < n; ++k); { C[k] = 0; }", "2: the ; behind for (...)"},
      {"if (n > 3);\n  C[0] = 1;", "2: the ; behind if (...) is all that it decides on"},
      {"switch (n) {\ncase 1: C[0] = 1;\ncase 2: C[1] = 2; break;\n}",
       "3: the case ends here without break, so that the next one, on line 4"},
      {"for (unsigned k = n - 1; k >= 0; --k) C[k] = 0;",
       "2: k has no sign and so is never below 0"},
      {"for (std::size_t k = n; k >= 0; k--) C[k] = 0;", "2: k has no sign"},
      {"float s[2][2]; for (int i = 0; i < 2; ++i) s[i][0] += A[i]; C[0] = s[0][0];",
       "2: s is declared without a value here"},
      {"float s; s += A[0]; C[0] = s;", "2: s is declared without a value here"},
      {"float a = 1, s, t = 0; s += A[0]; t += a; C[0] = s + t;",
       "2: s is declared without a value here"},
      {"const bool whole = n & 3 == 0; C[0] = whole;",
       "2: == binds more tightly than &: n & 3 == 0 is n & (3 == 0)"},
      {"const bool in = n > 3; if (in & n == 4) C[0] = 1; if ((n & 3) == 0) C[1] = 1;", ""},
      {"int row = blockIdx.y * gridDim.y + threadIdx.y; C[row] = 0;",
       "2: blockIdx.y is multiplied by gridDim.y"},
      {"int col = threadIdx.x * blockDim.x + blockIdx.x; C[col] = 0;",
       "2: threadIdx.x is multiplied by blockDim.x"},
      {"int t = threadIdx.y * blockDim.y + threadIdx.x; C[t] = 0;",
       "2: threadIdx.y is multiplied by blockDim.y, and a row of the block has blockDim.x threads"},
      {"int t = threadIdx.x + threadIdx.y * blockDim.y; C[t] = 0;",
       "2: threadIdx.y is multiplied by blockDim.y, and a row of the block has blockDim.x threads"},
      {"int row = threadIdx.y * blockDim.y + blockIdx.y; C[row] = 0;",
       "and a block begins at blockIdx.y * blockDim.y"},
      {"switch (n) { case 1: { C[0] = 1; }\ndefault: C[1] = 2; }", "2: the case ends here"},
      {"__shared__ int t[32]; t[threadIdx.x] = A[threadIdx.x]; C[0] = t[1];",
       "2: t is an array of int, and takes elements of A"},
      {"__shared__ int t[32]; const float* a = A; t[threadIdx.x] = *a; C[0] = t[1];",
       "2: t is an array of int, and takes elements of a"},
      {"__shared__ int t[32]; t[threadIdx.x] = n < 3 ? A[n] : 0.0f; C[0] = t[1];",
       "2: t is an array of int, and takes elements of A"},
      {"int row = blockIdx.y * (blockDim.y + threadIdx.y); C[row] = 0;",
       "2: the parentheses have blockIdx.y multiply threadIdx.y, too"},
      {"for (int k = 0; k = n; ++k) C[k] = 0;", "2: k = n stores n in k and compares nothing"},
      {"int k = 0; if (k = 1) C[k] = 0;", "2: k = 1 stores 1 in k"},
      {"int k = 0; while (k = n) C[k] = 0;", "2: k = n stores n in k"},
      {"float s = 0;\nfor (int k = 0; k < n; ++k) {\nfloat s = A[k];\n}\nC[0] = s;",
       "4: s is declared once more here, so that the s of line 2"},
      {"float s = 0; for (int k = 0; k < n; ++k) { float s = 0; s += A[k]; } C[0] = s;",
       "2: s is declared once more here"},
      {"float a, b; auto f = [&](int k) { float a = A[k]; b = A[k]; }; f(0); C[0] = a + b;",
       "2: a is declared once more here"},
      {"float s[2] = {}; { float s[2] = {1}; s[0] += A[0]; } C[0] = s[0];",
       "2: s is declared once more here"},
      {"for (int i = 0; i < n; ++i) for (int j = 0; j < n; ++i) C[j] = 0;",
       "2: the loop compares j and steps i"},
      {"int i = 0; for (int k = 0; k < n; i += 16) { C[k] = A[i]; }",
       "2: the loop compares k and steps i"},
      {"float s = 0; s =+ A[0]; C[0] = s;", "2: =+ stores what follows it"},
      {"__shared__ float t[32]; t[threadIdx.x] = 0; __syncthreads; C[0] = t[1];",
       "2: __syncthreads without parentheses names the function"},
      {"int row = blockIdx.y * blockDim.y + threadIdx.x; C[row] = 0;",
       "2: the threads of a block are counted along y and placed by threadIdx.x"},
      {"for (int r = threadIdx.y; r < n; r += blockDim.x) C[r] = 0;",
       "2: the loop begins at threadIdx.y and steps by blockDim.x"},
      {"const double* d = (const double*)A; C[0] = d[0];",
       "2: A leads to elements of type float, and the cast has their bits read as double"},
      {"C[0] = *reinterpret_cast<const double*>(A);", "2: A leads to elements of type float"},
      {"fragment<accumulator, 16, 16, 16, float> sum; mma_sync(sum, a, b, sum);",
       "2: a fragment that sums up is declared here, and nothing fills it"},
  };
  for (const auto& [body, told] : cases) {
    EXPECT_NE(told_of(kernel(body)).find(told), std::string::npos) << body << told_of(kernel(body));
  }
}

TEST(Remarks, NameLoopsThatGoOnWhereTheyEnded) {
  const char* const told =
      "3: col goes on here where the loop ended the last time: the loop of "
      "line 2 around it never sets col anew";
  const std::pair<const char*, bool> cases[] = {
      {"int col = 0; for (int row = 0; row < n; ++row)\nfor (; col < n; col += 8) C[col] = 0;",
       true},
      {"int col = 0; for (int row = 0; row < n; ++row) {\nwhile (col < n) { C[col] = 0; ++col; "
       "}\n}",
       true},
      {"int col = 0; for (int row = 0; row < n; ++row) { col = 1;\nfor (; col < n; ++col) f(); }",
       false},
      {"int col = 0; for (int row = 0; row < n; ++row) { int col = 1;\nfor (; col < n; ++col) f(); "
       "}",
       false},
      {"int col = 0; for (int row = 0; row < n; ++row, col = 0) {\nfor (; col < n; ++col) f(); }",
       false},
      {"int col = 0; for (int row = 0; row < n; row += 4) {\nfor (; col < row; ++col) f(); }",
       false},
      {"int col = 0; for (int row = 0; row < n; ++row) {\nwhile (col < n && A[col] < row) ++col; }",
       false},
      {"int col = 0; for (int row = 0; row < n; ++row) {\nwhile (col < n) { if (f()) break; ++col; "
       "} }",
       false},
      {"int col = 0;\nfor (; col < n; ++col) C[col] = 0;", false},
  };
  for (const auto& [body, is_told] : cases) {
    EXPECT_EQ(told_of(kernel(body)).find(told) != std::string::npos, is_told)
        << body << "\n"
        << told_of(kernel(body));
  }
}

TEST(Remarks, NameRemaindersOfMultiples) {
  const std::string told =
      "3: k0 goes up by Tile from turn to turn, and k0 % 2 is the same for all multiples of 2";
  const std::pair<const char*, bool> cases[] = {
      {"for (int k0 = 0; k0 < n; k0 += Tile)\nf(k0 % 2);", true},
      {"for (int k0 = 0; k0 < n; k0 += Tile) {\nint p = k0 % 2; }", true},
      {"for (int k0 = 0; k0 < n; k0 += Tile)\nf(k0 / Tile % 2);", false},
      {"for (int k0 = 0; k0 < n; k0 += 1)\nf(k0 % 2);", false},
      {"for (int k0 = threadIdx.x; k0 < n; k0 += Tile)\nf(k0 % 2);", false},
      {"for (int k0 = 0; k0 < n; ++k0)\nf(k0 % 2);", false},
      {"for (int k0 = 0; k0 < n; k0 += Tile)\nf(k0 % n);", false},
  };
  for (const auto& [body, is_told] : cases) {
    EXPECT_EQ(told_of(kernel(body)).find(told) != std::string::npos, is_told) << body;
  }
}

TEST(Remarks, NamePointersThatStayBehind) {
  const std::string told = "of the 2 pointers a, only a[0] moves on: the others stay";
  const std::pair<const char*, bool> cases[] = {
      {"const float* a[2]; for (int i = 0; i < 2; ++i) a[i] = A + i;\nf(); a[0] += 4;", true},
      {"const float* a[2]; a[0] = A; a[1] = A; a[0] += 4; a[1] += 4;", false},
      {"const float* a[2]; for (int i = 0; i < 2; ++i) { a[i] = A + i; a[i] += 4; }", false},
      {"const float* a[2]; a[1] = A; for (int i = 0; i < 2; ++i) a[i] = A;", false},
  };
  for (const auto& [body, is_told] : cases) {
    EXPECT_EQ(told_of(kernel(body)).find(told) != std::string::npos, is_told)
        << body << told_of(kernel(body));
  }
}

TEST(Remarks, LetPassStatementsThatAreMeantSo) {
  for (const char* body : {
           "int k = 0; for (; k < n && A[k] > 0; ++k);\nC[0] = k;",
           "int k = 0; do { ++k; } while (k < n);\n  C[0] = k;",
           "switch (n) { case 1: C[0] = 1; break; case 2: return; default: C[1] = 2; }",
           "switch (n) { case 1: case 2: C[0] = 1; break; }",
           "switch (n) { case 1: if (w) { return; } else { C[0] = 1; } case 2: break; }",
           "switch (n) { case 1: { C[0] = 1; break; } case 2: break; }",
           "switch (n) { case 1: C[0] = 1; [[fallthrough]]; case 2: break; }",
           "__shared__ int t[32]; t[threadIdx.x] = int(A[threadIdx.x]); C[0] = t[1];",
           "__shared__ int t[32]; t[threadIdx.x] = n; C[0] = t[1];",
           "for (int i = 0, j = n; i < j; --j) C[i] = 0;",
           "int i = 0; for (int k = 0; k < n; ++i) { C[i] = 0; k += 2; }",
           "int i = 0; for (int k = 0; k < n && i < n; ++i) C[i] = 0;",
           "float s = 0; s = +A[0]; s =-A[0]; C[0] = s;",
           "int row = blockIdx.y * blockDim.y + threadIdx.y; C[row] = 0;",
           "for (int r = threadIdx.y; r < n; r += blockDim.y) C[r] = 0;",
           "C[0] = *reinterpret_cast<const float*>(A); auto u = (const unsigned*)A;",
           "fragment<accumulator, 16, 16, 16, float> sum; fill_fragment(sum, 0.0f);",
           "fragment<accumulator, 16, 16, 16, float> sum; sum.x[0] = 0;",
       }) {
    EXPECT_EQ(told_of(kernel(body)), "") << body;
  }
}

TEST(Remarks, LetPassOffsetsThatAreWideOrSmall) {
  for (const char* body : {
           "int row = 1, col = 2; C[std::size_t(row) * n + col] = 0;",
           "int row = 1; C[(std::size_t)row * n] = 0;",
           "int row = 1; C[static_cast<long long>(row) * n] = 0;",
           "std::size_t row = 1; C[row * n] = 0;",
           "auto row = w; C[row * n] = 0;",
           "int row = 1; C[row * w] = 0;",
           "int row = 1; C[w * row * n] = 0;",
           "long row = 1; C[row * n] = 0;",
           "int blocks = 2; int all = blocks * n; C[0] = all;",
           "int k0 = 1; if (k0 * n < 3) C[0] = 1;",
           "__shared__ float t[64]; int ty = threadIdx.y; t[ty * n] = 0; C[0] = t[0];",
           "int tile = blockDim.x, ty = 1; float* As = C; As[ty * tile] = 0;",
           "int row = 1; C[f(row * n)] = 0;",
           "unsigned row = 1; C[row * n] = 0;",
           "unsigned int row = 1; C[row * n] = 0;",
           "long long k = 1; int y = 2; C[(k + y) * n] = 0;",
           "int y = 2; C[(w + y) * n] = 0;",
           "int row = 1; C[(row + 0ull) * n] = 0;",
           "for (int k = 0; k < 2; ++k) {} for (std::size_t k = 0; k < w; ++k) C[k * n] = 0;",
           "int row = 1; auto at = [=](std::size_t row) { return A[row * n]; }; C[row] = at(w);",
           "int r = threadIdx.y; C[w * n + r * n] = 0;",
           "int t = threadIdx.x, r = t / 16, c = t % 16; C[r * n + c] = 0;",
           "C += w * n; int r = 2; C[r * n] = 0;",
       }) {
    EXPECT_EQ(told_of(kernel(body)), "") << body;
  }
  EXPECT_EQ(told_of("void host(float* C, int n) { int row = 1; C[row * n] = 0; }"), "");
  EXPECT_EQ(told_of("__device__ float at(const float* t, int row, int n) { return t[row * n]; }"),
            "");
}

TEST(Remarks, NameArraysThatAreNotShared) {
  const std::string place = "int tx = threadIdx.x, ty = threadIdx.y; ";
  EXPECT_EQ(told_of(kernel(place + "struct Pair { float a[16][16]; };\n__shared__ Pair pairs[2];\n"
                                   "pairs[0].a[ty][tx] = A[0]; __syncthreads();")),
            "");
  EXPECT_EQ(told_of(kernel(place + "float As[16][16];\nAs[ty][tx] = A[0]; __syncthreads();")),
            "3: As is filled by the places of threads here, and is not __shared__: each thread has "
            "an array As of its own, and nobody sees what another has put there\n");
  EXPECT_NE(
      told_of(kernel("float t[16]; t[threadIdx.x] = 1; __syncthreads();")).find("t is filled"),
      std::string::npos);
  EXPECT_NE(told_of(kernel("__shared__ float a[16]; float b[16]; " + place +
                           "a[tx] = 1; b[tx] = 2; __syncthreads();"))
                .find("b is filled"),
            std::string::npos);
  EXPECT_NE(told_of(kernel("float sum = 0; __syncthreads(); C[0] = sum;"))
                .find("2: threads wait for each other here, and no array is __shared__"),
            std::string::npos);
}

TEST(Remarks, LetPassArraysOfAThreadsOwn) {
  const std::string place = "int tx = threadIdx.x; __shared__ float a[16]; ";
  for (const char* body :
       {"a[tx] = 1; __syncthreads(); float sum[4]; sum[0] = a[tx]; C[0] = sum[0];",
        "float sum[4]; for (int i = 0; i < 4; ++i) sum[i] = a[tx];",
        "float next[2] = {}; next[1] = A[tx];", "a[tx] = 1; __syncthreads();"}) {
    EXPECT_EQ(told_of(kernel(place + body)), "") << body;
  }
  EXPECT_EQ(told_of("extern __shared__ float a[];\n__global__ void k() { a[threadIdx.x] = 1; "
                    "__syncthreads(); }"),
            "");
}

TEST(Remarks, NameIntsThatSumFractions) {
  const std::string place = "int tx = threadIdx.x; __shared__ float a[16]; ";
  EXPECT_EQ(told_of(kernel("int sum = 0;\nfor (int k = 0; k < 4; ++k) sum += A[k] * 2;")),
            "3: sum is an int, and elements of A are added to it: each time what comes after the "
            "point is lost\n");
  EXPECT_EQ(told_of(kernel("auto sum = 0;\nfor (int k = 0; k < 4; ++k) sum += A[k] * 2;")),
            "3: sum is an int, and elements of A are added to it: each time what comes after the "
            "point is lost\n");
  EXPECT_NE(told_of(kernel(place + "int s = 0; s += a[tx];")).find("elements of a"),
            std::string::npos);
  EXPECT_NE(
      told_of(kernel(place + "int s = 0; const float* p = A; s += *p * *A;")).find("elements of A"),
      std::string::npos);
  for (const char* body :
       {"float sum = 0; sum += a[tx] * A[tx];", "for (int k = 0; k < n; k += 4) { a[tx] = A[k]; }",
        "int s = 0; s += (int)a[tx]; s += (a[tx] > 0); s += n * n;",
        "{ int s = 0; s += tx; } float s = 0; s += a[tx] * A[tx];",
        "int s = 0; s += tx; C[s] += a[tx];", "int at = 0; at += int(a[tx]);",
        "int s = 0; s += 3; float t = A[s];", "auto s = 0.0f; s += a[tx] * A[tx];",
        "auto s = 0; auto t = 0.f; t += a[tx] * A[tx]; s += 1;",
        "__shared__ int b[16]; int s = 0; s += b[tx];",
        "for (int sum = 0; sum < 3; ++sum) {} for (auto sum : a) { sum += A[0]; }"}) {
    EXPECT_EQ(told_of(kernel(place + body)), "") << body;
  }
}

TEST(Remarks, NameResultsThatACopyTakes) {
  EXPECT_EQ(
      told_of("__device__ void load(const float* A, int i, float a, float b) {\n"
              "  if (i > 0) a = A[i];\n  else a = 0;\n  b += A[i + 1];\n}"),
      "2: a is a copy of what load is called with: what is stored in it here is lost when load "
      "ends\n"
      "4: b is a copy of what load is called with: what is stored in it here is lost when load "
      "ends\n");
  for (const char* function :
       {"__device__ void f(float& a) { a = 1; }", "__device__ void f(float* a) { *a = 1; }",
        "__device__ void f(float a[2]) { a[0] = 1; }",
        "__device__ float f(float a) { a = 1; return a; }",
        "__device__ void f(int k, float* C) { k += 1; C[k] = 0; }",
        "__device__ void f(float a) { for (int i = 0; i < 3; ++i) { g(a); a += 1; } }",
        "__device__ void f(float a) { float b = a = 1; }", "__device__ void f(float a) {}",
        "__device__ void f(Pair p, float a) { p.a = 1; }"}) {
    EXPECT_EQ(told_of(function), "") << function;
  }
}

TEST(Remarks, NameArraysThatBeginAtOneByte) {
  EXPECT_EQ(told_of(kernel("extern __shared__ float As[];\nextern __shared__ float Bs[];")),
            "3: As and Bs are both extern __shared__, and so begin at the same byte: what is "
            "written to one stands in the other\n");
  EXPECT_EQ(told_of(kernel("extern __shared__ float As[]; float* Bs = As + n;")), "");
  EXPECT_EQ(told_of("__global__ void k() { extern __shared__ float a[]; }\n"
                    "__global__ void l() { extern __shared__ double b[]; }"),
            "");
}

TEST(Remarks, NameLaunchesWithoutAnExtentThatTheKernelAsksFor) {
  const std::string kernels =
      "template <int T> __global__ void k(float* C, int n) { C[blockIdx.y * n + threadIdx.y] = 0; "
      "}\n"
      "__global__ void l(float* C) { C[blockIdx.x] = threadIdx.x; }\n"
      "__global__ void m(float* C) { int t = threadIdx.y * blockDim.x + threadIdx.x; C[t] = 0; } "
      "__global__ void o(float* C) { C[0] = 1; } __global__ void unwritten() { int i = 0; }\n";
  const std::pair<const char*, const char*> cases[] = {
      {"dim3 block(16, 16);\ndim3 grid((n + 15) / 16); k<4><<<grid, block>>>(C, n);",
       "5: the grid has one extent here, so that it is 1 along y, and k asks for blockIdx.y, which "
       "is always 0\n"},
      {"dim3 block(16 * 16), grid(f(n, 2), 2); k<4><<<grid, block>>>(C, n);",
       "4: the block has one extent here, so that it is 1 along y, and k asks for threadIdx.y, "
       "which is always 0\n"},
      {"dim3 block(16, 16), grid(2, 2); k<4><<<grid, block>>>(C, n);", ""},
      {"dim3 grid(9); l<<<grid, 16>>>(C);", ""},
      {"dim3 grid(1), block(256); m<<<grid, block>>>(C);", ""},
      {"dim3 grid(9); grid.y = 3; k<4><<<grid, dim3(16, 16)>>>(C, n);", ""},
      {"dim3 grid(9); set(&grid); k<4><<<grid, dim3(16, 16)>>>(C, n);", ""},
      {"dim3 grid; grid = dim3(3, 3); k<4><<<grid, dim3(16, 16)>>>(C, n);", ""},
      {"dim3 grid = (3, n); k<4><<<grid, dim3(16, 16)>>>(C, n);",
       "4: of values with a comma between them, C++ takes the last alone: grid has that along x, "
       "and 1 along y\n"},
      {"int blocks = ceil(n / 16);",
       "4: n / 16 is a division of integers, which rounds down before ceil() sees it\n"},
      {"int blocks = ceil(n / 16.0), b = ceil(float(n) / 16), c = ceil(n * 0.5f);", ""},
      {"l<<<4, dim3(8, 8)>>>(C);",
       "4: the block has two extents here, and l never asks for threadIdx.y: threads that lie "
       "below "
       "each other do the same once more\n"},
      {"dim3 grid(4, n); l<<<grid, dim3(8, 1)>>>(C);",
       "4: the grid has two extents here, and l never asks for blockIdx.y: blocks that lie below "
       "each other do the same once more\n"},
      {"o<<<n, 1>>>(C);",
       "4: more than one block is launched here, and o never asks for blockIdx: each block does "
       "the "
       "same once more\n"},
      {"o<<<1, n>>>(C);",
       "4: more than one thread is launched here, and o never asks for threadIdx: each thread of a "
       "block does the same once more\n"},
      {"dim3 one(1); o<<<one, 1>>>(C); o<<<dim3(1, 1), 1>>>(C);", ""},
      {"unwritten<<<n, n>>>();", ""},
      {"other<<<n, n>>>(C); m<<<1, dim3(8, 8)>>>(C);", ""},
  };
  for (const auto& [body, told] : cases) {
    EXPECT_EQ(told_of(kernels + "void host(float* C, int n) { " + body + " }"), told) << body;
  }
}

TEST(Remarks, NameVariablesThatOneThreadSetsForAll) {
  const std::pair<const char*, const char*> cases[] = {
      {"bool last;\nif (threadIdx.x == 0) last = n == 3;\n__syncthreads();\nif (last) C[0] = 0;",
       "3: last is set here by one thread alone and is not __shared__: each thread has a last of "
       "its own, and on line 5 all the others read what theirs was before"},
      {"const int tx = threadIdx.x; int at = 0;\nif (tx == 0 && n > 2) { C[0] = 1; at = n; }\n"
       "__syncthreads();\nC[at] = 0;",
       "3: at is set here"},
      {"float all = 0;\nif (!threadIdx.x) all = A[0];\n__syncthreads();\nC[threadIdx.x] = all;",
       "3: all is set here"},
      {"__shared__ bool last;\nif (threadIdx.x == 0) last = n == 3;\n__syncthreads();\n"
       "if (last) C[0] = 0;",
       ""},
      {"float sum = 0;\nif (threadIdx.x < 8) sum = A[0];\n__syncthreads();\nC[0] = sum;", ""},
      {"float sum = 0;\nif (threadIdx.x == 0) sum = A[0];\n__syncthreads();\n"
       "if (threadIdx.x == 0) C[0] = sum;",
       ""},
      {"float sum = 0;\nif (threadIdx.x == 0) sum = A[0];\nC[0] = sum;", ""},
      {"float sum = 0;\nif (threadIdx.x == 0) sum = A[0];\n"
       "sum = __shfl_sync(0xffffffffu, sum, 0);\n__syncthreads();\nC[0] = sum;",
       ""},
      {"float sum = 0;\nif (threadIdx.x == 0) sum = A[0]; else sum = 1;\n__syncthreads();\n"
       "C[0] = sum;",
       ""},
      {"bool last = false;\nif (threadIdx.x == 0) last = n == 3;\n"
       "if (__syncthreads_or(last)) C[0] = 0;",
       ""},
  };
  for (const auto& [body, told] : cases) {
    const std::string found = told_of(kernel(body));
    EXPECT_EQ(found.substr(0, std::string_view(told).size()), told) << body;
    EXPECT_EQ(found.find("is set here") == found.npos, std::string_view(told).empty()) << body;
  }
}

TEST(Remarks, NameVariablesThatHideWhatTheNextTurnReads) {
  const std::pair<const char*, const char*> cases[] = {
      {"float next = A[0];\nfor (int k = 0; k < n; ++k) {\nC[k] = next;\nif (k < n - 1) {\n"
       "float next = A[k];\n}\n}",
       "6: next is declared once more here, so that the next of line 2, which is read afterwards, "
       "is another one and never changes\n"},
      {"float next = 0; if (n > 2) next = A[0];\nfor (int k = 0; k < n; ++k) {\nC[k] = next;\n"
       "if (k < n - 1) {\nfloat next = A[k];\n}\n}",
       "6: next is declared once more here"},
      {"float next = A[0];\nC[0] = next;\nfor (int k = 0; k < n; ++k) {\nfloat next = A[k]; C[k] = "
       "next;\n}",
       ""},
      {"float next = A[0];\nfor (int k = 0; k < n; ++k) {\nC[k] = next;\nnext = A[k];\nif (k > 2) "
       "{\nfloat next = A[k]; C[0] = next;\n}\n}",
       ""},
      {"const float next = A[0];\nfor (int k = 0; k < n; ++k) {\nC[k] = next;\nif (k > 2) {\n"
       "float next = A[k]; C[0] = next;\n}\n}",
       ""},
  };
  for (const auto& [body, told] : cases) {
    const std::string found = told_of(kernel(body));
    EXPECT_EQ(found.substr(0, std::string_view(told).size()), told) << body;
    EXPECT_EQ(found.empty(), std::string_view(told).empty()) << body << "\n" << found;
  }
}

TEST(Remarks, NameConstantsThatALocalHides) {
  const std::string constant = "constexpr int warp = 32;\n";
  EXPECT_EQ(
      told_of(constant + kernel("const int warp = threadIdx.x / 32;\nC[warp] = 0;")),
      "3: warp is declared anew here and hides the constant warp = 32 of line 1: wherever warp "
      "stands from here to line 5, it is this one\n");
  for (const char* const body : {"const int own_warp = threadIdx.x / warp;\nC[own_warp] = 0;",
                                 "constexpr int warp = 8;\nC[warp] = 0;"}) {
    EXPECT_EQ(told_of(constant + kernel(body)), "") << body;
  }
}

TEST(Remarks, NameWhatALambdaChangesInItsCopies) {
  const char* const told =
      "3: the lambda of line 3 captures by value, [=], and stores in a copy of next of its own: "
      "the next outside stays what it is\n";
  const std::pair<const char*, const char*> cases[] = {
      {"float next = 0;\nauto fetch = [=](int k) mutable { next = A[k]; };\nfetch(1);\nC[0] = "
       "next;",
       told},
      {"float next = 0;\nauto fetch = [&](int k) { next = A[k]; };\nfetch(1);\nC[0] = next;", ""},
      {"float next = 0;\nauto fetch = [=](int k) mutable { float next = A[k]; C[k] = next; };\n"
       "fetch(1);\nC[0] = next;",
       ""},
      {"float next = 0;\nauto fetch = [=](int k) mutable { next = A[k]; C[k] = next; };\nfetch(1);",
       ""},
  };
  for (const auto& [body, words] : cases) {
    const std::string found = told_of(kernel(body));
    EXPECT_EQ(found.find("captures by value") == found.npos, *words == '\0') << body;
    EXPECT_EQ(found.substr(0, std::string_view(words).size()), words) << body;
  }
}

TEST(Remarks, NamePowersThatOverflow) {
  const std::pair<const char*, const char*> cases[] = {
      {"const double flop = 2 * n * n * n;",
       "2: 2 * n * n * n is computed as an int, whatever takes it, and that overflows from n = "
       "1024 on\n"},
      {"C[0] = f(n * n * n) / 2;",
       "2: n * n * n is computed as an int, whatever takes it, and that "
       "overflows from n = 1291 on\n"},
      {"const double flop = 2.0 * n * n * n;", ""},
      {"const double flop = double(n) * n * n * n;", ""},
      {"const double flop = 2 * w * w * w;", ""},
      {"const unsigned int m = n; const double flop = 2 * m * m * m;", ""},
      {"const double flop = 2 * n * n * w;", ""},
      {"const long m = n; const double flop = 2 * m * m * m;", ""},
      {"const double flop = w * n * n * n;", ""},
  };
  for (const auto& [body, told] : cases) EXPECT_EQ(told_of(kernel(body)), told) << body;
}

TEST(Remarks, NameTruthsWhereBytesAreCounted) {
  const std::pair<const char*, const char*> cases[] = {
      {"const bool is_there = n > 3;\nptx::cp_async<16>(C, A, is_there);",
       "3: cp_async is told how many bytes there are, and is_there is true or false: that is 1 "
       "byte or none, and the others become 0\n"},
      {"cp_async<sizeof(float)>(C, A, n < 3 && w < 3);",
       "2: cp_async is told how many bytes there are, and n < 3 && w < 3 is true or false"},
      {"cp_async<16>(C, A, n < 3 ? 16 : 0);", ""},
      {"cp_async<16>(C, A, 16 * (n < 3));", ""},
      {"cp_async<16>(C, A, n);", ""},
      {"cp_async<16>(C, A);", ""},
  };
  for (const auto& [body, told] : cases) {
    const std::string found = told_of(kernel(body));
    EXPECT_EQ(found.substr(0, std::string_view(told).size()), told) << body;
    EXPECT_EQ(found.empty(), std::string_view(told).empty()) << body << "\n" << found;
  }
}

TEST(Remarks, TellElementsFromBytes) {
  const std::string begin = "cudaError_t f(const float* A, int n) {\nfloat* own; char* raw;\n";
  for (const auto& [call, told] : {
           std::pair{"cudaMalloc(&own, n * n);", "3: cudaMalloc counts bytes, and n * n is"},
           {"cudaMalloc((void**)&own, std::size_t(n) * n);", "3: cudaMalloc counts bytes"},
           {"cudaMemcpy(own, A, n * n, cudaMemcpyDeviceToDevice);", "3: cudaMemcpy counts bytes"},
           {"cudaMemset(own, 0, n);", "3: cudaMemset counts bytes, and n is"},
           {"cudaMemset(own, 0, 1);", "3: cudaMemset counts bytes, and 1 of them are not one"},
           {"cudaMemcpy(own, A, sizeof(A), cudaMemcpyDefault);",
            "3: sizeof(A) is the 8 bytes of a"},
       }) {
    EXPECT_NE(told_of(begin + call + "}").find(told), std::string::npos)
        << call << told_of(begin + call + "}");
  }
  for (const char* call : {
           "cudaMalloc(&own, n * n * sizeof(float));",
           "cudaMalloc(&own, n * n * 4);",
           "cudaMemset(own, 0, 4); cudaMemset(raw, 0, 1); cudaMalloc(&own, sizeof *A);",
           "cudaMalloc(&raw, n * n);",
           "size_t bytes = n * 4; cudaMalloc(&own, bytes);",
           "cudaMemset(own, 0, sizeof *own * n);",
           "cudaMalloc(&own, bytes_of(n));",
       }) {
    EXPECT_EQ(told_of(begin + call + "}"), "") << call;
  }
}

TEST(Remarks, SayNothingOfNamesAndConditionsThatAreMeantSo) {
  for (const char* body : {
           "float s = 0; { float s = 1; C[1] = s; } s += A[0]; C[0] = s;",
           "float s = 0; { float s = 1; C[1] = s; }",
           "float s = 0; { float s = 1; C[1] = s; } f(&s); C[0] = s;",
           "float s = 0; { float s = 1; C[1] = s; } f(s); C[0] = s;",
           "{ float s = 1; C[1] = s; } { float s = 0; C[0] = s; }",
           "for (int i = 0; i < n; ++i) { for (int i = 0; i < 2; ++i) C[i] = 0; C[i] = 1; }",
           "int i = 0; { int i = 1; C[i] = 0; } while (i < 3) { C[i] = 0; i++; }",
           "int k; while (k = next()) C[k] = 0;",
           "int k = 0; if (k == 1) C[k] = 0; for (; k <= n; ++k) C[k] = 0;",
           "int row = blockIdx.y * (blockDim.y + 1); C[row] = 0;",
           "__shared__ int t[32]; t[threadIdx.x] = n < 3 ? int(A[n]) : 0; C[0] = t[1];",
       }) {
    EXPECT_EQ(told_of(kernel(body)), "") << body;
  }
}

TEST(Remarks, SayNothingOfSumsThatStartSomewhere) {
  for (const char* body :
       {"float s[2]; s[0] = 0; s[1] = 0; s[0] += A[0]; C[0] = s[0];",
        "float s = 0; s += A[0]; C[0] = s;", "float s[2] = {}; s[0] += A[0]; C[0] = s[0];",
        "float s; clear(&s); s += A[0]; C[0] = s;",
        "float s[4]; fill(s); s[0] += A[0]; C[0] = s[0];",
        "__shared__ float s[4]; s[threadIdx.x] += A[0]; C[0] = s[0];"}) {
    EXPECT_EQ(told_of(kernel(body)).find("without a value"), std::string::npos) << body;
  }
}

}  // namespace
}  // namespace tilewise::simt
