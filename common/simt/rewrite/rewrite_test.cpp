#include "common/simt/rewrite/rewrite.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <array>
#include <ctime>
#include <map>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/simt/rewrite/tokenizer.hpp"

namespace tilewise::simt {
namespace {

using rewriting::Token;
using rewriting::tokenize;

// A kernel with everything that the rewriter changes and much that could mislead it.
constexpr std::string_view kernel = R"cu(#include "matmul_shared.hpp"
#include <cstddef>
/* C = A * B
   k<<<1, 2>>>(x) is how it's launched. */
#define CEIL(a, b) \
  (((a) + (b) - 1) / (b))

namespace {
__shared__ int in_namespace;
extern "C" {
  extern __shared__ float dynamic[];
}

template <int Tile, class Real = float>
__global__ void matmul(const Real* A, const Real* B, Real* C, int n) {
  __shared__ Real As[Tile][Tile],  // (row, k)
                  Bs[Tile][Tile + 1];
  static __shared__ volatile
      Pair<int, A<B<float>>> pairs[2]; __shared__ __align__(16) float4 v;
  Real sum = 0; const char* text = "__shared__ k<<<1, 2>>>(x); // \"";
#if 0
  it's k<<< not (code
#elif defined X
  for (int k0 = 0; k0 < n; k0 += Tile) {
#else
  for (int k0 = 0; k0 < n << 1; k0 += 1'000) {
#endif
    As[ty][tx] = row < n ? A[std::size_t(row) * n + k0 + tx] : '\'';
    __syncthreads();
#pragma unroll
    for (int k = 0; k < Tile; ++k) sum += As[ty][k] * Bs[k][tx];
#pragma unroll Tile  // all
    for (int k = 0; k < Tile; ++k) sum += As[ty][k] * Bs[k][tx] >> 1;
  }
  auto raw = R"(
    k<<<1, 2>>>(x); "
  )";
  C[row * n + col] = sum;
}
}  // namespace

cudaError_t launch(const float* A, const float* B, float* C, int n, dim3 block) {
  const dim3 grid(CEIL(n, block.x), CEIL(n, block.y));
  if (n > 16) matmul<16, float><<<grid, block>>>(A, B, C, n);
  else matmul
      <(8 >> 1)><<<dim3{grid.x, grid.y},
                   block, (n >> 2) * sizeof(float)
      >>>(A, B,
          C, n);
  n ? table[n]<<<1, 1>>>() : ns::empty<<<1, threads<1>>>>();
  return cudaGetLastError();
}
)cu";

std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> lines(1);
  for (const char c : text) {
    if (c == '\n') {
      lines.emplace_back();
    } else {
      lines.back() += c;
    }
  }
  return lines;
}

auto line_breaks(std::string_view text) { return std::count(text.begin(), text.end(), '\n'); }

Rewritten rewritten_for_checks(std::string_view source) {
  return rewrite(source, {.mark_loop_exits = true});
}

bool keeps_lines(std::string_view source) {
  return line_breaks(rewrite(source).text) == line_breaks(source) &&
         line_breaks(rewritten_for_checks(source).text) == line_breaks(source);
}

bool may_be_replaced(const Token& token) {
  constexpr std::array<std::string_view, 6> replaced = {"<<<",    ">",      "__shared__",
                                                        "static", "extern", "unroll"};
  return std::find(replaced.begin(), replaced.end(), token.text) != replaced.end();
}

TEST(Rewrite, KeepsEveryTokenOnItsLine) {
  const auto rewritten = rewrite(kernel);
  EXPECT_TRUE(rewritten.errors.empty());
  ASSERT_EQ(line_breaks(rewritten.text), line_breaks(kernel));

  std::map<std::pair<int, std::string_view>, int> left;
  for (const auto& token : tokenize(rewritten.text)) ++left[{token.line, token.text}];
  for (const auto& token : tokenize(kernel)) {
    const bool is_dropped = token.directive != 0 && token.line == 32;  // #pragma unroll Tile
    const bool is_open_bound = token.line == 11 && (token.is("[") || token.is("]"));
    if (may_be_replaced(token) || is_dropped || is_open_bound) continue;
    EXPECT_GE(--left[std::pair(token.line, token.text)], 0)
        << "line " << token.line << " lost " << token.text;
  }
}

