#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "common/simt/rewrite/rewrite.hpp"

namespace tilewise::simt {
namespace {

// Returns the code that follows the structure of a declaration in a function.
std::string references(const std::string& id, const std::vector<std::string>& names) {
  auto text =
      "auto& tilewise_block_" + id + " = ::tilewise::simt::shared<tilewise_shared_" + id + ">();";
  for (const auto& name : names) {
    text += " auto& " + name + " = tilewise_block_" + id + "." + name +
            "; ::tilewise::simt::name_shared(" + name + ", \"" + name + "\");";
  }
  return text;
}

struct Case {
  const char* what;
  std::string source;
  std::string expected;
};

void expect_rewritten(const Case& c) {
  SCOPED_TRACE(c.what);
  const auto rewritten = rewrite(c.source);
  EXPECT_EQ(rewritten.text, c.expected);
  EXPECT_TRUE(rewritten.errors.empty()) << rewritten.errors.front().message;
}

TEST(SharedMemory, DeclarationsBecomeReferences) {
  // Each declaration stands in a function of its own; members and names are the expected contents
  // of the structure.
  const struct {
    const char* declaration;
    const char* members;
    std::vector<std::string> names;
  } cases[] = {
      {"__shared__ float x;", " float x;", {"x"}},
      {"__shared__ float As[T][T], Bs[T][T + 1];", " float As[T][T], Bs[T][T + 1];", {"As", "Bs"}},
      {"static __shared__ float x;", "  float x;", {"x"}},
      {"__shared__ static float x;", "  float x;", {"x"}},
      {"float __shared__ x;", "float  x;", {"x"}},
      {"volatile __shared__ unsigned int x[4];", "volatile  unsigned int x[4];", {"x"}},
      {"const float4 __shared__ x[8][8];", "const float4  x[8][8];", {"x"}},
      {"__shared__ __align__(16) float x[4];", " __align__(16) float x[4];", {"x"}},
      {"__align__(16) __shared__ float x[4];", "__align__(16)  float x[4];", {"x"}},
      {"alignas(16) __shared__ float x[4];", "alignas(16)  float x[4];", {"x"}},
      {"[[maybe_unused]] __shared__ float x;", "[[maybe_unused]]  float x;", {"x"}},
      {"__shared__ float x[4] __attribute__((aligned(16)));",
       " float x[4] __attribute__((aligned(16)));",
       {"x"}},
      {"__shared__ Pair<int, float> p[4], q;", " Pair<int, float> p[4], q;", {"p", "q"}},
      {"Pair<int, A<B<int>>> __shared__ p;", "Pair<int, A<B<int>>>  p;", {"p"}},
      {"__shared__ typename Sum<T, (N > 1)>::Storage s;",
       " typename Sum<T, (N > 1)>::Storage s;",
       {"s"}},
      {"__shared__ ::ns::Real x;", " ::ns::Real x;", {"x"}},
      {"__shared__ struct Point point;", " struct Point point;", {"point"}},
      {"__shared__ struct { float x, y; } a[4], b;",
       " struct { float x, y; } a[4], b;",
       {"a", "b"}},
      {"__shared__ struct Point : Base { float x = 1; } p;",
       " struct Point : Base { float x = 1; } p;",
       {"p"}},
      {"__shared__ decltype(a + b) c;", " decltype(a + b) c;", {"c"}},
      {"__shared__ float *p, **const q, (*rows)[16];",
       " float *p, **const q, (*rows)[16];",
       {"p", "q", "rows"}},
      {"__shared__ void (*f)(int, float);", " void (*f)(int, float);", {"f"}},
      {"__shared__ float x[(n > 1) ? a[2] : sizeof(int[3])];",
       " float x[(n > 1) ? a[2] : sizeof(int[3])];",
       {"x"}},
      {"__shared__\n    float x[2],  // row; {\n    y[3]\n;",
       "\n    float x[2],  // row; {\n    y[3]\n;",
       {"x", "y"}},
  };
  for (const auto& c : cases) {
    const std::string declaration = c.declaration;
    const auto before = declaration.substr(0, declaration.find("__shared__"));
    expect_rewritten({c.declaration, "__device__ void f() {\n" + declaration + "\nuse(); }",
                      "__device__ void f() {\nstruct tilewise_shared_2_1 { " +
                          std::string(c.members) + " }; " + references("2_1", c.names) +
                          "\nuse(); }"});
  }
}

TEST(SharedMemory, StructuresHaveNamesOfTheirOwn) {
  expect_rewritten({"two on a line", "{ __shared__ int a; __shared__ int b;\n__shared__ int c; }",
                    "{ struct tilewise_shared_1_1 {  int a; }; " + references("1_1", {"a"}) +
                        " struct tilewise_shared_1_2 {  int b; }; " + references("1_2", {"b"}) +
                        "\nstruct tilewise_shared_2_1 {  int c; }; " + references("2_1", {"c"}) +
                        " }"});
}

TEST(SharedMemory, DynamicArraysBecomePointers) {
  const struct {
    const char* declaration;
    std::string expected;
  } cases[] = {
      {"extern __shared__ float s[];", "auto& s = ::tilewise::simt::dynamic_shared<float>(\"s\")"},
      {"__shared__ extern T s[];", "auto& s = ::tilewise::simt::dynamic_shared<T>(\"s\")"},
      {"extern __shared__ float s[64];",
       "auto& s = ::tilewise::simt::dynamic_shared<float>(\"s\")"},
      {"extern __shared__ __align__(16) unsigned char s[];",
       "struct tilewise_aligned_2_1 { __align__(16) char first; }; "
       "auto& s = ::tilewise::simt::dynamic_shared<unsigned char, "
       "alignof(tilewise_aligned_2_1)>(\"s\")"},
      {"extern volatile __shared__ typename P<A, B>::T s[] __attribute__((aligned(8)));",
       "struct tilewise_aligned_2_1 { __attribute__((aligned(8))) char first; }; "
       "auto& s = ::tilewise::simt::dynamic_shared<volatile typename P<A, B>::T, "
       "alignof(tilewise_aligned_2_1)>(\"s\")"},
      {"extern __shared__ float s[][16];",
       "auto& s = ::tilewise::simt::dynamic_shared<float [16]>(\"s\")"},
      {"extern __shared__ float* s[], t[];",
       "auto& s = ::tilewise::simt::dynamic_shared<float*>(\"s\"); "
       "auto& t = ::tilewise::simt::dynamic_shared<float>(\"t\")"},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.declaration);
    const auto rewritten = rewrite("void f() {\n" + std::string(c.declaration) + "\n}");
    EXPECT_TRUE(rewritten.errors.empty()) << rewritten.errors.front().message;
    // Blanks between the erased tokens stay before the semicolon.
    const auto line = rewritten.text.substr(11, rewritten.text.size() - 13);
    EXPECT_EQ(line.substr(0, line.find_last_not_of(" ;") + 1), c.expected);
    EXPECT_EQ(line.back(), ';');
  }
}

TEST(SharedMemory, AtNamespaceScopeBelongsToTheThreadThatRunsTheBlock) {
  const std::string variable =
      "struct tilewise_shared_2_1 {  int x; }; static thread_local auto& tilewise_block_2_1 = "
      "::tilewise::simt::shared_at_file_scope<tilewise_shared_2_1>(); "
      "static thread_local auto& x = ::tilewise::simt::named_shared(tilewise_block_2_1.x, \"x\");";
  const Case cases[] = {
      {"the file", "\n__shared__ int x;", "\n" + variable},
      {"a namespace", "namespace a::b {\n__shared__ int x;\n}",
       "namespace a::b {\n" + variable + "\n}"},
      {"an unnamed one", "inline namespace {\n__shared__ int x;\n}",
       "inline namespace {\n" + variable + "\n}"},
      {"a linkage", "extern \"C\" {\n__shared__ int x;\n}", "extern \"C\" {\n" + variable + "\n}"},
      {"after functions and classes",
       "struct A { void f() {} }; enum B { b }; int c[] = {1}; f() {}\n__shared__ int x;",
       "struct A { void f() {} }; enum B { b }; int c[] = {1}; f() {}\n" + variable},
      {"guarded braces",
       "#ifdef A\n__device__ void f() {\n#else\nvoid g() {\n#endif\n}\n__shared__ int y;",
       "#ifdef A\n__device__ void f() {\n#else\nvoid g() {\n#endif\n}\nstruct tilewise_shared_7_1 "
       "{  int y; "
       "}; "
       "static thread_local auto& tilewise_block_7_1 = "
       "::tilewise::simt::shared_at_file_scope<tilewise_shared_7_1>(); static thread_local auto& y "
       "= "
       "::tilewise::simt::named_shared(tilewise_block_7_1.y, \"y\");"},
  };
  for (const auto& c : cases) expect_rewritten(c);
  EXPECT_EQ(rewrite("extern __shared__ int s[];").text,
            "static thread_local auto& s = "
            "::tilewise::simt::dynamic_shared<int>(\"s\")   ;");
}

TEST(SharedMemory, InMacrosHasTheNamesThatTheyAreGiven) {
  // With a second definition of TILE, it is not known which one holds.
  const std::string other = "#ifdef X\n#define TILE(x) int x\n#endif\n";
  const std::string declared =
      " }; auto& tilewise_block_5_1_##x = ::tilewise::simt::shared<tilewise_shared_5_1_##x>(); "
      "auto& x = tilewise_block_5_1_##x.x; ::tilewise::simt::name_shared(x, TILEWISE_TEXT(x))";
  const Case cases[] = {
      {"whose use has the semicolon",
       "\n" + other + "#define TILE(x) __shared__ float x[4]\nTILE(As);",
       "\n" + other + "#define TILE(x) struct tilewise_shared_5_1_##x {  float x[4];" + declared +
           "\nTILE(As);"},
      {"with a semicolon", "\n" + other + "#define TILE(x) __shared__ float x[4];\nTILE(As)",
       "\n" + other + "#define TILE(x) struct tilewise_shared_5_1_##x {  float x[4];" + declared +
           ";\nTILE(As)"},
      {"dynamic", "\n" + other + "#define TILE(x) extern __shared__ float x[]\n",
       "\n" + other +
           "#define TILE(x) auto& x = ::tilewise::simt::dynamic_shared<float>(TILEWISE_TEXT(x))"
           "   \n"},
  };
  for (const Case& c : cases) expect_rewritten(c);
}

// The second line must become what it would be without the macro, apart from blanks.
TEST(SharedMemory, IsReadAsMacrosWriteIt) {
  const struct {
    const char *what, *macro, *use, *meant;
  } cases[] = {
      {"a declaration", "TILE(x, n) __shared__ float x[n]", "TILE(As, 4);",
       "__shared__ float As[4];"},
      {"a name that is pasted", "TILE(x) __shared__ float tile_##x[4];", "TILE(a)",
       "__shared__ float tile_a[4];"},
      {"a declarator that it is given", "TWO(d) __shared__ float a[4], d;", "TWO(b[4][5])",
       "__shared__ float a[4], b[4][5];"},
      {"declarators that it is given", "ALL(...) __shared__ float __VA_ARGS__", "ALL(a[4], b[5]);",
       "__shared__ float a[4], b[5];"},
      {"a declarator", "OF(x) x[4]", "__shared__ float OF(As), OF(Bs);",
       "__shared__ float As[4], Bs[4];"},
      {"declarators", "BOTH As[4], Bs[4]", "__shared__ float BOTH;",
       "__shared__ float As[4], Bs[4];"},
      {"an alignment", "ALIGNED(n) __align__(n)", "__shared__ ALIGNED(16) float x[4];",
       "__shared__ __align__(16) float x[4];"},
      {"an alignment before it", "ALIGNED(n) __attribute__((aligned(n)))",
       "ALIGNED(16) __shared__ float x[4];", "__attribute__((aligned(16))) __shared__ float x[4];"},
      {"a kernel's body", "BODY(d, e) { __shared__ float d; e = 1; }", "BODY(x[4], x[0])",
       "{ __shared__ float x[4]; x[0] = 1; }"},
      {"half a name", "CALL(f, ...) f(__VA_ARGS__, ##__VA_ARGS__)",
       "__shared__ float x[4]; CALL(g, x, 1);", "__shared__ float x[4]; CALL(g, x, 1);"},
  };
  const auto without_blanks = [](std::string text) {
    std::erase(text, ' ');
    return text.substr(text.find('\n'));
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.what);
    const auto written =
        rewrite("#define " + std::string(c.macro) + "\n__device__ void f() { " + c.use + " }");
    EXPECT_TRUE(written.errors.empty()) << written.errors.front().message;
    const auto meant = rewrite("\n__device__ void f() { " + std::string(c.meant) + " }");
    EXPECT_EQ(without_blanks(written.text), without_blanks(meant.text));
  }
}

