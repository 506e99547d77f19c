#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "common/simt/rewrite/rewrite.hpp"

namespace tilewise::simt {
namespace {

// In the cases, @ stands for the mark of a loop's exit and $ for the mark of a pass.
std::string with_marks(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (c == '@') {
      result += "for (::tilewise::simt::LoopExit tilewise_exit; tilewise_exit.once();) ";
    } else if (c == '$') {
      result += "if (::tilewise::simt::note_loop_pass(); false) {} else ";
    } else {
      result += c;
    }
  }
  return result;
}

std::string without_marks(std::string_view text) {
  std::string result(text);
  std::erase_if(result, [](char c) { return c == '@' || c == '$'; });
  return result;
}

void expect_marks(const char* what, std::string_view text) {
  SCOPED_TRACE(what);
  const auto rewritten = rewrite(without_marks(text), {.mark_loop_exits = true});
  EXPECT_EQ(rewritten.text, with_marks(text));
  EXPECT_TRUE(rewritten.errors.empty());
}

TEST(KernelEnd, IsMarkedInKernelsOfFilesWithBarriers) {
  const std::string_view mark = " ::tilewise::simt::note_kernel_end(); ";
  const struct {
    const char* what;
    const char* text;  ///< the text, with ^ for the mark
  } cases[] = {
      {"a kernel", "__global__ void k() { __syncthreads(); ^}"},
      {"two", "__global__ void k() { ^} template <class T> __global__ void l(T x) { sync(x); ^}"},
      {"inner braces", "__global__ void k() { if (x) { __syncthreads(); } else { return; } ^}"},
      {"a lambda", "__global__ void k() { auto f = [] { __syncthreads(); }; f(); ^}"},
      {"an attribute", "__global__ void __attribute__((cold)) k() { __syncthreads(); ^}"},
      {"a declaration", "__global__ void k(); __device__ void f() { __syncthreads(); }"},
      {"device and host functions", "__device__ void f() { __syncthreads(); } void g() { f(); }"},
      {"no barrier in the file", "__global__ void k() { x = 1; }"},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.what);
    std::string source(c.text), marked(c.text);
    std::erase(source, '^');
    for (auto at = marked.find('^'); at != std::string::npos; at = marked.find('^')) {
      marked.replace(at, 1, mark);
    }
    EXPECT_EQ(rewrite(source, {.mark_loop_exits = true}).text, marked);
    EXPECT_EQ(rewrite(source).text, source);
  }
}

