// Tests what the builder refuses in a submission for the simulator, and what it must not refuse,
// with whichever compiler CXX names.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <ostream>
#include <string>

#include "common/process/sandbox.hpp"
#include "grading/builder/builder.hpp"
#include "grading/builder/layout.hpp"

namespace tilewise::grading {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

/// A submission to stage 3: `text`, followed by a contract function that launches `kernel` if the
/// text defines none.
struct Case {
  const char* name;
  std::string text;
  int line = 0;              ///< the line that the message names
  const char* message = "";  ///< text that the message contains
};

void PrintTo(const Case& expected, std::ostream* out) { *out << expected.name; }

constexpr const char* contract_function = R"(
cudaError_t matmul_shared(const float* A, const float*, float* C, int n, int) {
  kernel<<<1, 32>>>(A, C, n);
  return cudaGetLastError();
}
)";

class Judgement : public testing::TestWithParam<Case> {
 protected:
  BuildResult build() {
    const ScratchDirectory directory;
    const fs::path folder = directory.path() / "labs" / "03_shared_memory";
    const fs::path scratch = directory.path() / "scratch";
    fs::create_directories(folder);
    fs::create_directory(scratch);
    std::string text = GetParam().text;
    if (text.find("matmul_shared(") == text.npos) text += contract_function;
    std::ofstream(folder / "matmul_shared.cu", std::ios::binary) << text;
    return build_module({"03_shared_memory", folder, Backend::simt, scratch, Flavour::checked});
  }
};

std::string name_of(const testing::TestParamInfo<Case>& info) { return info.param.name; }

/// Returns a kernel of one statement, with `before` in front of it.
std::string kernel(const std::string& statement, const std::string& before = "") {
  return before + "__global__ void kernel(const float* A, float* C, int n) { " + statement + " }\n";
}

class Refused : public Judgement {};

TEST_P(Refused, WhereItStands) {
  const BuildResult built = build();
  EXPECT_FALSE(built.ok);
  EXPECT_THAT(built.finding.message, HasSubstr(GetParam().message));
  EXPECT_EQ(built.finding.line, GetParam().line) << built.finding.message;
  EXPECT_EQ(built.finding.file, "matmul_shared.cu");
  EXPECT_NE(built.finding.hint, "");
}