TEST(SharedMemory, IsCapturedByLambdasThatNameIt) {
  const struct {
    const char *what, *lambda, *expected;
  } cases[] = {
      {"a copy of all", "[=] { return s[0]; }", "[=, &s] { return s[0]; }"},
      {"nothing", "[](int i) mutable -> float { return s[i]; }",
       "[&s](int i) mutable -> float { return s[i]; }"},
      {"another", "f([n] { return [n] { return s[n]; }; });",
       "f([n, &s] { return [n, &s] { return s[n]; }; });"},
      {"all by reference", "[&] { return s[0]; }", "[&] { return s[0]; }"},
      {"itself", "[&s] { return s[0]; }", "[&s] { return s[0]; }"},
      {"no need of it", "[=] { return n; }", "[=] { return n; }"},
      {"an index", "a[n] = s[i]; { s[1] = 2; }", "a[n] = s[i]; { s[1] = 2; }"},
      {"an attribute", "[[maybe_unused]] int i = s[0];", "[[maybe_unused]] int i = s[0];"},
      {"out of its scope", "} void g() { [=] { return s[0]; }",
       "} void g() { [=] { return s[0]; }"},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.what);
    const std::string declared = "__device__ void f() { extern __shared__ float s[]; ";
    EXPECT_EQ(rewrite(declared + c.lambda + " }").text,
              rewrite(declared + "}").text.substr(0, rewrite(declared + "}").text.size() - 1) +
                  c.expected + " }");
  }
}

