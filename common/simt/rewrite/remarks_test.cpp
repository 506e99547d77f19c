#include "common/simt/rewrite/remarks.hpp"

#include <gtest/gtest.h>

namespace tilewise::simt {
namespace {

std::string told_of(const std::string& source) {
  std::string text;
  for (const Remark& remark : remarks_on(source)) {
    text += std::to_string(remark.line) + ": " + remark.message + "\n";
  }
  return text;
}

/// A kernel of two matrices with this body on line 2.
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
       }) {
    EXPECT_EQ(told_of(kernel(body)), "") << body;
  }
  EXPECT_EQ(told_of("void host(float* C, int n) { int row = 1; C[row * n] = 0; }"), "");
  EXPECT_EQ(told_of("__device__ float at(const float* t, int row, int n) { return t[row * n]; }"),
            "");
}

TEST(Remarks, NameArraysThatAreNotShared) {
  const std::string place = "int tx = threadIdx.x, ty = threadIdx.y; ";
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

}  // namespace
}  // namespace tilewise::simt