TEST(Rewrite, KeepsEveryTokenButPragmasOnItsLineWhenMarkingLoops) {
  const auto plain = rewrite(kernel);
  const auto marked = rewritten_for_checks(kernel);
  EXPECT_TRUE(marked.errors.empty());
  std::map<std::pair<int, std::string_view>, int> left;
  for (const auto& token : tokenize(marked.text)) ++left[{token.line, token.text}];
  for (const auto& token : tokenize(plain.text)) {
    if (token.line == 30 || token.line == 32) continue;  // #pragma unroll
    EXPECT_GE(--left[std::pair(token.line, token.text)], 0)
        << "line " << token.line << " lost " << token.text;
  }
}

TEST(Rewrite, LeavesLinesWithoutCudaAlone) {
  const auto before = lines_of(kernel);
  const auto after = lines_of(rewrite(kernel).text);
  ASSERT_EQ(before.size(), after.size());
  std::vector<std::size_t> changed;
  for (std::size_t i = 0; i < before.size(); ++i) {
    if (before[i] != after[i]) changed.push_back(i + 1);
  }
  EXPECT_THAT(changed, testing::ElementsAre(9, 11, 16, 17, 18, 19, 30, 32, 44, 45, 46, 48, 50));
}

TEST(Rewrite, ChangesNothingInPlainCpp) {
  const std::string sources[] = {
      "",
      "\n",
      "int a;",
      "int a; // no line break at the end \\",
      "int a = 1'000;\r\nauto b = R\"x(\r\n)x\";\r\n",
      "#include <cuda_runtime.h>\n",
      "std::vector<std::vector<std::vector<int>>> v; v <<= 1; v >>= 2; a = b << c >> d;\n",
      "#pragma once\n#pragma GCC unroll 3\nfor (;;) {}\n",
  };
  for (const auto& source : sources) {
    const auto rewritten = rewrite(source);
    EXPECT_EQ(rewritten.text, source);
    EXPECT_TRUE(rewritten.errors.empty());
  }
}

TEST(Rewrite, DropsAByteOrderMark) {
  EXPECT_EQ(rewrite("\xEF\xBB\xBF#pragma once\n").text, "#pragma once\n");
  EXPECT_EQ(rewrite("\xEF\xBB\xBF").text, "");
}

TEST(Rewrite, TellsNoinlineFromAnAttributeOrMacro) {
  EXPECT_EQ(rewrite("#define SLOW __noinline__\ntemplate <class T> __noinline__ void f();").text,
            "#define SLOW __attribute__((noinline))\n"
            "template <class T> __attribute__((noinline)) void f();");
  constexpr std::string_view attributes =
      "__attribute__((__noinline__)) void f(); __attribute__((cold, __noinline__)) void g(); "
      "[[gnu::__noinline__]] void h();  // __noinline__\n#ifndef __noinline__\n#endif\n";
  EXPECT_EQ(rewrite(attributes).text, attributes);
}