const Case refused[] = {
    {"Assembly", kernel("asm(\"nop\");"), 1, "assembly"},
    {"PastedAssembly", kernel("\nJOIN(as, m)(\"nop\");", "#define JOIN(a, b) a##b\n"), 3,
     "assembly"},
    {"SplicedAssembly", kernel("\n__as\\\nm__(\"nop\");"), 2, "assembly"},
    {"AssemblyNames", "extern \"C\" int f() __asm__(\"strnlen\");\n" + kernel("C[0] = f();"), 1,
     "assembly"},
    {"SplicedAttribute", "__attribute__((no_sani\\\ntize(\"thread\")))\n" + kernel(""), 1,
     "hides from the simulator"},
    {"PastedAttribute",
     "#define HIDE(x) __attribute__((no_##x))\n\nHIDE(sanitize_thread) " + kernel(""), 3,
     "hides from the simulator"},
    {"StandardAttribute", "[[gnu::no_sanitize_thread]] " + kernel(""), 1,
     "hides from the simulator"},
    {"UsingAttribute", "[[using gnu: hot, no_sanitize(\"thread\")]] " + kernel(""), 1,
     "hides from the simulator"},
    {"AttributeBehindAnIncludedMacro",
     "#define __wur __attribute__((no_sanitize(\"thread\")))\n\n#include <sys/random.h>\n" +
         kernel(""),
     3, "hides from the simulator"},
    {"Optimize", "__attribute__((optimize(\"no-sanitize=thread\"))) " + kernel(""), 1, "optimize"},
    {"Target", "__attribute__((target(\"sse2\"))) " + kernel(""), 1, "target"},
    {"Const", "__attribute__((const)) " + kernel(""), 1, "the attribute 'const'"},
    {"Pure", "[[gnu::pure]] " + kernel(""), 1, "the attribute 'pure'"},
    {"Malloc", "__attribute__((__malloc__)) " + kernel(""), 1, "the attribute '"},
    {"VectorExtension", "typedef float wide __attribute__((vector_size(32)));\n" + kernel(""), 1,
     "vector_size"},
    {"PragmaOptimize", "#pragma GCC optimize(\"no-sanitize=thread\")\n" + kernel(""), 1,
     "#pragma GCC optimize"},
    {"PragmaOperator", "_Pragma(\"GCC push_options\")\n" + kernel(""), 1, "push_options"},
    {"PragmaOfClang",
     "#pragma clang attribute push(__attribute__((no_sanitize(\"thread\"))), apply_to=function)\n" +
         kernel(""),
     1, "clang attribute"},
    {"RenamedSymbol", "#pragma redefine_extname harmless strnlen\n" + kernel(""), 1,
     "redefine_extname"},
    {"IntrinsicHeader", "\n#include <immintrin.h>\n" + kernel(""), 2, "<immintrin.h>"},
    {"MaskedLoad", kernel("\nC[0] = _mm_maskload_ps(A, __m128i{})[0];", "#include <immintrin.h>\n"),
     1, "'_mm_maskload_ps'"},
    {"StreamingStore", kernel("__builtin_ia32_movnti((int*)C, n);"), 1, "__builtin_ia32_movnti"},
    {"ThreadLocal",
     "static thread_local float cache[32];\nvoid fill() { cache[1] = 1; }\n" +
         kernel("C[0] = cache[n];"),
     3, "thread_local"},
    {"OwnHook", "extern \"C\" void __tsan_read4(void*) {}\n" + kernel(""), 1,
     "hides from the simulator"},
    {"PastedHook",
     "#define JOIN(a, b) a##b\n\nextern \"C\" void JOIN(__tsan, _write4)(void*) {}\n" + kernel(""),
     3, "hides from the simulator"},
    {"OwnCopy",
     "extern \"C\" void* __wrap_memcpy(void* to, const void*, size_t) { return to; }\n" +
         kernel(""),
     1, "hides from the simulator"},
    {"UnwrappedCopy",
     "extern \"C\" void* __real_memcpy(void*, const void*, size_t);\n" +
         kernel("__real_memcpy(C, A, n);"),
     1, "hides from the simulator"},
    {"Indirect",
     "extern \"C\" {\nstatic void real() {}\nstatic void (*choose())() { return real; }\n"
     "void chosen() __attribute__((ifunc(\"choose\")));\n}\n" +
         kernel(""),
     4, "ifunc"},
    {"CodeBeforeTheProgram", "__attribute__((section(\".init\"))) void early() {}\n" + kernel(""),
     1, "section"},
    {"LaunchWithoutLauncher",
     "static void body(void*) {}\n"
     "cudaError_t matmul_shared(const float*, const float*, float*, int, int) {\n"
     "  tilewise::simt::run_grid({\"k\", \"f\", 1, 1, 1, 0, nullptr}, {body, nullptr, 0});\n"
     "  return cudaSuccess;\n}\n",
     3, "simulator's own"},
    {"ThroughTheCoursesOwnNamespace",
     "#include \"tilewise/ptx.hpp\"\nnamespace tilewise::ptx { using tilewise::simt::begin_copy; "
     "}\n" +
         kernel(""),
     2, "simulator's own"},
    {"WideCopy", kernel("\nwmemcpy((wchar_t*)C, (const wchar_t*)A, n);", "#include <cwchar>\n"), 3,
     "a kernel calls wmemcpy, a host function"},
    {"WideFill", kernel("\nwmemset((wchar_t*)C, 0, n);", "#include <cwchar>\n"), 3,
     "a kernel calls wmemset, a host function"},
    {"LengthOfText", kernel("C[0] = strnlen((const char*)A, n);"), 1, "a kernel calls strnlen"},
    {"TextOfNumbers", kernel("snprintf((char*)C, n, \"%s\", (const char*)A);"), 1,
     "a kernel calls snprintf"},
    {"ThroughAHelper",
     "#include <cwchar>\n__device__ __attribute__((noinline)) void helper(float* C, int n) {\n"
     "  wmemset((wchar_t*)C, 1, n);\n}\n" +
         kernel("helper(C, n);"),
     3, "a kernel calls wmemset"},
    {"ThroughATable",
     "#include <cwchar>\nusing Copy = wchar_t* (*)(wchar_t*, const wchar_t*, size_t);\n"
     "__device__ Copy table[] = {wmemcpy, wmemmove};\n" +
         kernel("table[n & 1]((wchar_t*)C, (const wchar_t*)A, n);"),
     4, "a host function"},
    {"ThroughAVirtualFunction",
     "#include <cwchar>\nstruct Base { virtual void run(float* C, int n) = 0; };\n"
     "struct Fill : Base { void run(float* C, int n) override {\n"
     "  wmemset((wchar_t*)C, 1, n); } };\n"
     "__device__ __attribute__((noinline)) void call(Base& b, float* C, int n) { b.run(C, n); }\n" +
         kernel("Fill fill; call(fill, C, n);"),
     4, "a kernel calls wmemset"},
    {"Output", "#include <iostream>\n" + kernel("std::cout << n;"), 2, "a host function"},
    {"AbortOnTheDevice",
     "#include <cstdlib>\n__device__ void stop() { std::abort(); }\n" +
         kernel("if (n < 0) stop();"),
     2, "a kernel calls abort"},
    {"ExceptionOnBoth",
     "__host__ __device__ void stop() { throw 1; }\n" + kernel("if (n < 0) stop();"), 1,
     "a host function"},
    {"BesideTheHostsPart",
     "#include <cstdlib>\n__host__ __device__ void stop(int n) {\n#ifndef __CUDA_ARCH__\n"
     "  if (n < 0) std::abort();\n#endif\n}\n" +
         kernel("stop(n);\nif (n < 1) std::exit(1);"),
     8, "a kernel calls exit"},
    {"Thread", "#include <thread>\n" + kernel("std::thread([] {}).detach();"), 2,
     "a host function"},
};

