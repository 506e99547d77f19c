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
       "2: device code calls f, a host function, which nvcc refuses: write __host__ __device__ "
       "before its declaration"},
      {"__device__ int f(int i) { return i; }\nint g() { return f(1); }",
       "2: host code calls f, a __device__ function"},
      {"__global__ void k(int* a) {}\nvoid g(int* a) { k(a); }", "2: k is a kernel"},
      {"__global__ void k(int* a) {}\nvoid g(int* a, int b) { k<b, b>(a); }", "2: k is a kernel"},
      {"template <int T> __global__ void k() {}\nvoid g() { k<3>(); }", "2: k is a kernel"},
      {"__global__ void k(int* a) {}\nvoid g(int* a, dim3 b) { k<<b, b>>(a); }",
       "2: a launch has three brackets on each side: write k<<<grid, block>>>(arguments)"},
      {"void k(int* a) {}\nvoid g(int* a) { k<<<1, 2>>>(a); }", "2: k is no kernel"},
      {"__device__ void k(int* a) {}\nvoid g(int* a) { k<<<1, 2>>>(a); }", "2: k is no kernel"},
      {"__global__ int k(int* a) { return 0; }", "1: a __global__ function returns nothing"},
      {"__global__ cudaError_t f(int* a) { return cudaSuccess; }",
       "1: f returns a cudaError_t, as what the host calls does: take __global__ away"},
      {"__global__ void k(float* C,\nconst int& n) {}", "1: the kernel k takes n by reference"},
      {"template <class T> __global__ void k(const View<T>& v, int n = 1) {}",
       "1: the kernel k takes v by reference"},
      {"cudaError_t g(int n) {\n  if (n < 0) return 1;\n  f<<<1, 2>>>();\n}",
       "4: g ends without a return"},
      {"void g() {\n  __shared__ float tile[16];\n}", "2: shared memory belongs to a block"},
      {"int g(int n) {\n  return n + threadIdx.x; }", "2: threadIdx is known to kernels alone"},
      {"namespace a {\nint f(int i) { return i; }\n__device__ int g() { return f(1); }\n}",
       "3: device code calls f, a host function"},
      {"namespace {\nint f() { return 1; }\n}\n__device__ int g() { return f(); }",
       "4: device code calls f, a host function"},
      {"int f(int i, int j = 1) { return i; }\n__device__ int g() { return f(2); }",
       "2: device code calls f, a host function"},
      {"constexpr int f(int i) { return i; }\n__global__ void k(int* a) { a[0] = f(1); }",
       "2: device code calls f, a host function though it is constexpr"},
      {"constexpr int f() { return 2; }\n__global__ void k() {\n__shared__ int a[f()]; }",
       "3: device code calls f, a host function though it is constexpr"},
      {"__device__ int d();\nconstexpr int f() { return d(); }",
       "2: host code calls d, a __device__ function"},
      {"__global__ void k(int* a) {\n a[0] = std::max(a[1], 2); }",
       "2: device code calls std::max, a host function, which nvcc refuses: write max(a, b)"},
      {"__device__ void f(int* a) {\n std::swap(a[0], a[1]); }",
       "2: device code calls std::swap, a host function"},
      {"using std::swap;\n__global__ void k(int* a) {\n swap(a[0], a[1]); }",
       "3: device code calls std::swap"},
      {"using namespace std;\n__global__ void k(int* a) { fill(a, a + 3, 0); }",
       "2: device code calls std::fill"},
      {"__global__ void k(int* a) { a[0] = std::get<0>(pair()); }",
       "1: device code calls std::get"},
      {"__global__ void k(float* a) {\n a[0] = std::numeric_limits<float>::max(); }",
       "2: device code calls std::numeric_limits<...>::max(), a host function"},
      {"__device__ int total;\nvoid g() { total = 0; }", "2: host code writes total, a variable"},
      {"__device__ int total;\nvoid g() { total += 1; }", "2: host code writes total"},
      {"__device__ int total;\nvoid g() { ++total; }", "2: host code writes total"},
      {"__device__ int total;\nvoid g() { total--; }", "2: host code writes total"},
      {"__constant__ float c[3][2];\nvoid g() { c[0][1] = 1; }", "2: host code writes c"},
      {"__device__ int total = 3;\nint g() { return total; }", "2: host code reads total"},
      {"__device__ int total;\nint g() { if (total == 2) return 1; return 0; }",
       "2: host code reads total"},
      {"__device__ int counts[4];\nint g() { return counts[1] + 1; }", "2: host code reads counts"},
      {"__device__ float sums[3];\n__global__ void k(float*, int);\n"
       "void g(int n) { k<<<1, f(n, 2)>>>(sums, n); }",
       "3: sums is a variable of the device, and its address in host code is none of the device's"},
      {"__device__ int n;\n__global__ void k(int, int*);\nvoid g() { k<<<1, 1>>>(f(1, 2), &n); }",
       "3: n is a variable of the device"},
      {"__device__ float sums[3];\nvoid g() { cudaMemset(sums, 0, sizeof(sums)); }",
       "2: sums is a variable of the device"},
      {"__global__ void k() {\n  float s = 0.0f\n  __shared__ float a[3]; }", "2: expected ';'"},
  };
  for (const auto& [source, message] : cases) {
    EXPECT_EQ(errors_of(source).rfind(message, 0), 0u) << source << "\n" << errors_of(source);
  }
}