TEST(Rewrite, CopiesStructuresThatDeviceFunctionsTakeAndReturn) {
  const std::string functions =
      "__device__ float dot(const float4 a, float b, float4 c = {}); "
      "template <class T> __device__ T* first(T v, const T& w) { return f(a); } "
      "struct A { __device__ int member(Pair p) const; }; "
      "__device__ float4 sum(const float4* p, int n) { return *p; } "
      "__device__ int many(Pair p); __device__ int many(int n); "
      "__host__ int other(Pair p); "
      "using Row = const float*; typedef const Pair &Named, *const Behind; typedef Pair Same; "
      "__device__ int by_address(Row r, Named a, Behind b, Same s); ";
  const std::pair<const char*, const char*> cases[] = {
      {"dot(*p, x, a[i])", "dot(@*p), x, @a[i]))"},
      {"dot(s.a, {1, 2}, {})", "dot(@s.a), {1, 2}, {})"},
      {"first<float4>(*p, *q)", "first<float4>(@*p), *q)"},
      {"object.member(pairs[i])", "object.member(@pairs[i]))"},
      {"many(*p), other(*p)", "many(*p), other(*p)"},
      {"dot(g<1, 2>(x), 1, *p)", "dot(g<1, 2>(x), 1, *p)"},
      {"dot(NULL, 1, v), dot(sum, 1, v)", "dot(NULL, 1, @v)), dot(sum, 1, @v))"},
      {"first<Pair&>(p, q), first<Pair*>(p, q)", "first<Pair&>(p, q), first<Pair*>(p, q)"},
      {"by_address(p, q, r, s)", "by_address(p, q, r, @s))"},
      {"*q = sum(p, 1)", "*q = @sum(p, 1))"},
      {"float4 v = sum(p, 1)", "float4 v = @sum(p, 1))"},
      {"x = dot(dot(*p, 1), 2)", "x = dot(@dot(@*p), 1)), 2)"},
  };
  const auto body = [&](const std::string& text) {
    return functions + "void f() { " + text + "; }";
  };
  for (const auto& [source, expected] : cases) {
    std::string marked;
    for (const char* at = expected; *at != '\0'; ++at) {
      marked += *at == '@' ? "::tilewise::simt::by_value(" : std::string(1, *at);
    }
    EXPECT_EQ(rewrite(body(source)).text, body(marked));
  }
}

TEST(Rewrite, CopiesObjectsThatAreMadeToBeAssigned) {
  const std::pair<const char*, const char*> cases[] = {
      {"out[i] = float4{a, b}", "out[i] = @float4{a, b})"},
      {"*to = N::Quad<int, 4>{}", "*to = @N::Quad<int, 4>{})"},
      {"*to++ = Quad{f(a)}", "*to++ = @Quad{f(a)})"},
      {"*f(i) = Quad{a}; s->q = Quad{b}", "*f(i) = @Quad{a}); s->q = @Quad{b})"},
      {"q = Quad{a}; if (x) q = Quad{b}", "q = @Quad{a}); if (x) q = @Quad{b})"},
      {"q = x ? *p : Quad{}", "q = x ? *p : @Quad{})"},
      {"q[i] = f(x) ? Quad{a} : Quad{b}", "q[i] = f(x) ? @Quad{a}) : @Quad{b})"},
      // Objects of a declaration, others that are not assigned, and braces without the name of a
      // type.
      {"Quad q = Quad{a}, *p = x ? &r : new Quad{b}", nullptr},
      {"auto lock = Lock{m}; const auto& [a, b] = Pair{1, 2}; auto [c, d] = Pair{1, 2}", nullptr},
      {"Quad<4> q = Quad<4>{}; q += Quad{a}; x = q == Quad{a}; f(Quad{b})", nullptr},
      {"q = {a, b}; f = [&] { g(); }; x = a > {b}; return Quad{a}", nullptr},
      {"for (auto x : List{1, 2}) { x = 1; } struct A : B { Quad q = Quad{}; }", nullptr},
      {"x = 1; switch (x) { case 1: { } default: Quad{a}; }", nullptr},
  };
  for (const auto& [source, expected] : cases) {
    std::string marked;
    for (const char* at = expected == nullptr ? source : expected; *at != '\0'; ++at) {
      marked += *at == '@' ? "::tilewise::simt::by_value(" : std::string(1, *at);
    }
    const auto body = [](const std::string& text) { return "void f() { " + text + "; }"; };
    EXPECT_EQ(rewrite(body(source)).text, body(marked));
  }
}