INSTANTIATE_TEST_SUITE_P(All, Refused, testing::ValuesIn(refused), name_of);

class UnseenByGnu : public Judgement {
 protected:
  void SetUp() override {
    if (is_clang(cxx_compiler())) GTEST_SKIP() << "clang writes no dump of what reports itself";
  }
};

TEST_P(UnseenByGnu, CallsAndAccessesAreRefused) {
  const BuildResult built = build();
  EXPECT_FALSE(built.ok);
  EXPECT_THAT(built.finding.message, HasSubstr(GetParam().message));
  EXPECT_EQ(built.finding.line, GetParam().line) << built.finding.message;
}

constexpr const char* rows =
    "struct Row { float v[12]; };\n"
    "__device__ __noinline__ float sum(Row row) { return row.v[0] + row.v[11]; }\n"
    "__device__ __noinline__ Row make(float x) { Row row = {}; row.v[3] = x; return row; }\n";

/// Returns a kernel that sums `element`, an access with an index i to one of the local `variables`.
std::string kernel_that_reads(const std::string& types, const std::string& variables,
                              const std::string& element) {
  return types + "\n" +
         kernel("\n" + variables + "\n  float s = 0;\n  for (int i = 0; i < n; ++i) s += " +
                element + ";\n  C[0] = s;\n");
}

constexpr const char* in_memory = "structure in memory";
constexpr const char* unbounded = "with an index that nothing bounds";

