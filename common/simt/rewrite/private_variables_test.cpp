#include <gtest/gtest.h>

#include <regex>
#include <string>

#include "common/simt/rewrite/rewrite.hpp"

namespace tilewise::simt {
namespace {

struct Case {
  const char* name;
  std::string body;      ///< the body of a kernel
  std::string expected;  ///< "" where nothing is marked
};

std::string unset(const std::string& name) {
  return " ::tilewise::simt::unset(" + name + ", \"" + name + "\", 1, [] {});";
}

/// Returns the code for an array named v between fences, the first one of its line.
std::string fenced(const std::string& declared, const std::string& value = "") {
  return "struct tilewise_array_1_1 { ::tilewise::simt::Fence tilewise_before; " + declared +
         "; ::tilewise::simt::Fence tilewise_behind; }; tilewise_array_1_1 tilewise_fenced_1_1" +
         (value.empty() ? "" : " = {{}, " + value + ", {}}") +
         "; auto& v = tilewise_fenced_1_1.v; ::tilewise::simt::Fenced<tilewise_array_1_1> "
         "tilewise_watch_1_1(tilewise_fenced_1_1, v, \"v\", 1, " +
         (value.empty() ? "false" : "true") + ");";
}

const Case cases[] = {
    // Variables without a value.
    {"number", "float s; s = 1;", "float s;" + unset("s") + " s = 1;"},
    {"several", "unsigned long long a, *b, c = 1;",
     "unsigned long long a, *b, c = 1;" + unset("a") + unset("b")},
    {"classes", "N::Pair<int, 2> p; float4 q;",
     "N::Pair<int, 2> p;" + unset("p") + " float4 q;" + unset("q")},
    {"array_of_indices", "T v[4][2]; v[1][0] = 1;", "T v[4][2];" + unset("v") + " v[1][0] = 1;"},
    {"in_a_lambda", "auto f = [&] { int k; return k; };",
     "auto f = [&] { int k;" + unset("k") + " return k; };"},
    {"in_a_switch", "switch (i) { case 0: i = 2; float v[4]; g(v); case 1: ; }",
     "switch (i) { case 0: i = 2; float v[4];" + unset("v") + " g(v); case 1: ; }"},
    // Arrays whose bounds a pointer may leave.
    {"handed_to_a_function", "float v[4]; g(v);", fenced("float v[4]") + " g(v);"},
    {"by_address", "float v[4]; g(&v[1]);", fenced("float v[4]") + " g(&v[1]);"},
    {"a_row_of_it", "float v[4][2]; g(v[1]);", fenced("float v[4][2]") + " g(v[1]);"},
    {"with_values", "float v[N] = {1, 2}; g(v);", fenced("float v[N]", "{1, 2}") + " g(v);"},
    {"beside_others", "float s, v[4], w = 2; g(v);",
     "float s;" + unset("s") + " " + fenced("float v[4]") + " float w = 2; g(v);"},
    // Statements that are no such declarations, or not beyond doubt.
    {"with_a_value", "float s = 1, t{2}; int u(3);", ""},
    {"with_indices_and_values", "float v[2] = {1, 2}; s = v[1];", ""},
    {"extent_of_its_values", "float v[] = {1, 2}; g(v);", ""},
    {"shuffled", "int a; if (lane == 0) a = x; a = __shfl_sync(mask, a, 0); b = t.shfl(a, 1);", ""},
    {"statements", "return x; goto end; delete p; a = b; x[1]; f(a, b); i++;", ""},
    {"products", "a * b; a < b;", ""},
    {"other_storage", "__shared__ float s[4]; static int n; extern int m; const int k = 1;", ""},
    {"types", "struct S { int a; float b[4]; }; using T = float; typedef int I; enum E { e };", ""},
    {"head_of_a_loop", "for (int i, j; i < j; ++i) f(i);", ""},
    {"what_a_macro_is_given", "M(f(); float s; g());", ""},
};

class PrivateVariables : public testing::TestWithParam<Case> {};

TEST_P(PrivateVariables, AreWatchedFromTheirDeclarationOn) {
  const auto in_kernel = [](const std::string& body) {
    return "__global__ void k() { " + body + " }";
  };
  const Rewritten rewritten =
      rewrite(in_kernel(GetParam().body), {.watch_private_variables = true});
  // Blanks stay where tokens have been erased.
  const std::string text = std::regex_replace(rewritten.text, std::regex(" +"), " ");
  // Another pass deals with shared variables.
  const bool is_untouched = GetParam().expected.empty();
  if (is_untouched) {
    EXPECT_EQ(text.find("unset("), text.npos) << text;
    EXPECT_EQ(text.find("Fence"), text.npos) << text;
  } else {
    EXPECT_EQ(text, in_kernel(GetParam().expected));
  }
}

INSTANTIATE_TEST_SUITE_P(Cases, PrivateVariables, testing::ValuesIn(cases),
                         [](const auto& info) { return info.param.name; });

TEST(PrivateVariablesOfOthers, AreLeftAlone) {
  for (const std::string text : {
           "void f() { float s; }",
           "__device__ constexpr int f() { int s; return 1; }",
           "__device__ float s;",
           "struct S { __device__ void f(); float s; };",
           "#define T __shared__ float\n__global__ void k() { T s; }",
       }) {
    const Rewritten rewritten = rewrite(text, {.watch_private_variables = true});
    EXPECT_EQ(rewritten.text.find("unset"), std::string::npos) << rewritten.text;
  }
}

TEST(PrivateVariablesOfOthers, AreWatchedInFunctionsOfTheDevice) {
  const Rewritten rewritten =
      rewrite("struct S { __device__ float f() const { float s; return s; } };",
              {.watch_private_variables = true});
  EXPECT_NE(rewritten.text.find("float s;" + unset("s")), std::string::npos) << rewritten.text;
}

}  // namespace
}  // namespace tilewise::simt