TEST(SharedMemory, IsDeclaredBeforeJumpsOverIt) {
  const std::string declared =
      "struct tilewise_shared_1_1 { int x[4]; }; " + references("1_1", {"x"}) + " ";
  const struct {
    const char *what, *source, *expected;
  } cases[] = {
      {"a goto", "n = 1; if (n) goto end; @ x[0] = 1; end: x[1] = 1;",
       "n = 1; # if (n) goto end; @ x[0] = 1; end: x[1] = 1;"},
      {"a goto behind else", "if (n) x(); else goto end; @ end:;",
       "# if (n) x(); else goto end; @ end:;"},
      {"a goto out of a block", "for (;;) { if (n) { goto end; } } @ end:;",
       "# for (;;) { if (n) { goto end; } } @ end:;"},
      {"a goto into a block", "n = 1; if (n) { @ in: x[0] = 1; } goto in;",
       "n = 1; # if (n) { @ in: x[0] = 1; } goto in;"},
      {"a goto back", "@ again: x[0] = 1; goto again;", nullptr},
      {"a goto back over it", "again: { @ x[0] = 1; } goto again;", nullptr},
      {"a goto out of its block", "{ @ if (n) goto end; } end:;", nullptr},
      {"another function's goto", "@ end:; } void g() { goto end; end:;", nullptr},
      {"a case", "n = 1; switch (n) { case 0: @ x[0] = 1; break; default: return; }",
       "n = 1; # switch (n) { case 0: @ x[0] = 1; break; default: return; }"},
      {"a case in another's", "switch (n) { case 0: switch (n) { case 1: @ case 2:; } case 3:; }",
       "# switch (n) { case 0: switch (n) { case 1: @ case 2:; } case 3:; }"},
      {"the last case", "switch (n) { case 0: break; case 1: @ x[0] = 1; }", nullptr},
      {"a case's block", "switch (n) { case 0: { @ break; } case 1: break; }", nullptr},
  };
  const auto fill = [](std::string text, char mark, const std::string& with) {
    const auto place = text.find(mark);
    return place == text.npos ? text : text.replace(place, 1, with);
  };
  const auto without_blanks = [](std::string text) {
    std::erase(text, ' ');
    return text;
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.what);
    const std::string in = "namespace { __device__ void f() { ";
    const std::string source = in + fill(c.source, '@', "__shared__ int x[4];") + " } }";
    // The semicolon of a moved declaration stays in its place.
    const std::string moved = c.expected ? fill(fill(c.expected, '#', declared), '@', ";")
                                         : fill(c.source, '@', declared);
    EXPECT_EQ(without_blanks(rewrite(source).text), without_blanks(in + moved + " } }"));
  }
}