TEST(LoopExit, IsMarkedAtEveryLoop) {
  const struct {
    const char* what;
    const char* body;
  } cases[] = {
      {"none", "x = 1;"},
      {"for", "@for (int i = 0; i < n; ++i) x += i;"},
      {"for over a range", "@for (auto& x : xs) { x = 0; }"},
      {"while", "@while (x) { --x; }"},
      {"while without a body", "@while (swap(x));"},
      {"do", "@do { --x; } while (x);"},
      {"two words", "@do{}while(x);@while(y){}"},
      {"a loop after a block", "{ x = 1; } @while (x) --x;"},
      {"a loop after a loop", "@for (;;) { break; } @while (x) --x; @do { } while (x);"},
      {"a loop after a do loop", "@do { } while (x); @while (x) { } @while (x) { }"},
      {"nested", "@for (;;) @while (x) { @do { @for (;;) { } } while (x); }"},
      {"at an if and its else", "if (a) @for (;;) x(); else @while (b) y();"},
      {"behind labels", "again: @for (;;) ${ goto again; } switch (x) { case 1: @while (x) --x; }"},
      {"in a lambda", "auto f = [&](int a) { @while (a) --a; }; f(x);"},
      {"in a lambda among arguments", "each([](int a) { @while (a) --a; }, [] { @for (;;) {} });"},
      {"under a constexpr if", "if constexpr (a) { @for (;;) { } } else { @while (x) { } }"},
      {"after a list of values", "int a[] = {1, 2}; @for (int x : {1, 2, 3}) { }"},
      {"behind an attribute", "[[likely]] @while (x) --x;"},
      {"next to a shared variable", "int s; @for (;;) { } @while (s) { }"},
      {"longer words", "fork(x); int meanwhile = 0; double_for = doing + a->form;"},
      {"a do loop without braces", "do --x; while (x); @while (y) --y;"},
      {"one around another loop", "do while (x) --x; while (y); @for (;;) { }"},
      {"one around an if", "do if (x) { } else while (x) { } while (y); @for (;;) { }"},
      {"one around a do loop", "do do { } while (x); while (y); @while (z) { }"},
      {"one around one", "do do --x; while (x); while (y); @while (z) { }"},
      {"one that a macro closes", "{ do STEP(x) while (x); } @while (y) { }"},
      {"ends under #if", "@do {\n#if A\n} while (x);\n#else\n} while (y);\n#endif\n@while (z) { }"},
      {"heads under #if", "\n#if A\n@for (;;) {\n#else\n@while (x) {\n#endif\n} @while (z) { }"},
      {"disabled text", "\n#if 0\nfor (;;) { }\n#endif\n@for (;;) { }"},
      {"text of other kinds", "\n#define EACH for (;;)\n/* for (;;) */ f(\"for (;;)\"); // do {\n"},
      {"constant expressions", "constexpr int a = [] { for (;;) { } return 1; }(); @for (;;) { }"},
      {"more of them", "constexpr int a = f([] { for (;;) { } }, [] { do { } while (0); });"},
      {"asserted ones", "static_assert([] { for (;;) { } return 1; }()); @for (;;) { }"},
      {"a constexpr lambda", "auto f = [](int a) constexpr { while (a) { } }; @for (;;) { }"},
      {"a local class",
       "struct S { constexpr int f() { for (;;) { } } __device__ int g() { @for (;;) { } } "
       "int host() { for (;;) { } } };"},
  };
  for (const auto& c : cases) {
    expect_marks(c.what, std::string("__global__ void k(int n) {") + c.body + '}');
    std::string unmarked(c.body);
    std::erase_if(unmarked, [](char c) { return c == '@' || c == '$'; });
    if (unmarked.find("__device__") == std::string::npos) {
      expect_marks(c.what, "void host(int n) {" + unmarked + '}');
    }
  }
}

TEST(LoopPass, IsMarkedWhereThreadsMayGoDifferentWays) {
  const struct {
    const char* what;
    const char* body;
  } cases[] = {
      {"none", "@for (int k = 0; k < n; ++k) { x += a[k]; }"},
      {"a choice in the head", "@while (a && b) --x;"},
      {"a choice behind the loop", "@while (x) --x; if (a) x = 1;"},
      {"if", "@for (;;) ${ if (a) x = 1; }"},
      {"without braces", "@for (;;) $if (a) x = 1; else x = 2;"},
      {"under an if", "if (b) @for (;;) $if (a) x = 1; else x = 2; else x = 3;"},
      {"continue", "@while (x) ${ x = f(); continue; }"},
      {"goto", "@while (x) ${ goto next; }"},
      {"switch", "@for (auto x : xs) ${ switch (x) { } }"},
      {"?, of which compilers make a choice of values", "@do { x = a ? b : c; } while (x);"},
      {"do", "@do ${ if (a) x = b; } while (x);"},
      {"&&", "@for (;;) ${ a && f(); }"},
      {"||", "@for (;;) $a || f();"},
      {"in a loop inside", "@for (;;) ${ @for (;;) ${ x = 1; if (a) x = 2; } }"},
      {"in a part of it", "@for (;;) ${ @for (;;) { x = 1; } if (a) x = 2; }"},
      {"no body at all", "@for (;;)"},
  };
  for (const auto& c : cases) {
    expect_marks(c.what, std::string("__global__ void k(int n) {") + c.body + '}');
  }
}

