#include <gtest/gtest.h>

#include "common/simt/rewrite/rewrite.hpp"

namespace tilewise::simt {
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