TEST(SharedMemory, IsKnownToLocalClasses) {
  const std::string place = "::tilewise::simt::shared<tilewise_shared_1_1>().x";
  const std::string here = " auto& x = " + place + ";";
  const struct {
    const char* what;
    std::string members, expected;
  } cases[] = {
      {"a function", "int f(int i) const { return x[i]; }",
       "int f(int i) const {" + here + " return x[i]; }"},
      {"two functions", "__device__ void f() { x[0] = 1; } void g() { } void h() { x[1] = 2; }",
       "__device__ void f() {" + here + " x[0] = 1; } void g() { } void h() {" + here +
           " x[1] = 2; }"},
      {"a constructor", "int n; A(int i) : n(x[i]) { x[0] = n; }",
       "int n; A(int i) : n(" + place + "[i]) {" + here + " x[0] = n; }"},
      {"a member's start", "int* p = x;", "int* p = " + place + ";"},
      {"a parameter of that name", "int f(int x) { return x; }", "int f(int x) { return x; }"},
      {"a member of that name", "int x[4]; int f() { return x[0]; }",
       "int x[4]; int f() { return x[0]; }"},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.what);
    const std::string declared = "__device__ void f() { __shared__ int x[4]; struct A { ";
    const std::string rewritten = rewrite(declared).text;
    EXPECT_EQ(rewrite(declared + c.members + " }; }").text, rewritten + c.expected + " }; }");
  }
}