const Case unseen[] = {
    {"ArgumentThroughAPointer",
     rows + std::string("__device__ float (*sums[])(Row) = {sum, sum};\n") +
         kernel("C[0] = sums[n & 1](((const Row*)A)[n]);"),
     5, in_memory},
    {"ThroughAPointer",
     rows + std::string("__device__ Row (*makes[])(float) = {make, make};\n") +
         kernel("((Row*)C)[n] = makes[n & 1](1);"),
     5, in_memory},
    {"InAHelper",
     rows +
         std::string("__device__ __noinline__ void fill(Row* to, Row (*f)(float)) {\n"
                     "  to[1] = f(2);\n}\n") +
         kernel("fill((Row*)C, n ? make : nullptr);"),
     5, in_memory},
    {"ByAnOperator",
     rows +
         std::string("__device__ __noinline__ float operator+(Row a, Row b) {\n"
                     "  return a.v[3] + b.v[4];\n}\n") +
         kernel("C[0] = ((const Row*)A)[n] + ((const Row*)A)[1];"),
     7, in_memory},
    {"LargerArray",
     kernel_that_reads("using Everything = const float[1ll << 44];",
                       "  float x[2] = {}; auto& all = reinterpret_cast<Everything&>(x);",
                       "all[A - x + i]"),
     5, unbounded},
    {"LargerClass",
     kernel_that_reads("struct Everything { float v[1ll << 30]; };",
                       "  float x[2] = {}; auto& all = reinterpret_cast<Everything&>(x);",
                       "all.v[A - x + i]"),
     5, unbounded},
    {"LargerClassOfTheSameName",
     kernel_that_reads("namespace a { struct W { float v[2]; }; }"
                       " namespace b { struct W { float v[1 << 20]; }; }",
                       "  a::W x{}; auto& all = reinterpret_cast<b::W&>(x);", "all.v[A - x.v + i]"),
     5, unbounded},
    {"ElementsOfALargerClass",
     kernel_that_reads("struct Large { float v[1 << 20]; }; using Two = Large[2];",
                       "  float x[2] = {}; auto& all = reinterpret_cast<Two&>(x);",
                       "all[i & 1].v[A - x + i]"),
     5, unbounded},
    {"ArrayWithoutAnExtent",
     kernel_that_reads("struct Open { float first; float rest[]; };", "  Open x; x.first = A[0];",
                       "x.rest[A - x.rest + i]"),
     5, unbounded},
    {"ArrayOfNothing",
     kernel_that_reads("template <int N> struct Some { float first; float rest[N]; };",
                       "  Some<0> x; x.first = A[0];", "x.rest[A - x.rest + i]"),
     5, unbounded},
    {"ArrayOfNothingByATemplatesArgument",
     kernel_that_reads("template <class T> struct Two { float first; T second; };",
                       "  Two<float[0]> x; x.first = A[0];", "x.second[A - x.second + i]"),
     5, unbounded},
    {"ArrayOfNothingOfABase",
     kernel_that_reads("struct Base { float first; float rest[0]; }; struct Derived : Base {};",
                       "  Derived x; x.first = A[0];", "x.rest[A - x.rest + i]"),
     5, unbounded},
};

INSTANTIATE_TEST_SUITE_P(All, UnseenByGnu, testing::ValuesIn(unseen), name_of);

class Accepted : public Judgement {};

TEST_P(Accepted, AsNvccDoes) {
  const BuildResult built = build();
  EXPECT_TRUE(built.ok) << built.finding.message;
}