TEST(LoopExit, IsMarkedInDeviceCodeOnly) {
  const struct {
    const char* what;
    const char* text;
  } cases[] = {
      {"a host function", "void f() { for (;;) { } }"},
      {"one after a kernel", "__global__ void k() { @for (;;) { } } void f() { for (;;) { } }"},
      {"a kernel after one", "void f() { for (;;) { } } __global__ void k() { @for (;;) { } }"},
      {"one after a declaration", "__device__ int f(int); int g() { for (;;) { } }"},
      {"for both", "__host__ __device__ int f() { @for (;;) { } }"},
      {"with attributes",
       "template <class T, int n = (1 > 2)> static __global__ void __attribute__((cold)) "
       "k(const T* __restrict__ a, T b = T{}) { @for (;;) { } }"},
      {"in a namespace", "namespace { extern \"C\" { __global__ void k() { @for (;;) { } } } }"},
      {"extern \"C\"", "extern \"C\" __global__ void k() { @for (;;) { } }"},
      {"a trailing return type", "__device__ auto f() -> decltype(a()) { @for (;;) { } }"},
      {"members",
       "struct S { float x{1}; int f() { for (;;) { } } public: __device__ int g() const { @for "
       "(;;) { } } int h() { for (;;) { } } };"},
      {"a constructor",
       "struct S { __device__ S(int a = int{1}) : x{a}, y{A<int>{a}} { @for (;;) { } } S() : x{1} "
       "{ "
       "for (;;) { } } };"},
      {"an operator", "struct S { __device__ int operator()(int a) { @for (;;) { } } };"},
      {"constexpr", "constexpr __device__ int f() { for (;;) { } }"},
      {"constexpr after __device__", "__device__ constexpr int f() { { for (;;) { } } }"},
      {"one after constexpr",
       "constexpr int a = 1; constexpr int g() { return 1; } __device__ int f() { @for (;;) { } }"},
      {"a device lambda",
       "void f() { run([=] __device__ (int i) { @for (;;) { } }); for (;;) { } }"},
      {"a local class of a host function",
       "TEST(A, B) { struct S { __device__ int f() { @for (;;) { } } }; for (;;) { } }"},
      {"heads under #if",
       "#if A\n__global__ void k(int a) {\n#else\n__global__ void k() {\n#endif\n@for (;;) { } }\n"
       "void f() { for (;;) { } }"},
      {"ends under #if",
       "__global__ void k() { { \n#if A\n@for (;;) { } } }\n#else\n@while (x) { } }\n#endif\n}\n"
       "void f() { for (;;) { } }"},
      {"ends left out under #if",
       "__global__ void k() { { \n#if A\n} }\n#else\n}\n#endif\nvoid f() { for (;;) { } }"},
      {"text without ends", "__global__ void k() { @for (;;) { } } } ) ] { ( [ do while ( for"},
  };
  for (const auto& c : cases) expect_marks(c.what, c.text);
  // The variable itself is marked as a device variable (device_variables.hpp).
  const auto rewritten =
      rewrite("__device__ int a[] = {1, 2}; int g() { for (;;) { } }", {.mark_loop_exits = true});
  EXPECT_TRUE(rewritten.text.ends_with(" int g() { for (;;) { } }")) << rewritten.text;
}