TEST(Rewrite, SaysOfMemberTemplatesThatTheyAre) {
  const std::string declared =
      "struct Tile { template <int N> __device__ void load(int n); int size; };\n";
  for (const auto& [given, expected] :
       {std::pair{"template <class T> __device__ void f(T t) { t.load<4>(1); }",
                  "template <class T> __device__ void f(T t) { t.template load<4>(1); }"},
        std::pair{"template <class T> __device__ void f(T* t) { t->load<T::n + 1>(1); }",
                  "template <class T> __device__ void f(T* t) { t->template load<T::n + 1>(1); }"},
        std::pair{"__device__ void f(Tile t) { t.template load<4>(1); }",
                  "__device__ void f(Tile t) { t.template load<4>(1); }"},
        std::pair{"__device__ bool f(Tile t) { return t.size < 4 && 5 > (1); }",
                  "__device__ bool f(Tile t) { return t.size < 4 && 5 > (1); }"}}) {
    EXPECT_EQ(rewrite(declared + given).text, declared + expected);
  }
}

TEST(Rewrite, ReportsErrorsInTheOrderOfTheirLines) {
  const auto rewritten =
      rewrite("__shared__ int a = 1;\nk<<<1>>>;\n#define L k<<<>>>()\n__shared__ int b = 1;\n");
  std::vector<int> lines;
  for (const auto& error : rewritten.errors) lines.push_back(error.line);
  EXPECT_THAT(lines, testing::ElementsAre(1, 2, 3, 4));
}

TEST(Rewrite, TakesAFileCutOffAnywhere) {
  for (std::size_t length = 0; length <= kernel.size(); ++length) {
    const auto source = kernel.substr(0, length);
    ASSERT_TRUE(keeps_lines(source)) << length;
    const auto rest = kernel.substr(length);
    ASSERT_TRUE(keeps_lines(rest)) << length;
  }
}

TEST(Rewrite, TakesAFileWithAnyTokenLeftOut) {
  for (const auto& token : tokenize(kernel)) {
    const auto source =
        std::string(kernel.substr(0, token.begin)) + std::string(kernel.substr(token.end()));
    ASSERT_TRUE(keeps_lines(source)) << "line " << token.line;
  }
}

constexpr std::string_view fragments[] = {
    "<<<",
    ">>>",
    "<",
    ">",
    ">>",
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    ";",
    ",",
    "::",
    ".",
    "->",
    "*",
    "=",
    ":",
    "k",
    " float ",
    "1",
    "__shared__ ",
    " extern ",
    "static ",
    "struct ",
    "template ",
    "namespace ",
    "alignas(",
    "[[",
    "operator",
    "decltype(",
    "\n",
    "\\\n",
    "\r\n",
    "#",
    "\n#if 0\n",
    "\n#if A\n",
    "\n#else\n",
    "\n#endif\n",
    "\n#define M ",
    "\n#pragma unroll ",
    "_Pragma(\"unroll\")",
    "for (",
    "do ",
    "while (",
    "__device__ void f() {",
    "constexpr ",
    "\"",
    "'",
    "R\"(",
    ")\"",
    "//",
    "/*",
    "*/",
    "\\",
};

TEST(Rewrite, TakesAnySequenceOfFragments) {
  std::mt19937 random(2025);
  std::uniform_int_distribution<std::size_t> fragment(0, std::size(fragments) - 1);
  std::uniform_int_distribution<int> length(1, 60);
  for (int round = 0; round < 20'000; ++round) {
    std::string source;
    for (int i = length(random); i > 0; --i) source += fragments[fragment(random)];
    ASSERT_TRUE(keeps_lines(source)) << source;
  }
}

TEST(Rewrite, TakesAnyBytes) {
  std::mt19937 random(2026);
  std::uniform_int_distribution<int> byte(0, 255);
  std::uniform_int_distribution<int> length(1, 200);
  for (int round = 0; round < 5'000; ++round) {
    std::string source;
    for (int i = length(random); i > 0; --i) source += static_cast<char>(byte(random));
    ASSERT_TRUE(keeps_lines(source)) << round;
  }
}

