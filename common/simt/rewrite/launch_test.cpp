#include <gtest/gtest.h>

#include <string>

#include "common/simt/rewrite/rewrite.hpp"

namespace tilewise::simt {
namespace {

// Returns the generated code for a kernel that is given by its name.
std::string named(const std::string& kernel) {
  return "TILEWISE_LAUNCHER(\"" + kernel + "\", , " + kernel + ")";
}

// Returns the code for a name that may be a variable's.
std::string captured(const std::string& kernel) {
  return "TILEWISE_LAUNCHER(\"" + kernel + "\", &, " + kernel + ")";
}

// Returns the code for an expression that yields a pointer to a kernel.
std::string chosen(const std::string& kernel) {
  return "::tilewise::simt::launcher(\"" + kernel + "\", __FILE__, __LINE__, " + kernel + ")";
}

struct Case {
  const char* what;
  std::string source;
  std::string expected;
};

TEST(Launch, IsRewritten) {
  const std::string k = named("k");
  const Case cases[] = {
      {"plain", "k<<<g, b>>>(x, y);", k + ".configure(g, b)(x, y);"},
      {"blanks", "k <<< g , b >>> (x);", k + " .configure( g , b ) (x);"},
      {"blanks within", "k << < g, b >> > (x);", k + " .configure(  g, b )  (x);"},
      {"blanks within the end", "k<<<g, V<1>::v >> >(x);", k + ".configure(g, V<1>::v ) (x);"},
      {"an operator's template", "friend S& operator<< <T>(S&, X<Y<T>> >(x));",
       "friend S& operator<< <T>(S&, X<Y<T>> >(x));"},
      {"no arguments", "k<<<1, 2>>>();", k + ".configure(1, 2)();"},
      {"one value", "k<<<g>>>(x);", k + ".configure(g)(x);"},
      {"four values", "k<<<g, b, 0, s>>>(x);", k + ".configure(g, b, 0, s)(x);"},
      {"braces", "k<<<{1, 2}, dim3{3, 4}>>>(x);", k + ".configure({1, 2}, dim3{3, 4})(x);"},
      {"shifts", "k<<<(n >> 3), n >> 2>>>(n >> 1);", k + ".configure((n >> 3), n >> 2)(n >> 1);"},
      {"a comparison", "k<<<a < b, c>>>(x);", k + ".configure(a < b, c)(x);"},
      {"an arrow", "k<<<p->g, p->b>>>(x);", k + ".configure(p->g, p->b)(x);"},
      {"template arguments", "k<<<G<A<B<int>>>::v, V<1, 2, 3, 4, 5>::v>>>(x);",
       k + ".configure(G<A<B<int>>>::v, V<1, 2, 3, 4, 5>::v)(x);"},
      {"template arguments last", "k<<<1, threads<32>>>>(x);",
       k + ".configure(1, threads<32>)(x);"},
      {"nested ones last", "k<<<1, f<g<3>>>>>(x);", k + ".configure(1, f<g<3>>)(x);"},
      {"many lines", "k\n<<<g,  // grid\nb>>>\n(x,\ny);",
       k + "\n.configure(g,  // grid\nb)\n(x,\ny);"},
      {"a template", "m<T, (A > B), (n >> 1)><<<1, 2>>>(x);",
       named("m<T, (A > B), (n >> 1)>") + ".configure(1, 2)(x);"},
      {"nested template arguments", "m<P<Q<int>>><<<1, 2>>>(x);",
       named("m<P<Q<int>>>") + ".configure(1, 2)(x);"},
      {"a namespace", "ns::S<T>::template m<3><<<1, 2>>>(x);",
       named("ns::S<T>::template m<3>") + ".configure(1, 2)(x);"},
      {"the global namespace", "return ::k<<<1, 2>>>(x);",
       "return " + named("::k") + ".configure(1, 2)(x);"},
      {"after a colon", "c ?a():k<<<1, 2>>>(x);", "c ?a(): " + k + ".configure(1, 2)(x);"},
      {"outside of functions", "f<<<1, 2>>>(x);", named("f") + ".configure(1, 2)(x);"},
      {"a variable", "void g() { f<<<1, 2>>>(x); }",
       "void g() { " + captured("f") + ".configure(1, 2)(x); }"},
      {"a variable template", "void g() { v<3><<<1, 2>>>(x); }",
       "void g() { " + captured("v<3>") + ".configure(1, 2)(x); }"},
      {"a macro's", "\n#define RUN k<<<g, b>>>(x)",
       "\n#define RUN TILEWISE_LAUNCHER_OF_MACRO(k).configure(g, b)(x)"},
      {"a macro's over two lines", "\n#define RUN(k, ...) \\\n  k<<<g, b>>>(__VA_ARGS__)",
       "\n#define RUN(k, ...) \\\n  TILEWISE_LAUNCHER_OF_MACRO(k).configure(g, b)(__VA_ARGS__)"},
      {"a name that a macro pastes", "\n#define RUN(a, b) k_##a##_##b<<<1, 2>>>(x)",
       "\n#define RUN(a, b) TILEWISE_LAUNCHER_OF_MACRO(k_##a##_##b).configure(1, 2)(x)"},
      {"a macro's without arguments", "\n#define RUN(k) k<16><<<g, b>>>",
       "\n#define RUN(k) TILEWISE_LAUNCHER_OF_MACRO(k<16>).configure(g, b)"},
      {"a macro's in parentheses", "\n#define RUN(k) (k)<<<g, b>>>(x)",
       "\n#define RUN(k) " + chosen("(k)") + ".configure(g, b)(x)"},
      {"a macro's configuration", "\n#define ON(g, b) <<<g, b>>>\nk ON(1, 2)(x);",
       "\n#define ON(g, b) .configure(g, b)\n" + k + " ON(1, 2)(x);"},
      {"a macro's configuration, which others stand for",
       "\n#define ON(...) <<<__VA_ARGS__>>>\n#define ON2(g, b) ON(g, b, 0, 0)\nm<1> ON2(1, 2)(x);",
       "\n#define ON(...) .configure(__VA_ARGS__)\n#define ON2(g, b) ON(g, b, 0, 0)\n" +
           named("m<1>") + " ON2(1, 2)(x);"},
      {"a macro's configuration and arguments", "\n#define ON(x) <<<1, 2>>>(x)\nk ON(y);",
       "\n#define ON(x) .configure(1, 2)(x)\n" + k + " ON(y);"},
      {"a macro's configuration in a macro",
       "\n#define ON <<<1, 2>>>\n#define RUN(k, x) k<2> ON(x)\n",
       "\n#define ON .configure(1, 2)\n#define RUN(k, x) TILEWISE_LAUNCHER_OF_MACRO(k<2>) ON(x)\n"},
      {"a macro's configuration, or nothing",
       "\n#if A\n#define ON(g) <<<g, 2>>>\n#else\n#define ON(g)\n#endif\nk ON(1)(x);",
       "\n#if A\n#define ON(g) .configure(g, 2)\n#else\n#define ON(g)\n#endif\n" + k +
           " ON(1)(x);"},
      {"a macro's brackets", "\n#define ON <<<\n#define END >>>\nk ON 1, 2 END(x);",
       "\n#define ON <<<\n#define END >>>\n" + k + " .configure( 1, 2 )(x);"},
      {"given to a macro without its kernel",
       "\n#define RUN(k, ...) k __VA_ARGS__\nRUN(m<1>, <<<1, 2>>>(x));",
       "\n#define RUN(k, ...) k __VA_ARGS__\n " + named("m<1>") + "   .configure(1, 2)(x)   ;"},
      {"a table", "t[i + 1]<<<1, 2>>>(x);", chosen("t[i + 1]") + ".configure(1, 2)(x);"},
      {"a member", "this->a.k<<<1, 2>>>(x);", chosen("this->a.k") + ".configure(1, 2)(x);"},
      {"a pointer", "if (c) (*p)<<<1, 2>>>(x);",
       "if (c) " + chosen("(*p)") + ".configure(1, 2)(x);"},
      {"a call", "f<1>(y)<<<1, 2>>>(x);", chosen("f<1>(y)") + ".configure(1, 2)(x);"},
      {"a pointer returned", "return (p)<<<1, 2>>>(x);",
       "return " + chosen("(p)") + ".configure(1, 2)(x);"},
      {"a cast result", "(void)k<<<1, 2>>>(x);", "(void)" + k + ".configure(1, 2)(x);"},
      {"if and else", "if (c) k<<<1, 2>>>(x); else k<<<3, 4>>>(y);",
       "if (c) " + k + ".configure(1, 2)(x); else " + k + ".configure(3, 4)(y);"},
      {"a fold", "(k<I><<<1, 2>>>(x), ...);", "(" + named("k<I>") + ".configure(1, 2)(x), ...);"},
      {"a string argument", "m<'\"'><<<1, 2>>>();",
       "TILEWISE_LAUNCHER(\"m<'\\\"'>\", , m<'\"'>).configure(1, 2)();"},
      {"a name over two lines", "m<1,\n2><<<1, 2>>>();",
       "TILEWISE_LAUNCHER(\"m<1, 2>\", , m<1,\n2>).configure(1, 2)();"},
      {"carriage returns", "k<<<1,\r\n2>>>(x);\r\n", k + ".configure(1,\r\n2)(x);\r\n"},
      {"another launch's arguments", "k<<<1, 2>>>([] { k<<<3, 4>>>(); return 5; }());",
       k + ".configure(1, 2)([] { " + k + ".configure(3, 4)(); return 5; }());"},
      {"alternatives of #if", "#if A\nf([&] {\n#else\ng([&] {\n#endif\nk<<<1, 2>>>(x);\n});",
       "#if A\nf([&] {\n#else\ng([&] {\n#endif\n" + k + ".configure(1, 2)(x);\n});"},
      {"the other branch of #if 0", "#if 0\nx\n#else\nk<<<1, 2>>>(x);\n#endif",
       "#if 0\nx\n#else\n" + k + ".configure(1, 2)(x);\n#endif"},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.what);
    const std::string kernels = "template <int> __global__ void k(), m(); ";
    const auto rewritten = rewrite(kernels + c.source);
    EXPECT_EQ(rewritten.text, kernels + c.expected);
    EXPECT_TRUE(rewritten.errors.empty()) << rewritten.errors.front().message;
  }
}

TEST(Launch, IsToldFromOtherCode) {
  const char* const cases[] = {
      "a <<= b;",
      "x << < y;",
      "A<B<C<int>>> value;",
      "A<B<C<int>>>(value);",
      "x >>= 1; y = a >> b >> c;",
      "std::operator<<<char>(out, text);",
      "// k<<<1, 2>>>(x)\n/* k<<<1, 2>>>(x) */",
      "auto text = \"k<<<1, 2>>>(x)\";",
      "auto text = R\"(k<<<1, 2>>>(x))\";",
      "auto letters = '<<<';",
      "#if 0\nk<<<1, 2>>>(x); it's <<< not C++ (\n#if 1\nk<<<\n#else\nk<<<\n#endif\n#endif\n",
      "#define SHIFT(out) std::operator<<<char>(out, 1)",
      "#error k<<<1, 2>>>(x)",
  };
  for (const auto* source : cases) {
    const auto rewritten = rewrite(source);
    EXPECT_EQ(rewritten.text, source);
    EXPECT_TRUE(rewritten.errors.empty()) << source << rewritten.errors.front().message;
  }
}

TEST(Launch, ByAnAddressKnowsItsKernel) {
  const std::string k = "::tilewise::simt::addressed(\"k\", k)";
  const std::string m = "::tilewise::simt::addressed(\"ns::m<1>\", ns::m<1>)";
  const std::string launch = "f(cudaLaunchKernel); ";
  const Case cases[] = {
      {"a cast", launch + "p = (void*)k;", launch + "p = (void*)" + k + ";"},
      {"a cast to const", launch + "f(c ? (const void*)ns::m<1> : (void const*)k);",
       launch + "f(c ? (const void*)" + m + " : (void const*)" + k + ");"},
      {"a longer cast", launch + "reinterpret_cast<const void*>(ns::m<1>);",
       launch + "reinterpret_cast<const void*>(" + m + ");"},
      {"an address", launch + "(void*)&k;",
       launch + "(void*)::tilewise::simt::addressed(\"k\", &k);"},
      {"an argument", "cudaLaunchKernel(ns::m<1>, g, b, a);",
       "cudaLaunchKernel(" + m + ", g, b, a);"},
      {"a table", launch + "f((const void*)table[0], (void*)p->at(1).q, (void*)*p);",
       launch + "f((const void*)::tilewise::simt::addressed(\"table[0]\", table[0]), "
                "(void*)::tilewise::simt::addressed(\"p->at(1).q\", p->at(1).q), "
                "(void*)::tilewise::simt::addressed(\"p\", *p));"},
      {"a sum", launch + "(void*)(p + 1), (void*)p + 1, (float*)k;",
       launch + "(void*)(p + 1), (void*)p + 1, (float*)k;"},
      {"another file", "p = (void*)k;", "p = (void*)k;"},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.what);
    EXPECT_EQ(rewrite(c.source).text, c.expected);
  }
}

