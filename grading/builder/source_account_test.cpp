#include "grading/builder/source_account.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace tilewise::grading {
namespace {

using ::testing::HasSubstr;

std::string source(const std::string& body) {
  return "__device__ void bring(float* to, const float* from, int n) {\n"
         "  to[threadIdx.x] = from[threadIdx.x * n];\n}\n"
         "__global__ void kernel(const float* A, const float* B, float* C, int m, int n) {\n"
         "  __shared__ float As[2][16][17];\n" +
         body +
         "\n}\n"
         "int multiply(const float* A, const float* B, float* C, int n) {\n"
         "  kernel<<<1, 1>>>(A, B, C, n, n);\n  return 0;\n}\n";
}

struct Case {
  const char* name;
  Finding finding;
  const char* body;  ///< from line 6 on
  const char* message;
  const char* hint = "";
  int line = 0;
};

Finding stray(int line, const char* array, int bracket = 0) {
  return {
      .kind = "out-of-bounds", .file = "a.cu", .line = line, .array = array, .bracket = bracket};
}

Finding wrong(const char* message, const char* array = "") {
  return {.kind = "wrong-result", .message = message, .call = "multiply(n=3)", .array = array};
}

Finding race(int line, int other_line, const char* array) {
  return {.kind = "race",
          .message = std::string("race on shared ") + array,
          .file = "a.cu",
          .line = line,
          .other_file = "a.cu",
          .other_line = other_line,
          .call = "multiply(n=3)",
          .array = array};
}

const Case cases[] = {
    {"too much shared memory",
     {.kind = "launch",
      .message = "kernel<true> declares 49664 bytes of shared memory, but a block of this GPU has "
                 "49152: use smaller tiles",
      .file = "a.cu",
      .line = 12},
     "  constexpr int stages = 2 * 4;\n  __shared__ float Bs[stages][16];",
     " Line 5 declares __shared__ float As[2][16][17]. Line 7 declares __shared__ float "
     "Bs[stages][16]. In that, stages = 2 * 4 on line 6.",
     "Make the extents of these arrays smaller"},
    {"a recursion without end",
     {.kind = "crash",
      .message = "The stack overflowed: is there a recursion without end, or a huge local array?",
      .file = "a.cu",
      .line = 11},
     "}\nint solve(int m) {\n  if (m < 64) {\n    return 1;\n  }\n  return solve((m + 63) / 64 * "
     "64);\n",
     " solve() calls itself on line 11. What ends solve is m < 64 on line 8.",
     "Compare the sizes that line 11 hands on"},
    {"a large array",
     {.kind = "crash",
      .message = "The stack overflowed: is there a recursion without end, or a huge local array?",
      .file = "a.cu",
      .line = 7},
     "  if (m < 64) return;\n  double all[100000];",
     ""},
    {"another launch that fails",
     {.kind = "launch", .message = "kernel was not launched", .file = "a.cu", .line = 12},
     "  constexpr int stages = 2;\n  __shared__ float Bs[stages][16];",
     ""},
    {"another row is tested", stray(7, "A"), "  if (row < m)\n    sum += A[(row + i) * n + 0];",
     " Line 7 reads A[(row + i) * n + 0]. What lets a thread through to it: row < m on line 6. "
     "None "
     "of this tests row + i.",
     "Test row + i itself, as line 7 uses it"},
    {"an array of pointers", stray(10, "A"),
     "  const float* a[2];\n  for (int i = 0; i < 2; ++i)\n    a[i] = A + (row + i * 8) * n + k;\n"
     "  if (k < n)\n    sum += *a[i];",
     " Line 10 reads a[i], where a[i] begins at A + (row + i * 8) * n + k on line 8. What lets a "
     "thread through to it: k < n on line 9. None of this tests row + i * 8.",
     "Test row + i * 8 itself, as line 10 uses it"},
    {"an array of pointers that is handed on and read without brackets", stray(9, "A"),
     "  const float* a[2];\n  for (int i = 0; i < 2; ++i) a[i] = A + i * n;\n  use(a);\n"
     "  sum += **a + *a[0];",
     " Line 9 reads a[0], where a[0] begins at A + i * n on line 7."},
    {"an array of pointers, two of which are made", stray(9, "A"),
     "  const float* a[2];\n  a[0] = A + row * n;\n  a[1] = A + col * n;\n  sum += a[i][k];",
     " Line 9 reads a[i][k], of float* a[2] on line 6."},
    {"nothing is tested", stray(6, "C"), "  C[row * n + col] = 0;",
     " Line 6 stores to C[row * n + col]. No condition stands before it: all threads make it.",
     "Before line 6 compare the row and the column"},
    {"something like it is tested", stray(7, "B"),
     "  if (row * n + col < n * n)\n    sum += B[k * n + col];",
     "None of this tests k. What is tested on line 6 is row * n + col, and what is used is col."},
    {"a loop alone", stray(7, "A"), "  for (int k = 0; k <= n; ++k)\n    sum += A[row * n + k];",
     "What lets a thread through to it: k <= n on line 6. None of this tests row."},
    {"those that have returned", stray(7, "A"),
     "  if (col >= n) return;\n  sum += A[row * n + col];",
     "not (col >= n) on line 6. None of this tests row."},
    {"a pointer that moves", stray(7, "A"),
     "  for (;;) { if (k < n) {\n    sum += A[row * n + k];\n  } A += 16; }",
     "A itself moves on line 8: A += 16."},
    {"a pointer that was made", stray(8, "B"),
     "  const float* a = A + row * n;\n  const float* b = B + min(col, n - 1) + ty * n;\n"
     "  if (k0 < n) sum += *a * *b;",
     " Line 8 reads b, where b begins at B + min(col, n - 1) + ty * n on line 7. What lets a "
     "thread "
     "through to it: k0 < n on line 8. None of this tests ty.",
     "Test ty itself, as line 8 uses it"},
    {"a shared index", stray(6, "As", 3), "  As[p][ty][tx + 2] = 0;",
     " Line 6 stores to As[p][ty][tx + 2], of float As[2][16][17] on line 5."},
    {"what a shared index is made of",
     {.kind = "out-of-bounds",
      .file = "a.cu",
      .line = 8,
      .call = "multiply(n=3)",
      .array = "As",
      .bracket = 2},
     "  const int t = threadIdx.x;\n  const int a_row = t / 4 * 2;\n  As[0][a_row + m][t] = 0;",
     " In that, a_row = t / 4 * 2 on line 7, t = threadIdx.x on line 6. The kernel is launched on "
     "line 11: kernel<<<1, 1>>>.",
     "Work out a_row + m for this thread, term by term"},
    {"rows of another length for tensor cores",
     {.kind = "uninitialised", .file = "a.cu", .line = 8, .call = "multiply(n=3)", .array = "Bs"},
     "  __shared__ __half Bs[16][T + 8];\n  Bs[ty][tx] = B[k];\n"
     "  load_matrix_sync(b, &Bs[k][0], T);\n  store_matrix_sync(&Bs[k][0], b, T + 8, row_major);",
     " Line 8 gives T as the distance of the rows of Bs, and __half Bs[16][T + 8] on line 6 has "
     "rows of T + 8.",
     "Give T + 8 as the distance on line 8",
     8},
    {"a test that whole steps pass",
     wrong("each element is the sum of its first 240 products instead of all 255"),
     "  As[0][ty][tx] = k0 + T <= n && row < m ? A[row * n + k0 + tx] : 0;",
     " k0 + T <= n on line 6 lets whole steps through alone",
     "Test each element for itself on line 6"},
    {"an array of a thread", stray(8, "float [2]"),
     "  float sum[2][3] = {};\n  for (int i = 0; i < 3; ++i)\n    C[0] = sum[i][0];",
     " Line 8 reads sum[i][0], of float sum[2][3] on line 6. What lets a thread through to it: i < "
     "3 on line 7."},
    {"where a tile is filled",
     {.kind = "uninitialised", .file = "a.cu", .line = 8, .array = "As"},
     "  if (row < n)\n    As[0][ty][tx] = A[row * n];\n  sum += As[0][ty][k];",
     " As is filled on line 7: As[0][ty][tx] = A[row * n], where a thread came through row < n on "
     "line 6.",
     "Where row < n on line 6 keeps a thread from the store"},
    {"where a tile is filled either way, and a loop ends early",
     {.kind = "uninitialised", .file = "a.cu", .line = 11, .array = "As"},
     "  for (int k0 = 0; k0 + tx < n; k0 += 16) {\n    if (row < n && k0 + tx < n)\n"
     "      As[0][ty][tx] = A[row * n + k0 + tx];\n    else\n      As[0][ty][tx] = 0;\n"
     "    sum += As[0][ty][k];\n  }",
     " As is filled on line 10: else As[0][ty][tx] = 0, where a thread came through k0 + tx < n on "
     "line "
     "6",
     "What keeps one away is k0 + tx < n on line 6, which has to hold for all threads"},
    {"where a lane alone stores a fragment",
     {.kind = "uninitialised", .file = "a.cu", .line = 8, .array = "edge"},
     "  __shared__ float edge[16][16];\n"
     "  if (lane == 0) store_matrix_sync(&edge[0][0], sum, 16, mem_row_major);\n"
     "  C[0] = edge[ty][tx];",
     " edge is filled on line 7",
     "All lanes of a warp make this call together, each for its part of the elements: lane == 0 "
     "on line 7 has to hold for all of them, or for none."},
    {"where all threads fill it",
     {.kind = "uninitialised", .file = "a.cu", .line = 7, .array = "As"},
     "  As[0][ty][ty] = A[row * n];\n  sum += As[0][ty][k];",
     " As is filled on line 6: As[0][ty][ty] = A[row * n], by all threads.",
     "Work out which elements the threads of a block fill"},
    {"where a tile is filled that a helper reads",
     {.kind = "uninitialised", .file = "a.cu", .line = 2, .call = "multiply(n=3)", .array = "As"},
     "  put(&As[0][ty][tx], A[row]);\n  bring(&sum, &As[0][ty][0], 1);",
     " As is filled on line 6: put(&As[0][ty][tx], A[row]), by all threads. Line 2 stands in "
     "bring()",
     "Work out which elements the threads of a block fill"},
    {"where each thread fills one element",
     {.kind = "uninitialised",
      .message = "of which 64 elements are written by now, in rows 0 to 3 and columns 0 to 15: as "
                 "many as the block has threads",
      .file = "a.cu",
      .line = 7,
      .array = "As"},
     "  As[0][ty][tx] = A[row * n];\n  sum += As[0][ty][k];",
     " As is filled on line 6",
     "Each thread has stored one element on line 6, and As has more: let each store several"},
    {"a tile with the rows of a matrix",
     {.kind = "race",
      .file = "a.cu",
      .line = 7,
      .other_file = "a.cu",
      .other_line = 7,
      .array = "Bs"},
     "  __shared__ float Bs[256];\n  Bs[ty * n + tx] = a;",
     " The index of Bs on line 7 counts n elements for a row, as in the matrix; a row of the tile "
     "is as long as float Bs[256] on line 6 says.",
     "Multiply by the width of the tile on line 7, and not by n."},
    {"both of a race",
     {.kind = "race",
      .file = "a.cu",
      .line = 8,
      .other_file = "a.cu",
      .other_line = 6,
      .array = "As"},
     "  As[p][ty][tx] = a;\n  p = 1 - p;\n  sum += As[1 - p][ty][k];",
     " Line 6 stores to As[p][ty][tx], of float As[2][16][17] on line 5. Line 8 reads As[1 - "
     "p][ty][k], of float As[2][16][17] on line 5. p changes on line 7: p = 1 - p."},
    {"a loop with one barrier",
     {.kind = "race",
      .file = "a.cu",
      .line = 10,
      .other_file = "a.cu",
      .other_line = 8,
      .array = "Bs"},
     "  __shared__ float Bs[16][16];\n  for (int k0 = 0; k0 < n; k0 += 16) {\n"
     "    Bs[ty][tx] = B[k0];\n    __syncthreads();\n    sum += Bs[0][tx];\n  }",
     " The __syncthreads() on line 9 stands between the two in one turn of the loop of line 7, but "
     "none stands between line 10 and line 8 of the next turn.",
     "Put a second __syncthreads() behind line 10, at the end of the loop of line 7"},
    {"a barrier between the filling of a buffer and the reading of the other",
     {.kind = "race",
      .file = "a.cu",
      .line = 11,
      .other_file = "a.cu",
      .other_line = 9,
      .array = "Bs"},
     "  __shared__ float Bs[2][16][16];\n  int now = 0;\n"
     "  for (int k0 = 0; k0 < n; k0 += 16) {\n    Bs[1 - now][ty][tx] = B[k0];\n"
     "    __syncthreads();\n    sum += Bs[now][0][tx];\n    now = 1 - now;\n  }",
     " In a turn of the loop of line 8, line 9 fills one buffer and line 11 reads the other, with "
     "the __syncthreads() on line 10 in between. But none stands between line 11 and line 9 of the "
     "next turn, which fills the buffer that is still read.",
     "Move the __syncthreads() of line 10 behind line 11"},
    {"a barrier at the end of a loop alone",
     {.kind = "race",
      .file = "a.cu",
      .line = 8,
      .other_file = "a.cu",
      .other_line = 9,
      .array = "Bs"},
     "  __shared__ float Bs[16][16];\n  for (int k0 = 0; k0 < n; k0 += 16) {\n"
     "    Bs[ty][tx] = B[k0];\n    sum += Bs[0][tx];\n    __syncthreads();\n  }",
     " The __syncthreads() on line 10 is in the loop of line 7, but none stands between line 8 and "
     "line 9.",
     "Put a __syncthreads() between line 8 and line 9"},
    {"a loop that reads what it is still to store",
     {.kind = "race",
      .file = "a.cu",
      .line = 10,
      .other_file = "a.cu",
      .other_line = 8,
      .array = "Bs"},
     "  __shared__ float Bs[16][16];\n  for (int i = ty; i < 16; i += 8) {\n"
     "    Bs[i][tx] = B[i];\n    __syncthreads();\n    C[i] = Bs[tx][i];\n  }",
     " But each turn stores another part of Bs, where i says, and line 10 reads what later turns "
     "are still to store.",
     "End the loop of line 7 before the __syncthreads()"},
    {"rows of another name for tensor cores, where threads race", race(7, 7, "Bs"),
     "  __shared__ float Bs[side][side];\n  store_matrix_sync(&Bs[0][0], b, n, row_major);",
     " Line 7 gives n as the distance of the rows of Bs, and float Bs[side][side] on line 6 has "
     "rows of side.",
     "Give side as the distance on line 7", 7},
    {"rows of another distance in a matrix", race(7, 7, "C"),
     "  float* const to = C + std::size_t(row) * n + col;\n"
     "  store_matrix_sync(to, sum, side, row_major);",
     " Line 7 gives side as the distance of the rows behind to, which begins at C + "
     "std::size_t(row) * n + col on line 6: there rows lie n apart.",
     "Give n as the distance on line 7."},
    {"a barrier that is not in each turn", race(8, 11, "As"),
     "  for (int k0 = 0; k0 < n; k0 += T) {\n    if (k0 + T < n) {\n      As[p][ty][tx] = A[k0];\n"
     "      __syncthreads();\n    }\n    sum += As[p][ty][k];\n  }",
     " To __syncthreads() on line 9 the threads come only where k0 + T < n on line 7.",
     "Put the __syncthreads() before what decides on it"},
    {"a barrier that threads at an edge go past",
     wrong("only the partial 16x16 tiles at the right and lower edge are wrong"),
     "  const int row = threadIdx.y;\n  if (row < n) __syncthreads();",
     " Only threads that get through row < n on line 7 come to __syncthreads() on line 7, and "
     "there the threads of a block wait",
     "Let all threads of the block come to line 7", 7},
    {"a loop that goes beyond a side", stray(8, "Bs", 2),
     "  __shared__ float Bs[16][T];\n  for (int k = k0; k < k0 + T; ++k)\n    sum += Bs[ty][k];",
     " Bs has T elements there, and line 7 lets k go up to k0 + T.", "Compare k with T on line 7"},
    {"a loop that goes to a side", stray(8, "Bs", 2),
     "  __shared__ float Bs[16][T];\n  for (int k = 0; k <= T; ++k)\n    sum += Bs[ty][k];",
     " Line 7 lets k be T itself, and Bs has T elements there", "Write < for <= on line 7."},
    {"an index of several tiles", stray(8, "Bs", 1),
     "  __shared__ float Bs[T][T];\n  for (int i = 0; i < 2; ++i)\n    Bs[i * T + ty][tx] = 0;",
     " Bs has T elements there, and i * T + ty counts whole multiples of T, with i < 2 on line 7",
     "Declare Bs on line 6 with as many times T"},
    {"a tree that begins too high", stray(8, "Bs", 1),
     "  __shared__ float Bs[T];\n  for (int half = T; half > 0; half /= 2)\n"
     "    sum += Bs[tx + half];",
     " half begins at T on line 7, and Bs has T elements there", "Let half begin lower on line 7"},
    {"both sides of a matrix compared with one",
     {.kind = "out-of-bounds",
      .message = "reads B[50][0], past the end of B (50 x 70)",
      .file = "a.cu",
      .line = 7,
      .array = "B"},
     "  if (k0 + ty < n && col < n)\n    sum += B[(k0 + ty) * n + col];",
     " Its row, k0 + ty, and its column, col, are both compared with n, and B has 50 rows of 70 "
     "elements.",
     "One of the two tests of line 6 names the wrong side"},
    {"a part of which no name is tested", stray(7, "B"),
     "  if (k0 + T <= n)\n    sum += B[(k0 + ty) * n + col];", " None of this tests col.",
     "Test col itself, as line 7 uses it"},
    {"a pointer that is not set back", stray(9, "A"),
     "  const float* a = A + row * n;\n  for (int col = tx; col < n; col += 8) {\n"
     "    for (int k = 0; k < n; ++k)\n      sum += *a++;\n  }",
     " The loop of line 7 comes back to it and does not set a anew, so that each of its turns goes "
     "on where the loop of line 8 left off.",
     "Make a within the loop of line 7, before the one of line 8"},
    {"an index that changes its place", wrong("C[0][0] is 1", "A"),
     "  float next = A[row * n + k];\n  As[0][ty][tx] = next;\n  sum += As[0][k][ty];",
     " ty is index 2 of As where that is filled, on line 7, and index 3 where it is read, on line "
     "8.",
     "change one of As[0][ty][tx] on line 7 and As[0][k][ty] on line 8"},
    {"pairs whose elements lie side by side",
     {.message = "f(): 3 of 9 wavefronts of shared memory are bank conflicts.",
      .file = "a.cu",
      .line = 8},
     "  __shared__ float Ps[16][16][2];\n  const int now = k0 % 2;\n  sum += Ps[ty][tx][now];",
     " Line 8 reads Ps[ty][tx][now], of float Ps[16][16][2] on line 6.",
     "Neighbouring elements of Ps lie two words apart, because its last index, now, is the same "
     "for all threads"},
    {"which barrier is in a branch",
     {.kind = "barrier", .file = "a.cu", .line = 8, .other_file = "a.cu", .other_line = 7},
     "  if (tx < 16)\n    __syncthreads();\n  __syncthreads();",
     " To the barrier on line 7 come only those that get through tx < 16 on line 6.",
     "Move the __syncthreads() of line 7 out of what line 6 decides",
     7},
    {"that both ways have a barrier",
     {.kind = "barrier", .file = "a.cu", .line = 9, .other_file = "a.cu", .other_line = 7},
     "  if (tx < 16 && ty < 8) {\n    __syncthreads();\n  } else {\n    __syncthreads();\n  }",
     " tx < 16 && ty < 8 on line 6 sends the threads of a block two ways, and each way has a "
     "barrier of its "
     "own.",
     "put the barriers outside of what line 6 decides"},
    {"who calls a function", stray(2, "from"), "  bring(C, A, n);",
     " Line 2 stands in bring(), which is called by line 6, bring(C, A, n)."},
    {"who stores nothing", wrong("C[0][0] was never written"), "  if (row < n - 1) C[row] = 1;",
     " Line 6 stores to C[row]. What lets a thread through to it: row < n - 1 on line 6."},
    {"where a row is stored that stands elsewhere",
     wrong("row 1 of C is what row 2 should be", "A"),
     "  As[0][ty][tx] = A[row + k];\n  C[row * n + col] = sum;",
     " A is read on line 6: As[0][ty][tx] = A[row + k]. C is stored on line 7: C[row * n + "
     "col] = sum."},
    {"where an element is stored that stands elsewhere",
     wrong("C[0][1] is what C[8][0] should be; all of the wrong elements are right ones of other "
           "places"),
     "  double* to = C + row * n + col;\n  *to = sum;", " C is stored on line 7: *to = sum."},
    {"where a double becomes a float",
     wrong(
         "all of them are right to several digits, so the arithmetic is less precise than double"),
     "  const double* a = A;\n  const float s = a[0];\n  C[0] = 1.0 * s;",
     " A float stands on line 5: __shared__ float As[2][16][17]. A float stands on line 7: const "
     "float s = a[0]."},
    {"where a factor is read", wrong("C[0][0] is 1", "A"),
     "  As[0][ty][tx] = A[row + k];\n  sum += As[0][k][ty];",
     " A is read on line 6: As[0][ty][tx] = A[row + k]. As is read on line 7: sum += "
     "As[0][k][ty]."},
};

TEST(SourceAccount, TellsWhatStandsOnAFindingsLines) {
  for (const Case& each : cases) {
    SCOPED_TRACE(each.name);
    const SourceAccount account = account_of(each.finding, source(each.body));
    EXPECT_THAT(account.message, HasSubstr(each.message));
    EXPECT_THAT(account.hint, HasSubstr(each.hint));
    EXPECT_EQ(account.line, each.line);
  }
}

TEST(SourceAccount, LeavesRowsForTensorCoresAloneThatAreRight) {
  const std::string body =
      "  __shared__ __half Bs[16][T + 8];\n  Bs[ty][tx] = B[k];\n"
      "  load_matrix_sync(b, &Bs[k][0], T + 8);\n  load_matrix_sync(b, &Bs[k][0], pitch);\n"
      "  load_matrix_sync(a, A + k, n);";
  const SourceAccount account = account_of(wrong("C[0][0] is 1"), source(body));
  EXPECT_EQ(account.message + account.hint, "");
}

TEST(SourceAccount, TakesNoBarrierOutsideOfLoopsForOneOfSomeTurns) {
  const std::string rest =
      "  for (int k0 = 0; k0 < n; k0 += T) {\n    As[p][ty][tx] = A[k0];\n    sum += "
      "As[p][ty][k];\n"
      "  }";
  const auto told = [&](const std::string& barrier) {
    return account_of(race(8, 9, "As"), source(barrier + rest)).message;
  };
  EXPECT_THAT(told("  if (n > 1) __syncthreads();\n"), testing::Not(HasSubstr("come only where")));
  EXPECT_THAT(told("  while (n > 1) if (n > 2) __syncthreads();\n"), HasSubstr("come only where"));
}

TEST(SourceAccount, TellsWhichSourceCalled) {
  const std::string caller = "void solve(int m) {\n  multiply(A, B, C, m);\n}\n";
  Finding finding = stray(2, "B");
  finding.call = "solve(m=3)";
  const SourceAccount account = account_of_call(finding, source(""), {"b.cu", caller});
  EXPECT_EQ(account.message, " solve() comes here by line 2 of b.cu: multiply(A, B, C, m).");
  EXPECT_THAT(account.hint, HasSubstr("Begin at line 2 of b.cu"));
  finding.kind = "above-diagonal";
  EXPECT_EQ(account_of_call(finding, source(""), {"b.cu", caller}).hint, account.hint);
  finding.call = "multiply(n=3)";
  EXPECT_EQ(account_of_call(finding, source(""), {"b.cu", caller}).message, "");
}

TEST(SourceAccount, LooksAtThePartsThatACallHandsOn) {
  const std::string caller = "void solve(int m) {\n  multiply(A, B, B + m, m);\n}\n";
  Finding found = {
      .kind = "race",
      .message =
          "race on B[3][0]: thread (0, 0, 0) of block (0, 0, 0) writes it on line 8 and "
          "thread (0, 0, 0) of block (1, 0, 0) reads it on line 7, and nothing orders two "
          "blocks of a grid",
      .file = "a.cu",
      .line = 7,
      .other_file = "a.cu",
      .other_line = 8,
      .call = "solve(m=3)"};
  const char* const hint =
      "Begin at line 2 of b.cu: what is written there and what is read are parts";
  EXPECT_THAT(account_of_call(found, source(""), {"b.cu", caller}).hint, HasSubstr(hint));
  found.other_line = found.line;  // one statement that two blocks execute, such as a sum
  EXPECT_EQ(account_of_call(found, source(""), {"b.cu", caller}).hint, "");
}

TEST(SourceAccount, QuotesCopiesThatWereRefused) {
  const std::string refused =
      "f(n=3): it returned cudaErrorInvalidValue. The cause may be this: cudaMemcpy returned "
      "cudaErrorInvalidValue: by cudaMemcpyHostToDevice its source would be host memory, and it is "
      "device memory.";
  struct Case {
    const char* what;
    const char* source;
    const char* words;
  };
  const Case cases[] = {
      {"copies of both directions",
       "int f(float* A) {\n  cudaMemcpy(a, A, 4 * n,\n             cudaMemcpyHostToDevice);\n"
       "  cudaMemcpy(A, a, 4, cudaMemcpyDeviceToHost);\n  cudaMemcpyAsync(a, &n, 4, "
       "cudaMemcpyHostToDevice, 0);\n}",
       " Line 2 copies so: cudaMemcpy(a, A, 4 * n, cudaMemcpyHostToDevice). Line 5 copies so: "
       "cudaMemcpyAsync(a, &n, 4, cudaMemcpyHostToDevice, 0)."},
      {"a direction in a variable",
       "int f(float* A) {\n  auto to = cudaMemcpyHostToDevice;\n  cudaMemcpy(a, A, 4, to);\n}", ""},
  };
  for (const auto& [what, source, words] : cases) {
    const SourceAccount account =
        account_of({.kind = "launch", .message = refused, .call = "f(n=3)"}, source);
    EXPECT_EQ(account.message, words) << what;
    EXPECT_EQ(account.hint.empty(), std::string_view(words).empty()) << what;
  }
  EXPECT_EQ(account_of({.kind = "launch", .message = "f(n=3) launched nothing."}, cases[0].source)
                .message,
            "");
}

TEST(SourceAccount, NamesWhatIsZero) {
  Finding crash{.kind = "crash",
                .message = "f(n=3): f crashed: arithmetic error (SIGFPE) at a.cu:8.",
                .line = 8};
  struct Case {
    const char* line;
    const char* words;
  };
  const Case cases[] = {
      {"const int rounds = blocks / resident;",
       " Line 8 divides by resident, which is 0 here. Above, resident = fit(n) / 2 on line 7."},
      {"blocks %= device.sms;", " Line 8 divides by device.sms, which is 0 here."},
      {"const int a = n / (n - 3) + n % rows[1] + n / 4;",
       " Line 8 divides by (n - 3) and rows[1], one of which is 0 here."},
      // Another function's variable of that name says nothing.
      {"const int a = n / blocks;", " Line 8 divides by blocks, which is 0 here."},
      {"const int a = n / 4;", ""},
      // Nor does a side of a block, but the next line may.
      {"const int a = n / blockDim.x;\n  const int b = n / a;",
       " Line 9 divides by a, which is 0 here. Above, a = n / blockDim.x on line 8."},
  };
  for (const auto& [line, words] : cases) {
    const std::string text =
        "void g() {\n  blocks = resident = 5;\n}\n\n\nvoid f(int n) {\n  int resident = fit(n) / "
        "2;\n  " +
        std::string(line) + "\n}\n";
    EXPECT_EQ(account_of(crash, text).message, words) << line;
  }
  crash.message = "f(n=3): f crashed: invalid memory access (SIGSEGV) at a.cu:8.";
  EXPECT_EQ(account_of(crash, "\n\n\n\n\nvoid f(int n) {\n\n  n = 1 / n;\n}\n").message, "");
}

TEST(SourceAccount, FindsSharedMemoryInWhatAKernelCalls) {
  const Finding finding{.kind = "launch",
                        .message =
                            "f(n=3): outer<Tile> declares 50000 bytes of shared memory, but a "
                            "block of this GPU has 49152: use smaller tiles",
                        .file = "a.cu",
                        .line = 6};
  EXPECT_EQ(account_of(finding,
                       "__device__ void inner() {\n  __shared__ float tile[99][99];\n}\n"
                       "__device__ void other() { __shared__ float more[4]; }\n"
                       "__global__ void outer() { inner(); }\n"
                       "int f(int n) { outer<<<1, 1>>>(); }")
                .message,
            " Line 2 declares __shared__ float tile[99][99].");
}

TEST(SourceAccount, SaysNothingOfWhatItDoesNotFind) {
  for (const Finding& finding :
       {stray(7, "A"), stray(99, "A"), Finding{.kind = "crash", .line = 6}, Finding{}}) {
    const SourceAccount account = account_of(finding, source("  A = B;\n  f(A);"));
    EXPECT_EQ(account.message + account.hint, "");
  }
}

}  // namespace
}  // namespace tilewise::grading