double processor_seconds(const std::string& source, RewriteOptions options) {
  const auto start = std::clock();
  EXPECT_EQ(line_breaks(rewrite(source, options).text), line_breaks(source));
  return static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
}

void expect_time_in_proportion(std::string_view pattern, RewriteOptions options) {
  SCOPED_TRACE(pattern);
  constexpr int few = 2'500;
  constexpr int times_longer = 8;
  constexpr double most_times_slower = 24;  // 8 for work in proportion, 64 for its square
  constexpr double clock_noise_s = 0.002;
  const auto source = [&](int repetitions) {
    std::string text;
    for (int i = 0; i < repetitions; ++i) text += pattern;
    for (int i = 0; i < repetitions; ++i) text += ")<<<>";
    return text;
  };
  const auto short_s = std::max(processor_seconds(source(few), options), clock_noise_s);
  EXPECT_LT(processor_seconds(source(few * times_longer), options), short_s * most_times_slower);
}

// Submissions are rewritten inside the grader's own process, and none may hold it up.
TEST(Rewrite, TakesTimeInProportionToTheLength) {
  const std::string_view patterns[] = {
      "<<<",
      ">>>",
      "k<<<1, 2>>>(",
      "(<<<",
      ")<<<",
      "a<",
      "a<b>::",
      "{",
      "}",
      "(",
      "R\"x",
      "/*",
      "extern ",
      "__shared__ ",
      "__shared__ a<",
      "> __shared__ ",
      "__shared__ a,",
      "__shared__ a[(",
      "struct {",
      "template <",
      "alignas(",
      "\n#if A\n{(",
      "\n#else\n}",
      "\n#if 0\n",
      "\n#pragma unroll",
      "_Pragma(\"unroll\")",
      "\n#define M k<<<",
  };
  for (const auto pattern : patterns) expect_time_in_proportion(pattern, {});
}

TEST(Rewrite, MarksLoopsInTimeInProportionToTheLength) {
  const std::string_view patterns[] = {
      "__device__ void f() {",     "__device__ f(){do ", "__device__ f(){do(",
      "__device__ f(){do{}while(", "\n#pragma unroll",
  };
  for (const auto pattern : patterns) {
    expect_time_in_proportion(pattern, {.mark_loop_exits = true});
  }
}

/// Code for the device alone is told its target; code for both sides is not, nor code that can do
/// without the PTX that the simulator cannot run.
TEST(Rewrite, OnlyDeviceCodeIsToldItsTarget) {
  const std::string text = rewrite(R"cu(int launches;
#if __CUDA_ARCH__ >= 600
#endif
__global__ void k(int* x) {
#if __CUDA_ARCH__ >= 700
  *x = 1;
#elif defined(__CUDA_ARCH__)
  *x = 2;
#endif
#ifdef __CUDA_ARCH__
  asm("known to GPUs alone;");
#else
  *x = 3;
#endif
#ifdef __CUDA_ARCH__
  asm("nothing does without;");
#endif
}
__host__ __device__ int f() {
#ifdef __CUDA_ARCH__
  return 1;
#else
  return 2;
#endif
}
#if __CUDA_ARCH__ >= 800
template <> __device__ int sum<int>(int x) { return reduced(x); }
#endif
#ifdef __CUDA_ARCH__
__host__ __device__ int of_both();
#endif
#ifdef __CUDA_ARCH__
__device__ float table[2];
#else
float table[2];
#endif
)cu")
                               .text;
  std::vector<std::string> directives;
  for (std::size_t at = 0; (at = text.find("CUDA_ARCH", at)) != text.npos; ++at) {
    directives.push_back(text.substr(at - 9, 9) == "TILEWISE_" ? "told" : "as it was");
  }
  EXPECT_THAT(directives, testing::ElementsAre("as it was", "told", "told", "as it was", "told",
                                               "as it was", "told", "as it was", "as it was"));
}

}  // namespace
}  // namespace tilewise::simt