TEST(LaunchBounds, AreKeptByTheKernel) {
  const auto in_checked_build = [](const std::string& source) {
    return rewrite(source, {.mark_loop_exits = true}).text;
  };
  const std::string before = "__global__ void __launch_bounds__(S<1, 2>::n, 2) k(int n) {";
  EXPECT_EQ(in_checked_build(before + "}"),
            before + " ::tilewise::simt::keep_launch_bounds(S<1, 2>::n, 2);}");
  EXPECT_EQ(in_checked_build("template <int T> __launch_bounds__(T) __global__ void k() {}"),
            "template <int T> __launch_bounds__(T) __global__ void k() { "
            "::tilewise::simt::keep_launch_bounds(T);}");
  for (const char* untouched :
       {"__global__ void __launch_bounds__(64) k();\n__global__ void l() {}",
        "__global__\n#ifdef BOUNDED\n__launch_bounds__(64)\n#endif\nvoid k() {}",
        "__global__ __launch_bounds__(threads) void k(int threads) {}"}) {
    EXPECT_EQ(in_checked_build(untouched), untouched);
  }
  EXPECT_EQ(rewrite(before + "}").text, before + "}");
}

TEST(Launch, IsRefusedWhereItCannotBeSimulated) {
  const struct {
    const char* source;
    int line;
    const char* message;
  } cases[] = {
      {"\nk<<<1, 2>>>;", 2, "the launch of k is not complete: write k<<<grid, block>>>(arguments)"},
      {"\n\nm<3><<<1, 2>>", 3,
       "the launch of m<3> is not complete: write m<3><<<grid, block>>>(arguments)"},
      {"k<<<1, 2>>>(x", 1, "the launch of k is not complete: write k<<<grid, block>>>(arguments)"},
      {"f(k<<<1, 2);", 1, "the launch of k is not complete: write k<<<grid, block>>>(arguments)"},
      {"k<<<1, 2> > >(x);", 1,
       "the launch of k is not complete: write k<<<grid, block>>>(arguments)"},
      {"k<<<1, (2>>>(x);", 1,
       "the launch of k is not complete: write k<<<grid, block>>>(arguments)"},
      {"k<<<>>>(x);", 1,
       "the launch of k has 0 values between <<< and >>>: CUDA takes grid, block, bytes of dynamic "
       "shared memory and stream, the last two if needed"},
      {"k<<<1, 2, 3, 4, 5>>>(x);", 1,
       "the launch of k has 5 values between <<< and >>>: CUDA takes grid, block, bytes of dynamic "
       "shared memory and stream, the last two if needed"},
      {"return <<<1, 2>>>(x);", 1, "a kernel launch needs the kernel's name before <<<"},
      {"5<<<1, 2>>>(x);", 1, "a kernel launch needs the kernel's name before <<<"},
      {"a > <<<1, 2>>>(x);", 1, "a kernel launch needs the kernel's name before <<<"},
      {")<<<1, 2>>>(x);", 1, "a kernel launch needs the kernel's name before <<<"},
      {"#define ON \\\n  <<<1, 2", 2,
       "the launch of a kernel is not complete: write a kernel<<<grid, block>>>(arguments)"},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.source);
    const auto rewritten = rewrite(c.source);
    EXPECT_EQ(rewritten.text, c.source);
    ASSERT_EQ(rewritten.errors.size(), 1u);
    EXPECT_EQ(rewritten.errors[0].line, c.line);
    EXPECT_EQ(rewritten.errors[0].message, c.message);
  }
}

}  // namespace
}  // namespace tilewise::simt