TEST(LoopExit, IsMarkedInPlaceOfUnrolling) {
  const struct {
    const char* what;
    const char* source;
    const char* expected;
  } cases[] = {
      {"a pragma", "#pragma unroll\nfor (;;) { }", " \n@for (;;) { }"},
      {"with a number and a comment", "#pragma unroll 4  // all\nwhile (x) { }",
       "    // all\n@while (x) { }"},
      {"over two lines", "#pragma unroll \\\n 4\nfor (;;) { }", "  \\\n \n@for (;;) { }"},
      {"the operator", "_Pragma(\"unroll\") for (;;) { }", " @for (;;) { }"},
      {"the operator in a macro", "#define UNROLL _Pragma(\"unroll\")\nUNROLL for (;;) { }",
       "#define UNROLL \nUNROLL @for (;;) { }"},
      {"another pragma", "#pragma once\nfor (;;) { }", "#pragma once\n@for (;;) { }"},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.what);
    const std::string head = "__global__ void k() {\n";
    const auto rewritten = rewrite(head + c.source + '}', {.mark_loop_exits = true});
    EXPECT_EQ(rewritten.text, head + with_marks(c.expected) + '}');
  }
}

}  // namespace
namespace {

TEST(UnrollPragma, IsRewritten) {
  const struct {
    const char* what;
    const char* source;
    const char* expected;
  } cases[] = {
      {"bare", "#pragma unroll\nfor (;;) {}", "#pragma GCC unroll 16\nfor (;;) {}"},
      {"indented", " # pragma  unroll \nwhile (x) {}", " # pragma  GCC unroll 16 \nwhile (x) {}"},
      {"with a comment", "#pragma unroll  // all\ndo {} while (x);",
       "#pragma GCC unroll 16  // all\ndo {} while (x);"},
      {"a number", "#pragma unroll 4\nfor (;;) {}", "#pragma GCC unroll 4 \nfor (;;) {}"},
      {"in parentheses", "#pragma unroll(4u)\nfor (;;) {}", "#pragma GCC unroll 4\nfor (;;) {}"},
      {"one", "#pragma unroll 1\nfor (;;) {}", "#pragma GCC unroll 1 \nfor (;;) {}"},
      {"more than the most", "#pragma unroll 64\nfor (;;) {}",
       "#pragma GCC unroll 16 \nfor (;;) {}"},
      {"more than a number can be", "#pragma unroll 99999999999\nfor (;;) {}",
       "#pragma GCC unroll 16 \nfor (;;) {}"},
      {"a template parameter", "#pragma unroll Tile\nfor (;;) {}", "  \nfor (;;) {}"},
      {"an expression", "#pragma unroll (N * 2)\nfor (;;) {}", "    \nfor (;;) {}"},
      {"over two lines", "#pragma unroll \\\n 4\nfor (;;) {}",
       "#pragma GCC unroll 4 \\\n \nfor (;;) {}"},
      {"zero", "#pragma unroll 0\nfor (;;) {}", "  \nfor (;;) {}"},
      {"a negative number", "#pragma unroll -1\nfor (;;) {}", "  \nfor (;;) {}"},
      {"before no loop", "#pragma unroll\nx = 1;", " \nx = 1;"},
      {"at the end", "#pragma unroll", " "},
      {"twice", "#pragma unroll\n#pragma unroll 2\nfor (;;) {}",
       " \n#pragma GCC unroll 2 \nfor (;;) {}"},
      {"before another pragma", "#pragma unroll\n#pragma GCC ivdep\nfor (;;) {}",
       "#pragma GCC unroll 16\n#pragma GCC ivdep\nfor (;;) {}"},
      {"the operator", "_Pragma(\"unroll\") for (;;) {}", "_Pragma(\"GCC unroll 16\") for (;;) {}"},
      {"the operator with a number", "_Pragma(\"unroll(2)\") for (;;) {}",
       "_Pragma(\"GCC unroll 2\") for (;;) {}"},
      {"the operator before no loop", "_Pragma(\"unroll\") x = 1;", " x = 1;"},
      {"the operator in a macro", "#define UNROLL _Pragma(\"unroll\")\nx",
       "#define UNROLL _Pragma(\"GCC unroll 16\")\nx"},
      {"the operator and its loop in a macro", "#define EACH _Pragma(\"unroll 2\") for (;;)",
       "#define EACH _Pragma(\"GCC unroll 2\") for (;;)"},
      {"another pragma", "#pragma once\n_Pragma(\"once\")", "#pragma once\n_Pragma(\"once\")"},
      {"a longer word", "#pragma unrolled\nfor (;;) {}", "#pragma unrolled\nfor (;;) {}"},
      {"a comment", "// #pragma unroll\nfor (;;) {}", "// #pragma unroll\nfor (;;) {}"},
      {"a string", "f(\"#pragma unroll\");", "f(\"#pragma unroll\");"},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.what);
    const auto rewritten = rewrite(c.source);
    EXPECT_EQ(rewritten.text, c.expected);
    EXPECT_TRUE(rewritten.errors.empty());
  }
}

}  // namespace
}  // namespace tilewise::simt