TEST(ExecutionSpaces, AreCheckedForMembers) {
  const std::string matrix =
      "struct Matrix { const float* a; float at(int i) const { return a[i]; "
      "} };\n";
  const std::string told =
      "device code calls at of Matrix, a host function, which nvcc refuses: "
      "write __host__ __device__ before its declaration in Matrix\n";
  for (const std::string& code : std::initializer_list<std::string>{
           matrix + "__global__ void k(Matrix m, float* c) { c[0] = m.at(0); }",
           matrix + "__global__ void k(float* c) { const Matrix m{c}; c[0] = m.at(0); }",
           matrix + "template <int T> __device__ float f(const Matrix* m) { return m->at(T); }",
           "template <class T> " + matrix +
               "__device__ float f(Matrix<float>& m) { return m.at(0); "
               "}",
           "struct __align__(16) Matrix { static int at(int i) { return i; } };\n"
           "__device__ int f() { return Matrix::at(1); }",
           "struct Matrix { int at(int i) { return i; }\n"
           "__device__ int first() { return at(0); } };",
       }) {
    EXPECT_EQ(errors_of(code), "2: " + told) << code;
  }
  const std::string of_device =
      "struct Matrix { __host__ __device__ float at(int i) const { return 1.0f; } };\n";
  for (const std::string& code : std::initializer_list<std::string>{
           of_device + "__global__ void k(Matrix m, float* c) { c[0] = m.at(0); }",
           matrix + "float f(const Matrix& m) { return m.at(0); }",
           matrix + "__global__ void k(Vector m, float* c) { c[0] = m.at(0); }",
           matrix + "__host__ __device__ float f(const Matrix& m) { return m.at(0); }",
           matrix + "__global__ void k(Matrix m, float* c) { c[0] = sizeof(m.at(0)); }",
           matrix + of_device + "__global__ void k(Matrix m, float* c) { c[0] = m.at(0); }",
           "#define ANY __host__ __device__\nstruct Matrix { ANY float at(int i) { return 1; } };\n"
           "__global__ void k(Matrix m, float* c) { c[0] = m.at(0); }",
           matrix + "struct Other { __device__ float at(int i) { return 1; } };\n__global__ void "
                    "k(float* c) { { Other m; c[0] = m.at(1); } { Matrix m; m.a = c; } }",
           "struct Matrix { __device__ float at(int i); float at() { return 1; } };\n"
           "__global__ void k(Matrix m, float* c) { c[0] = m.at(0); }",
       }) {
    EXPECT_EQ(errors_of(code), "") << code;
  }
}

// nvcc gave each of these verdicts, too.
TEST(DynamicArrays, OfOneNameHaveOneType) {
  const struct {
    const char* first;
    const char* second;
    bool passes;
  } cases[] = {
      {"float tiles[];", "double tiles[];", false},
      {"__align__(128) __half tiles[];", "alignas(128) float tiles[];", false},
      {"float tiles[];", "float4 tiles[];", false},
      {"float tiles[];", "__align__(16) float tiles[];", true},
      {"half tiles[];", "__half tiles[];", true},
      {"float tiles[];", "double others[];", true},
      {"float tiles[];", "T tiles[];", true},  // an instance with another T is refused
  };
  for (const auto& [first, second, passes] : cases) {
    const std::string source = "template <int> __global__ void k() {\nextern __shared__ " +
                               std::string(first) + " }\ntemplate <class T> __global__ void l() " +
                               "{\nextern __shared__ " + second + " }";
    const std::string errors = errors_of(source);
    EXPECT_EQ(errors.empty(), passes) << errors;
    EXPECT_EQ(errors.find("4: tiles is extern __shared__ with elements of type ") == 0, !passes)
        << errors;
  }
  EXPECT_EQ(errors_of("__global__ void k() { extern __shared__ float a[]; }\n"
                      "namespace b { __global__ void k() { extern __shared__ double a[]; } }"),
            "");
  EXPECT_EQ(errors_of("#ifdef __CUDA_ARCH__\n#endif\n"
                      "__global__ void k() { extern __shared__ float a[]; }\n"
                      "__global__ void l() { extern __shared__ double a[]; }")
                .find("4: a is extern __shared__ with elements of type double here"),
            0U);
  EXPECT_EQ(errors_of("#if X\n__global__ void k() { extern __shared__ float a[]; }\n#else\n"
                      "__global__ void k() { extern __shared__ double a[]; }\n#endif"),
            "");
}