TEST(SharedMemory, HasTheTypeThatItIsDeclaredWith) {
  const std::string declared = "__device__ void f() { extern __shared__ float s[]; ";
  const std::string text = rewrite(declared).text;
  EXPECT_EQ(rewrite(declared + "using T = decltype(s); }").text,
            text + "using T = ::std::remove_reference_t<decltype(s)>; }");
  EXPECT_EQ(rewrite("__shared__ int x[4];\n__device__ void f() { sizeof(decltype(x)); }").text,
            rewrite("__shared__ int x[4];\n").text +
                "__device__ void f() { sizeof(::std::remove_reference_t<decltype(x)>); }");
  for (const std::string other : {"decltype(s[0])", "decltype((s))", "sizeof(s)"}) {
    EXPECT_EQ(rewrite(declared + "f(" + other + "); }").text, text + "f(" + other + "); }");
  }
}

TEST(SharedMemory, IsFoundBehindAMacroThatStandsForWords) {
  for (const std::string words : {"__shared__", "__shared__ float", "extern __shared__"}) {
    const std::string rest = words.ends_with("float") ? " x[];" : " float x[];";
    const std::string written = rewrite("\n__device__ void f() { " + words + rest + " }").text;
    EXPECT_EQ(rewrite("#define TILE " + words + "\n__device__ void f() { TILE" + rest + " }").text,
              "#define TILE " + words + written);
  }
}