const Case accepted[] = {
    {"AssemblyForGpusAlone",
     kernel("\n#ifdef __CUDA_ARCH__\n  asm volatile(\"bar.sync 0;\");\n#endif\n")},
    {"Printf", kernel("printf(\"%d of %p\\n\", n, C); printf(\"plain\\n\");")},
    {"Assert", kernel("assert(n > 0);", "#include <assert.h>\n")},
    {"Copies", kernel("memcpy(C, A, n); memset(C, 0, 12); memmove(C, C + 1, 48);")},
    {"LocalsByViewsOfTheirOwnSize",
     "template <class T, int N> struct Array { T v[N]; __device__ T& operator[](int i) { return "
     "v[i]; } };\nusing Four = Array<float, 4>; union Quad { float4 vector; float element[4]; };\n"
     "struct Outer { Four in[2]; float rest[2][3]; };\n" +
         kernel(
             "struct Local { float q[3]; __device__ float at(int i) const { return q[i]; } };\n"
             "Four four{}; Array<Four, 2> nested{}; Quad quad{}; Outer outer{}; Local local{};\n"
             "auto own = [four](int i) mutable { return four[i]; };\n"
             "for (int i = 0; i < n; ++i) {\n"
             "  four[i & 3] += A[i]; nested[i & 1][i & 3] += A[i]; quad.element[i & 3] += A[i];\n"
             "  outer.in[i & 1][i & 3] += A[i]; outer.rest[i & 1][i % 3] += local.at(i % 3);\n"
             "  reinterpret_cast<float*>(&quad.vector)[i & 3] += own(i & 3);\n"
             "  reinterpret_cast<Four&>(quad)[i & 3] += 1;\n}\n"
             "C[0] = four[0] + nested[1][2] + quad.vector.y + outer.in[1][2] + "
             "outer.rest[1][2];")},
    {"ArraysWithoutAnExtentBehindPointers",
     "struct Open { float first; float rest[]; };\n" +
         kernel("const Open* open = reinterpret_cast<const Open*>(A); C[0] = open->rest[n];")},
    {"StructuresThatCallsPass",
     rows + std::string("__device__ __noinline__ void fill(Row* to) { to[1] = make(2); }\n") +
         kernel("C[0] = sum(((const Row*)A)[n]) + sum(*(const Row*)C); ((Row*)C)[n] = make(1); "
                "fill((Row*)C);")},
    {"ArgumentsThatAreNoStructures",
     "using Row = const float*;\nusing Tile = float (&)[4][4];\ntypedef float (&Corner)[4];\n"
     "using Function = float (*)(float);\nstruct Bits { unsigned x : 3, y : 5; };\n"
     "using Count = unsigned;\n"
     "__device__ float first(Row row) { return row ? row[0] : 0; }\n"
     "__device__ float corner(Tile tile, Corner row) { return tile[0][0] + row[0]; }\n"
     "__device__ float counted(Count count) { return count; }\n"
     "__device__ float twice(float x) { return 2 * x; }\n"
     "__device__ int twice(int x) { return 2 * x; }\n"
     "__device__ float apply(Function f, float x) { return f(x); }\n"
     "template <class T> __device__ void add(T to, float x) { to += x; }\n" +
         kernel("__shared__ float tile[4][4]; Bits bits{1, 2}; float sum = 0; add<float&>(sum, 1); "
                "C[0] = first(NULL) + first(nullptr) + first(A) + corner(tile, tile[1]) + "
                "counted(bits.y) + apply(twice, 1) + sum;",
                "#include <cstddef>\n")},
    {"HeadersOfTheToolkit",
     "#include <builtin_types.h>\n#include <cuda.h>\n#include <cuda_runtime_api.h>\n"
     "#include <device_atomic_functions.h>\n#include <device_functions.h>\n"
     "#include <device_launch_parameters.h>\n#include <driver_types.h>\n#include <host_defines.h>\n"
     "#include <math_constants.h>\n#include <math_functions.h>\n#include <vector_functions.h>\n"
     "#include <vector_types.h>\n" +
         kernel("atomicAdd(C, A[0]);")},
    {"NamesThatBeginAsMangledOnes",
     "template <int _Zone, class _Z> __device__ _Z twice(_Z x) { return _Zone * x; }\n" +
         kernel("C[0] = twice<2>(A[0]);")},
    {"WhatOnlyNvccGets",
     kernel("__shared__ float s[32];\n#ifndef __CUDACC__\n#error\n#endif\n#if "
            "__CUDACC_VER_MAJOR__ < 9 || !defined(__NVCC__)\n#error\n#endif\n"
            "s[threadIdx.x] = A[n]; __syncthreads(); C[threadIdx.x] = s[31 - threadIdx.x];",
            "#ifndef __CUDACC__  // for an editor\n#define __syncthreads()\n#endif\n")},
    {"GroupsByTheirGeneralNames",
     "#include <cooperative_groups.h>\nnamespace cg = cooperative_groups;\n"
     "__device__ float add(cg::thread_block_tile<32> warp, float x) {\n"
     "  for (int i = 16; i > 0; i /= 2) x += warp.shfl_xor(x, i);\n  return x;\n}\n"
     "__device__ unsigned wait(cg::thread_group group) { group.sync(); return group.size(); }\n" +
         kernel("cg::thread_block block = cg::this_thread_block();\n"
                "cg::thread_block_tile<32> warp = cg::tiled_partition<32>(block);\n"
                "C[threadIdx.x] = add(warp, A[threadIdx.x]) + wait(block) + wait(warp);")},
    {"Heap", kernel("float* p = new float[n]; p[0] = A[0]; C[0] = p[0]; delete[] p; "
                    "void* q = malloc(n); free(q);")},
    {"VirtualFunctions",
     "struct Shape { __device__ virtual float area() const = 0; __device__ virtual ~Shape() {} };\n"
     "struct Square : Shape { float a; __device__ Square(float a) : a(a) {}\n"
     "  __device__ float area() const override { return a * a; } };\n"
     "__device__ __attribute__((noinline)) float f(const Shape& s) { return s.area(); }\n" +
         kernel("Square s(A[0]); C[0] = f(s);")},
    {"FunctionPointers",
     "using F = float (*)(float);\n__device__ float twice(float x) { return 2 * x; }\n"
     "__device__ float half(float x) { return x / 2; }\n__device__ F table[] = {twice, half, "
     "sqrtf};"
     "\n" +
         kernel("C[0] = table[n % 3](A[0]);")},
    {"Lambdas",
     "template <class F> __global__ void apply(F f, float* C) { C[threadIdx.x] = f(C[0]); }\n"
     "cudaError_t matmul_shared(const float*, const float*, float* C, int n, int) {\n"
     "  apply<<<1, 32>>>([=] __device__(float x) { return x + n; }, C);\n"
     "  return cudaGetLastError();\n}\n"},
    {"HostLibrary",
     "#include <algorithm>\n#include <chrono>\n#include <cstdio>\n#include <functional>\n"
     "#include <iostream>\n#include <map>\n#include <mutex>\n#include <random>\n#include <string>\n"
     "#include <thread>\n#include <vector>\n" +
         kernel("C[0] = A[0];") +
         "cudaError_t matmul_shared(const float* A, const float*, float* C, int n, int) {\n"
         "  std::vector<int> v(n); std::string s = std::to_string(n); std::map<int, int> m;\n"
         "  std::mt19937 r(1); std::sort(v.begin(), v.end()); m[n] = r(); std::cerr << s;\n"
         "  if (v.at(0) > n) throw std::runtime_error(s);\n"
         "  std::function<int()> f = [&] { return m[0]; }; fprintf(stderr, \"%d\", f());\n"
         "  std::thread([&] { kernel<<<1, 32>>>(A, C, n); }).join();\n"
         "  return cudaGetLastError();\n}\n"},
#if defined(__x86_64__)  // where calls check on which side they are made
    {"WhatOnlyTheHostGets",
     "#include <cstdlib>\n#include <iostream>\n#include <stdexcept>\n#include <string>\n"
     "#define BOTH __host__ __device__\n"
     "BOTH inline void check(int n) {\n#ifndef __CUDA_ARCH__\n"
     "  if (n < 0) throw std::out_of_range(\"n is less than 0\");\n"
     "  if (n > 9) { std::cerr << n << std::endl; std::abort(); }\n#endif\n}\n"
     "BOTH inline int order(int n) {\n#if defined(__CUDA_ARCH__)\n  return n;\n#else\n"
     "  std::string text = \"n\"; text += 'm'; return n + (int)text.size();\n#endif\n}\n" +
         kernel("check(n); C[order(n)] = 1;")},
    {"WhatNvccWarnsOf",
     "#include <cstdlib>\n__host__ __device__ inline void check(int n) { if (n < 0) exit(1); }\n" +
         kernel("check(n);")},
#endif
    {"TicksOfAClock", "#include <ctime>\n" + kernel("C[0] = clock() + clock64();")},
    {"Mathematics",
     kernel("\nC[0] = rsqrtf(A[0]) + fmaf(A[0], 2, 1) + __fmaf_rn(A[1], 2, 1) + hypotf(A[0], 1) + "
            "fminf(A[0], A[1]) + max(1, n) + min(n, 3) + std::sqrt(A[2]) + sinf(A[0]) + "
            "powf(A[1], 2) + exp(double(A[0])) + erff(A[1]) + cbrtf(A[1]) + fabsf(A[0]) + "
            "lroundf(A[0]) + std::abs(A[0]) + std::pow(A[0], 3) + fmod(A[0], 2.0) + abs(n) + "
            "tgammaf(A[0]) + ldexpf(A[0], 2) + isnan(A[0]);"
            "\nfloat s, c; sincosf(A[0], &s, &c); C[1] = s + c;",
            "#include <algorithm>\n#include <cmath>\n")},
    {"HarmlessAttributes",
     "[[nodiscard]] __device__ static inline __attribute__((always_inline)) float f(float x)"
     " { return x; }\nstruct alignas(16) Quad { float x, y, z, w; };\n"
     "__device__ __noinline__ float g([[maybe_unused]] float x) { return f(x); }\n" +
         kernel("\n#pragma unroll 4\nfor (int i = 0; i < n; ++i) C[i] = g(A[i]);\n")},
    {"HarmlessPragmas",
     "#pragma once\n#pragma GCC diagnostic push\n#pragma GCC diagnostic ignored \"-Wall\"\n"
     "#pragma nv_diag_suppress 177\n#pragma hd_warning_disable\n#pragma GCC diagnostic pop\n" +
         kernel("_Pragma(\"unroll\") for (int i = 0; i < 4; ++i) C[i] = A[i];")},
    {"WordsInTextsAndComments",
     "// asm no_sanitize __tsan_read4\n#if 0\nasm(\"nop\");\n#endif\n"
     "static const char* words = \"asm no_sanitize __tsan_read4 tilewise\";\nint assembly;\n" +
         kernel("C[0] = words == nullptr;")},
    {"CopyOfAStructure",
     "struct Row { float v[12]; };\n" + kernel("((Row*)C)[n] = ((const Row*)A)[0];")},
    {"StructuresByValue",
     "struct Row { float v[12]; };\nstruct View { const float* p; int n; int m; };\n"
     "__device__ __noinline__ float sum(Row row) { return row.v[0] + row.v[11]; }\n"
     "__device__ __noinline__ Row make(float x) { Row row = {}; row.v[3] = x; return row; }\n"
     "__device__ __noinline__ float first(View view) { return view.p[0]; }\n" +
         kernel("Row row = *(const Row*)A; C[20] = sum(row); Row made = make(A[0]); "
                "((Row*)C)[n] = made; View view{A, n, n}; C[40] = first(view);")},
    {"LargeArrayOfStructures",
     "struct Pair { float a, b; };\n__device__ Pair pairs[1 << 17];\n"
     "__device__ Pair join(Pair a, Pair b) { Pair c = a; c.a = fmaxf(a.a, b.a); "
     "c.b = a.b * expf(a.a - c.a) + b.b * expf(b.a - c.a); return c; }\n" +
         kernel("if (threadIdx.x == 0) pairs[blockIdx.x] = {A[0], A[1]};\n"
                "const size_t row = blockIdx.x / n; Pair all{}; "
                "for (int i = threadIdx.x; i < n; i += 32) all = join(all, pairs[row * n + i]); "
                "C[0] = all.a + all.b;")},
    {"ComplexNumbers",
     kernel("std::complex<float> z(A[0], A[1]); z *= z; C[0] = z.real();", "#include <complex>\n")},
    {"TensorCores",
     "#include \"tilewise/ptx.hpp\"\nnamespace ptx = tilewise::ptx;\nusing namespace "
     "tilewise::ptx;\n" +
         kernel(
             "__shared__ __align__(16) float tile[128]; tilewise::ptx::cp_async<16>(&tile[4 * "
             "threadIdx.x], A); cp_async_commit(); ptx::cp_async_wait<0>(); unsigned r[4], b[2] = "
             "{}; ldmatrix_x4(r, &tile[4 * threadIdx.x]); float d[4] = {}; "
             "ptx::mma_m16n8k16(d, r, b); C[threadIdx.x] = d[0];")},
    {"SharedOutsideOfFunctions",
     "__shared__ float tile[32];\nextern __shared__ float rest[];\n" +
         kernel("tile[threadIdx.x] = A[0]; __syncthreads(); C[0] = tile[0] + rest[0];")},
    {"SharedAndShuffles",
     kernel("__shared__ float s[32]; extern __shared__ float d[]; s[threadIdx.x] = A[0]; "
            "__syncthreads(); C[0] = __shfl_down_sync(~0u, s[0], 1) + d[0]; atomicAdd(C, 1.0f);")},
    {"SwitchesWithManyCases",
     kernel("switch (n) { case 0: C[0] = 1; break; case 1: C[1] = A[2]; break; case 2: C[2] = 3; "
            "break; case 3: C[3] = A[4]; break; case 4: C[5] = 9; break; case 5: C[7] = 1; }")},
    {"AskingForTheSanitizer",
     "#ifdef __SANITIZE_THREAD__\n#error told apart\n#endif\n" + kernel("C[0] = A[0];")},
};

INSTANTIATE_TEST_SUITE_P(All, Accepted, testing::ValuesIn(accepted), name_of);

}  // namespace
}  // namespace tilewise::grading