TEST(ExecutionSpaces, LetPassWhatNvccTakes) {
  for (const char* source : {
           "void g() { extern __shared__ float a[]; }",
           "__host__ __device__ void g() { __shared__ float a[3]; }",
           "#define D __device__\nD void g() { __shared__ float a[3]; }",
           "#define D __device__ inline\ntemplate <int T> D void g() { __shared__ float a[T]; }",
           "#define K(f) __global__ void f()\nK(g) { __shared__ float a[3]; }",
           "struct S { __device__ void operator()() const { __shared__ float a[3]; } };",
           "void g() { auto f = [] __device__ () { __shared__ float a[3]; }; }",
           "__host__ __device__ int f(int i) { return i; }\nint g() { return f(1); }\n"
           "__global__ void k(int* a) { a[0] = f(1); }",
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
           "__global__ void k(int (*f)(int&), Pair<int&> p, int m = 6 & 3, int* = &i) {}",
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
           "__host__ __device__ constexpr int f() { return 2; }\n__global__ void k(int* a) { *a = "
           "f(); }",
           "constexpr int f() { return 2; }\nconstexpr int two = f();\n"
           "__global__ void k(int* a) { *a = two; }",
           "constexpr int f() { return 2; }\ntemplate <int T = f()> __global__ void k(int* a) { *a "
           "= T; }",
           "constexpr int f() { return 2; }\n"
           "__global__ void k(int* a) { *a = sizeof(f()); decltype(f()) b = 1; a[1] = b; }",
           "int g(int a) { return std::max(a, 2); }\n__global__ void k(int* a) { *a = max(*a, 2); "
           "}",
           "__host__ __device__ int g(int a) { return std::max(a, 2); }",
           "using namespace std;\n__global__ void k(float* a) { *a = max(*a, 2.0f) + abs(a[1]); }",
           "__global__ void k(float* a) { *a = std::sqrt(std::abs(*a)); a[1] = std::move(a[2]); }",
           "__device__ void swap(int& a, int& b) {}\nusing namespace std;\n"
           "__global__ void k(int* a) { swap(a[0], a[1]); }",
           "#define swap(a, b) { const int t = a; a = b; b = t; }\nusing namespace std;\n"
           "__global__ void k(int* a) { swap(a[0], a[1]); }",
           "__global__ void k(int* a) { *a = std::is_same<int, int>::value; std::size_t n(2); }",
           "__device__ int total;\n__global__ void k() { total = total + 1; }\n"
           "void g(int n) { cudaMemcpyToSymbol(total, &n, sizeof n); }",
           "__constant__ float c[3];\nvoid g(const float* a) { cudaMemcpyToSymbol(c, a, 12); }",
           "__device__ int total;\nvoid g() { void* p; cudaGetSymbolAddress(&p, total); int* q = "
           "&total; }",
           "__device__ const int total = 3;\nint g() { return total + 1; }",
           "__device__ __managed__ int total;\nint g() { return total + 1; }",
           "__managed__ __device__ int total;\nint g() { return total + 1; }",
           "__device__ float sums[3];\nvoid g(void* to) { cudaMemcpyFromSymbol(to, sums, 12); }",
           "__device__ float sums[3];\n__global__ void k(float*);\n"
           "void g(float* sums) { k<<<1, 1>>>(sums); }",
           "__device__ float sums[3];\n__global__ void k(int);\n"
           "void g() { k<<<1, 1>>>(sizeof(sums) / sizeof(sums[0])); }",
           "__device__ float sums[3];\nvoid g() { k<<<1, 1>>>(address_of(sums), &local); }",
           "__device__ int total;\nint g(int total) { total = 3; return total; }",
           "__device__ int total;\nstruct S { int total; };\nvoid g(S& s) { s.total = 1; }",
           "dim3 grid(int n);\nvoid g() { dim3 threadIdx(3); threadIdx.x = 4; }",
       }) {
    EXPECT_EQ(errors_of(source), "") << source;
  }
}

}  // namespace
}  // namespace tilewise::simt