TEST(SharedMemory, KnowsFunctionsFromNamespacesAndClasses) {
  const char* const functions[] = {
      "__device__ void f() {\n%\n}",
      "__device__ struct A f(int a = 1) {\n%\n}",
      "template <class T, int N = (2 > 1)> __global__ void f(T t) {\n%\n}",
      "extern \"C\" __device__ void f() {\n%\n}",
      "namespace a { struct B { void f() const {\n%\n} }; }",
      "auto f = [](auto a) {\n%\n};",
      "struct A f = [] {\n%\n};",
      "__device__ void f() { for (int i = 0; i < n; ++i) {\n%\n} }",
      "__device__ void f() { struct A { int a; } b = {1};\n%\n}",
      "__device__ void f() { switch (a) { case 1:\n%\n} }",
      "__device__ void f() try {\n%\n} catch (...) {}",
  };
  for (const std::string function : functions) {
    const auto place = function.find('%');
    auto source = function;
    source.replace(place, 1, "__shared__ int x;");
    auto expected = function;
    expected.replace(place, 1,
                     "struct tilewise_shared_2_1 {  int x; }; " + references("2_1", {"x"}));
    expect_rewritten({function.c_str(), source, expected});
  }
}

TEST(SharedMemory, IsRefusedWhereItCannotBeSimulated) {
  const std::string initialised =
      "shared variables cannot be initialised: assign to them in the kernel, then call "
      "__syncthreads()";
  const std::string not_understood =
      "this shared declaration is not understood: write the type, then the names, as in "
      "__shared__ float As[16][16], Bs[16][16];";
  const std::string not_open =
      "dynamic shared memory is an array without a bound: write extern __shared__ float name[];";
  const std::string member =
      "a shared variable cannot be a member of a class: declare it in the kernel";
  const struct {
    std::string source;
    std::string message;
  } cases[] = {
      {"__shared__ float x = 1;", initialised},
      {"__shared__ float x[2] = {};", initialised},
      {"__shared__ float x{1};", initialised},
      {"__shared__ float x(1);", initialised},
      {"__shared__ float x, y = 2;", initialised},
      {"__shared__ float;", not_understood},
      {"__shared__ Real;", not_understood},
      {"__shared__ float x, ;", not_understood},
      {"__shared__ float x : 3;", not_understood},
      {"__shared__ float x[2;", not_understood},
      {"__shared__ float x", not_understood},
      {"__shared__ Pair<int x;", not_understood},
      {"__shared__ float (*)[4];", not_understood},
      {"__shared__", not_understood},
      {"f(int a, __shared__ float* x);", not_understood},
      {"extern __shared__ float x;", not_open},
      {"extern __shared__ float (*x)[4];", not_open},
      {"struct A { __shared__ float x; };", member},
      {"template <class T> class A : B<(1 > 0)> { static __shared__ float x; };", member},
      {"struct alignas(16) A { __shared__ float x; };", member},
      {"#define TILE(x) __shared__ float tile_##x[4]\n#define EACH(M) M(a)\nEACH(TILE)",
       not_understood},
      {"#define TILE(x) __shared__ float x = 0\n#define EACH(M) M(a)\nEACH(TILE)", initialised},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.source);
    const auto rewritten = rewrite("\n" + c.source);
    EXPECT_EQ(rewritten.text, "\n" + c.source);
    ASSERT_EQ(rewritten.errors.size(), 1u);
    EXPECT_EQ(rewritten.errors[0].line, 2);
    EXPECT_EQ(rewritten.errors[0].message, c.message);
  }
}

TEST(SharedMemory, IsToldFromOtherText) {
  const char* const cases[] = {
      "// __shared__ float x;",
      "f(\"__shared__ float x;\");",
      "int my__shared__x;",
      "#ifdef __shared__\n#endif",
      "#ifndef __shared__\n#define __shared__\n#endif",
      "#if 0\n__shared__ = {\n#endif",
  };
  for (const auto* source : cases) {
    const auto rewritten = rewrite(source);
    EXPECT_EQ(rewritten.text, source);
    EXPECT_TRUE(rewritten.errors.empty()) << source;
  }
}

}  // namespace
}  // namespace tilewise::simt
