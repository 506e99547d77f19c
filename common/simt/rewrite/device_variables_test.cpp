#include <gtest/gtest.h>

#include <string>

#include "common/simt/rewrite/passes.hpp"
#include "common/simt/rewrite/rewrite.hpp"

namespace tilewise::simt {
namespace {

struct Case {
  const char* name;
  std::string source;
  std::string text;
  std::string names;  // the names in the prologue
};

constexpr const char* mark = "TILEWISE_DEVICE_VARIABLE ";

const Case cases[] = {
    {"one", "__device__ int counter[5];",
     std::string(mark) + "__device__ int counter[5]; TILEWISE_SHAPE(counter, counter, 1_1)",
     "device counter;"},
    {"two_with_values", "static __constant__ float a[2] = {1, 2}, b = f(1, 2);",
     "static TILEWISE_DEVICE_VARIABLES __constant__ float a[2] = {1, 2}, b = f(1, 2);"
     " TILEWISE_SHAPE(a, a, 1_1) TILEWISE_SHAPE(b, b, 1_2)",
     "constant a;constant b;"},
    {"both_qualifiers", "__device__ __constant__ const unsigned n{4};",
     std::string(mark) + "__device__ __constant__ const unsigned n{4}; TILEWISE_SHAPE(n, n, 1_1)",
     "constant n;"},
    {"managed", "#define SHARED __managed__\n__device__ __managed__ int n; SHARED int m;",
     "#define SHARED __managed__\n" + std::string(mark) +
         "__device__ __managed__ int n; TILEWISE_SHAPE(n, n, 2_1) " + mark +
         "SHARED int m; TILEWISE_SHAPE(m, m, 2_2)",
     "managed n;managed m;"},
    {"behind_its_type", "std::array<float, 4> __device__ x;",
     "std::array<float, 4> " + std::string(mark) + "__device__ x; TILEWISE_SHAPE(x, x, 1_1)",
     "device x;"},
    {"of_a_structure", "__device__ struct P { int a, b; } p;",
     std::string(mark) + "__device__ struct P { int a, b; } p; TILEWISE_SHAPE(p, p, 1_1)",
     "device p;"},
    {"aligned", "__align__(16) __device__ float4 v[8];",
     "__align__(16) " + std::string(mark) + "__device__ float4 v[8]; TILEWISE_SHAPE(v, v, 1_1)",
     "device v;"},
    {"pointer_to_a_function", "__device__ float (*f)(float) = g;",
     std::string(mark) + "__device__ float (*f)(float) = g; TILEWISE_SHAPE(f, f, 1_1)",
     "device f;"},
    {"in_a_kernel", "void f() { static __device__ int n; }",
     "void f() { static " + std::string(mark) + "__device__ int n; TILEWISE_SHAPE(n, n, 1_1) }",
     "device n;"},
    {"member", "struct S { static __device__ int n; }; __device__ int S::n = 1;",
     "struct S { static " + std::string(mark) + "__device__ int n; }; " + mark +
         "__device__ int S::n = 1; TILEWISE_SHAPE(S::n, n, 1_1)",
     "device n;device n;"},
    {"of_a_template", "template <class T> __device__ T value;",
     "template <class T> " + std::string(mark) + "__device__ T value;", "device value;"},
    {"declared_only", "extern __device__ int x[];",
     "extern " + std::string(mark) + "__device__ int x[];", "device x;"},
    {"macro", "#define HD __host__ __device__\nHD int x;",
     "#define HD __host__ __device__\n" + std::string(mark) + "HD int x; TILEWISE_SHAPE(x, x, 2_1)",
     "device __host__;device x;"},
    {"declared_by_a_macro", "#define SCRATCH __device__ float scratch[64]\nSCRATCH;",
     "#define SCRATCH __device__ float scratch[64]\nSCRATCH;", "device float;device scratch;"},
    {"named_in_a_macros_arguments",
     "#define TABLE(type, name) __constant__ type name[64]\nTABLE(int, order);",
     "#define TABLE(type, name) __constant__ type name[64]\nTABLE(int, order);",
     "device name;device type;constant int;constant order;"},
    {"function", "__device__ float f(float x) { return x; }",
     "__device__ float f(float x) { return x; }", ""},
    {"operator", "__device__ P operator+(P a, P b);", "__device__ P operator+(P a, P b);", ""},
    {"lambda", "auto f = [] __device__ (int i) { return i; };",
     "auto f = [] __device__ (int i) { return i; };", ""},
    {"function_of_a_template", "template <int n> __device__ __forceinline__ S<n> g();",
     "template <int n> __device__ __forceinline__ S<n> g();", ""},
};

std::string listing(const std::string& names) {
  return "#include <tilewise/device_variables.hpp>\nTILEWISE_VARIABLES(\"" + names + "\")\n";
}

TEST(DeviceVariables, AreMarkedInTheCheckedBuild) {
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    const Rewritten rewritten = rewrite(c.source, {.mark_loop_exits = true});
    EXPECT_EQ(rewritten.text, c.text);
    EXPECT_EQ(rewritten.prologue, c.names.empty() ? "" : listing(c.names));
  }
}

TEST(DeviceVariables, StayAsTheyAreInOtherBuilds) {
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(rewrite(c.source).text, c.source);
    EXPECT_EQ(rewrite(c.source).prologue, "");
  }
}

TEST(DeviceVariables, SharedOnesAtNamespaceScopeAreListed) {
  const Rewritten rewritten =
      rewrite("namespace { __shared__ float As[8], *row; }", {.mark_loop_exits = true});
  EXPECT_EQ(rewritten.prologue, listing("shared As;shared row;"));
}

}  // namespace
}  // namespace tilewise::simt
