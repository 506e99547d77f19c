#include <gtest/gtest.h>

#include <string>

#include "common/simt/rewrite/rewrite.hpp"

namespace tilewise::simt {
namespace {

std::string errors_of(const std::string& source) {
  std::string text;
  for (const RewriteError& error : rewrite(source, {}).errors) {
    text += std::to_string(error.line) + ": " + error.message + "\n";
  }
  return text;
}

TEST(ExecutionSpaces, AreCheckedAsNvccDoes) {
  const struct {
    const char* source;
    const char* message;
  } cases[] = {
      {"int f(int i) { return i; }\n__global__ void k(int* a) { a[0] = f(1); }",
       "2: device code calls f, a host function"},
      {"__device__ int f(int i) { return i; }\nint g() { return f(1); }",
       "2: host code calls f, a __device__ function"},
      {"__global__ void k(int* a) {}\nvoid g(int* a) { k(a); }", "2: k is a kernel"},
      {"__global__ void k(int* a) {}\nvoid g(int* a, int b) { k<b, b>(a); }", "2: k is a kernel"},
      {"template <int T> __global__ void k() {}\nvoid g() { k<3>(); }", "2: k is a kernel"},
      {"void k(int* a) {}\nvoid g(int* a) { k<<<1, 2>>>(a); }", "2: k is no kernel"},
      {"__device__ void k(int* a) {}\nvoid g(int* a) { k<<<1, 2>>>(a); }", "2: k is no kernel"},
      {"__global__ int k(int* a) { return 0; }", "1: a __global__ function returns nothing"},
      {"cudaError_t g(int n) {\n  if (n < 0) return 1;\n  f<<<1, 2>>>();\n}",
       "4: g ends without a return"},
      {"int g(int n) {\n  return n + threadIdx.x; }", "2: threadIdx is known to kernels alone"},
      {"namespace a {\nint f(int i) { return i; }\n__device__ int g() { return f(1); }\n}",
       "3: device code calls f, a host function"},
      {"namespace {\nint f() { return 1; }\n}\n__device__ int g() { return f(); }",
       "4: device code calls f, a host function"},
      {"int f(int i, int j = 1) { return i; }\n__device__ int g() { return f(2); }",
       "2: device code calls f, a host function"},
      {"__global__ void k() {\n  float s = 0.0f\n  __shared__ float a[3]; }", "2: expected ';'"},
  };
  for (const auto& [source, message] : cases) {
    EXPECT_EQ(errors_of(source).rfind(message, 0), 0u) << source << "\n" << errors_of(source);
  }
}

TEST(ExecutionSpaces, LetPassWhatNvccTakes) {
  for (const char* source : {
           "__host__ __device__ int f(int i) { return i; }\nint g() { return f(1); }\n"
           "__global__ void k(int* a) { a[0] = f(1); }",
           "constexpr int f(int i) { return i; }\n__global__ void k(int* a) { a[0] = f(1); }",
           "template <int T> __global__ void k(int* a) {}\nvoid g(int* a) { k<3><<<1, 2>>>(a); }",
           "int f(int i);\n__device__ int f(float x);\n__global__ void k() { f(1.0f); }",
           "int f(int i);\n__global__ void k(int* a) { const auto f = [](int i) { return i; }; "
           "a[0] = f(1); }",
           "int f(int i);\nstruct S { int f(int i); };\n__device__ int g(S& s) { return s.f(1); }",
           "#define ANY __host__ __device__\nANY int f() { return 1; }\n"
           "__global__ void k(int* a) { *a = f(); }",
           "#ifdef __CUDA_ARCH__\n#endif\nint f();\n__device__ int g() { return f(); }",
           "__global__ void k(int* a);\nvoid g(int* a) { void (*p)(int*) = k; p<<<1, 2>>>(a); }",
           "__global__ void k() { float __shared__ a[3]; int n = 3; __shared__ int b; }",
           "extern \"C\" int f();\n__device__ int g() { return f(); }",
           "cudaError_t g(int n) { if (n < 0) { return 1; } else { return 0; } }",
           "cudaError_t g(int n) { if (n) { f<<<1, 2>>>(); } return 0; }",
           "cudaError_t g(int n) { for (;;) pause(); }",
           "cudaError_t g(int n) { return f(n, [&] { h(); }); }",
           "#define DONE(launch) launch; return cudaGetLastError()\n"
           "cudaError_t g(int n) { DONE((f<<<1, 2>>>(n))); }",
           "cudaError_t g(int n) { give_up_with(f<<<1, 2>>>(n)); }",
           "__global__ void f(int* a) {}\nint f(int* a, int n) { return n; }\n"
           "int g(int* a) { return f(a, 1); }",
           "template <int T> __global__ void f(int* a) {}\nvoid f(int* a) {}\n"
           "void g(int* a) { f(a); }",
           "static int min(int a, int b, int c) { return a; }\n"
           "__global__ void k(int* a) { *a = min(1, 2); }",
           "namespace host { float max(float a, float b) { return a; } }\n"
           "__global__ void k(float* a) { *a = max(1.0f, 2.0f); }",
           "int f(int i) { return i; }\n__device__ int f(int i, int j = 1) { return j; }\n"
           "__global__ void k(int* a) { *a = f(1, 2); }",
           "__device__ int f(int i) { return i; }\n"
           "void g() { struct S { __device__ int operator()() { return f(1); } }; }",
           "dim3 grid(int n);\nvoid g() { dim3 threadIdx(3); threadIdx.x = 4; }",
       }) {
    EXPECT_EQ(errors_of(source), "") << source;
  }
}

}  // namespace
}  // namespace tilewise::simt
