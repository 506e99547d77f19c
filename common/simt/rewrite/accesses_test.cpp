#include "common/simt/rewrite/accesses.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "common/base/files.hpp"
#include "common/simt/rewrite/functions.hpp"

namespace tilewise::simt {
namespace {

std::string kernel(const std::string& body) {
  return "__global__ void kernel(const float* A, float* C, int m, int n) {\n" + body + "\n}\n";
}

/// Returns the accesses to an array.
std::vector<SourceAccess> accesses_to(const std::string& array, const std::string& source) {
  std::vector<SourceAccess> found;
  for (SourceAccess& access : accesses_in(source)) {
    if (access.array == array) found.push_back(std::move(access));
  }
  return found;
}

/// Returns the conditions as text: "row < m, not col >= n, loop k < n".
std::string conditions(const SourceAccess& access) {
  std::string text;
  for (const SourceCondition& condition : access.conditions) {
    text += (text.empty() ? "" : ", ") + std::string(condition.must_not_hold ? "not " : "") +
            (condition.is_of_loop ? "loop " : "") + condition.text;
  }
  return text;
}

TEST(Accesses, HaveTheConditionsThatLetAThreadThrough) {
  struct Case {
    const char* body;
    const char* expected;
  };
  const Case cases[] = {
      {"C[i] = A[i];", ""},
      {"if (i < n) C[i] = A[i];", "i < n"},
      {"if (i < n) { f(); C[i] = A[i]; }", "i < n"},
      {"if (i < n) f(); C[i] = A[i];", ""},
      {"if (i < n) { f(); } C[i] = A[i];", ""},
      {"if (row < m && (col < n)) C[i] = A[i];", "row < m, col < n"},
      {"if (row < m || col < n) C[i] = A[i];", "row < m || col < n"},
      {"if (i >= n) return; C[i] = A[i];", "not i >= n"},
      {"if (i >= n) { C[0] = 1; return; } C[i] = A[i];", "not i >= n"},
      {"if (row >= m || col >= n) return; C[i] = A[i];", "not row >= m, not col >= n"},
      {"if (i >= n) C[0] = 0; else C[i] = A[i];", "not i >= n"},
      {"if (i >= n) { C[0] = 0; } else { C[i] = A[i]; }", "not i >= n"},
      {"if (i == 0) f(); else if (i < n) C[i] = A[i];", "not i == 0, i < n"},
      {"for (int k = 0; k < n; ++k) C[i] = A[i];", "loop k < n"},
      {"for (int k = 0; k < n; ++k) { if (k == j) continue; C[i] = A[i]; }",
       "loop k < n, not k == j"},
      {"while (i < n) { C[i] = A[i]; i += 32; }", "loop i < n"},
      {"float a = i < n ? A[i] : 0;", "i < n"},
      {"float a = row < m && col < n ? A[i] : 0;", "row < m, col < n"},
      {"float a = i >= n ? 0 : A[i];", "not i >= n"},
      {"bool is = i < n && A[i] > 0;", "i < n"},
      {"As[ty] = i < n ? A[i] : 0.0f;", "i < n"},
      {"if constexpr (Rx > 1) C[i] = A[i];", "Rx > 1"},
      {"const bool in = row < m && col < n; C[i] = in ? A[i] : 0;", "row < m, col < n"},
      {"if (i < n) { const auto fetch = [&](int k) { if (k < m) C[i] = A[i]; }; }", "k < m"},
      {"if (i < n) for (int k = 0; k < m; ++k) C[i] = A[i];", "i < n, loop k < m"},
  };
  for (const Case& each : cases) {
    const auto found = accesses_to("A", kernel(each.body));
    ASSERT_EQ(found.size(), 1U) << each.body;
    EXPECT_EQ(conditions(found[0]), each.expected) << each.body;
  }
}

/// Returns the parts and how they are tested: "row: no, col: exactly".
std::string parts(const SourceAccess& access) {
  std::string text;
  for (const IndexPart& part : access.parts) {
    text += (text.empty() ? "" : ", ") + part.text + ": ";
    text += part.tested == IndexPart::Tested::no        ? "no"
            : part.tested == IndexPart::Tested::exactly ? "exactly"
                                                        : "alike " + part.compared;
  }
  return text;
}

TEST(Accesses, AreHeldAgainstTheirConditions) {
  struct Case {
    const char* body;
    const char* expected;
  };
  const Case cases[] = {
      {"if (row < m && col < n) C[0] = A[row * n + col];", "row: exactly, col: exactly"},
      {"if (row < m && col < n) C[0] = A[std::size_t(row) * n + col];",
       "row: exactly, col: exactly"},
      {"if (row < m) C[0] = A[(row + i) * n + col];", "row + i: no, col: no"},
      {"if (row < m && col + 1 < n) C[0] = A[row * n + col];", "row: exactly, col: alike col + 1"},
      {"int r = row + i; if (row + i < m) C[0] = A[r * n];", "r: exactly"},
      {"int r = row + i; if (row < m) C[0] = A[r * n + 0];", "r: no, 0: exactly"},
      {"int at = row * n + col; if (row < m) C[0] = A[at];", "row: exactly, col: no"},
      {"if (row * n + col < n * n) C[0] = A[k * n + col];", "k: no, col: alike row * n + col"},
      {"if (k0 + tx < n) C[0] = *(A + row * n + k0 + tx);", "row: no, k0 + tx: exactly"},
      {"if (i < n) C[0] = A[i];", "i: exactly"},
      {"if (k < n) C[0] = A[min(row, n - 1) * n + k];", "min(row, n - 1): exactly, k: exactly"},
      {"for (int i = 0; i < n; ++i) C[0] = A[i * n + i + 1];", "i: exactly, i + 1: alike i"},
  };
  for (const Case& each : cases) {
    const auto found = accesses_to("A", kernel(each.body));
    ASSERT_EQ(found.size(), 1U) << each.body;
    EXPECT_EQ(parts(found[0]), each.expected) << each.body;
  }
}

TEST(Accesses, SayWhatTheyStoreTo) {
  const char* const declared = "__shared__ float As[16][17], Bs[2][16]; float sum[2] = {};\n";
  struct Case {
    const char* array;
    const char* statement;
    bool stores;
  };
  const Case cases[] = {
      {"As", "As[i][j] = A[i];", true},
      {"As", "sum[0] += As[i][j];", false},
      {"sum", "sum[i] += a;", true},
      {"sum", "C[i] = sum[0];", false},
      {"As", "*reinterpret_cast<float4*>(&As[i][j]) = a;", true},
      {"As", "reinterpret_cast<float4*>(&As[i][j])[0] = a;", true},
      {"As", "a = *reinterpret_cast<float4*>(&As[i][j]);", false},
      {"As", "cp_async<16>(&As[i][j], A + i);", true},
      {"A", "cp_async<16>(&As[i][j], A + i);", false},
      {"As", "if (As[i][j] == 0) f();", false},
  };
  for (const Case& each : cases) {
    const auto found = accesses_to(each.array, kernel(declared + std::string(each.statement)));
    ASSERT_EQ(found.size(), 1U) << each.statement;
    EXPECT_EQ(found[0].stores, each.stores) << each.statement;
  }
  EXPECT_TRUE(accesses_to("As", kernel(declared + std::string("put(&As[i][j], a);")))[0].handed_on);
  const auto made = accesses_to("a", kernel("const float* a = A + row;\nsum += a[k];\nsum += *a;"));
  ASSERT_EQ(made.size(), 2U);
  EXPECT_EQ(made[0].origin, "A + row");
  EXPECT_EQ(made[0].origin_line, 2);
  EXPECT_EQ(made[0].matrix, "A");
  EXPECT_EQ(made[1].line, 4);
  const auto shared = accesses_to("Bs", kernel(declared + std::string("Bs[p][i] = 0;")));
  ASSERT_EQ(shared.size(), 1U);
  EXPECT_EQ(shared[0].declaration, "float Bs[2][16]");
  EXPECT_EQ(shared[0].declaration_line, 2);
  EXPECT_EQ(shared[0].memory, SourceAccess::Memory::shared);
  EXPECT_EQ(shared[0].brackets, (std::vector<std::string>{"p", "i"}));
}

TEST(Accesses, AreReadFromAnyText) {
  // Text that ends anywhere is read, too.
  std::size_t found = 0;
  for (const char* folder : {"labs", "solutions", "grading"}) {
    for (const auto& entry :
         std::filesystem::recursive_directory_iterator(core::project_root() / folder)) {
      if (entry.path().extension() != ".cu") continue;
      const std::string source = core::text_of(entry.path());
      for (const std::size_t part : {1, 2, 3, 7}) {
        const std::string text = source.substr(0, source.size() / part);
        found += accesses_in(text).size();
        changes_of(text, "kernel", "k");
        for (const int line : {20, 40, 80}) {
          callers_of_line(text, line);
          turn_of_lines(text, line, line + 9);
          uncommitted_copy(text, line);
        }
        carried_over(text, "kernel", "a");
      }
    }
  }
  EXPECT_GT(found, 1000U);
}

TEST(Changes, AreNoDeclarations) {
  const std::string source = kernel("int p = 0;\nfor (;;) {\np = 1 - p;\nf(p);\np ^= 1;\n++p;\n}");
  std::string text;
  for (const QuotedLine& change : changes_of(source, "kernel", "p")) {
    text += std::to_string(change.line) + ": " + change.text + "; ";
  }
  EXPECT_EQ(text, "4: p = 1 - p; 6: p ^= 1; 7: ++p; ");
}

TEST(Accesses, FollowPointersThatWalk) {
  const auto found =
      accesses_to("a", kernel("const float* a = A + row;\nsum += *a++ * C[k];\nload(a, 1);"));
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].text, "a++");
  EXPECT_EQ(found[0].matrix, "A");
  EXPECT_TRUE(found[1].handed_on);
  // The star of a product does not make an access.
  EXPECT_TRUE(accesses_to("b", kernel("const float* b = C;\nsum += k++ * b[k];"))[0].text ==
              "b[k]");
  EXPECT_EQ(accesses_to("b", kernel("const float* b = C;\nsum += k++ * b[k];")).size(), 1U);
}

TEST(Accesses, KnowWhatTheirPointersAreMadeOf) {
  const auto found =
      accesses_to("a", kernel("const int t = threadIdx.x, a_k = t % 2;\nconst int k = k0 + a_k;\n"
                              "const float* a = A + row * n + k;\nsum += *a;"));
  ASSERT_EQ(found.size(), 1U);
  ASSERT_EQ(found[0].made_of.size(), 2U);
  EXPECT_EQ(found[0].made_of[0].text, "k = k0 + a_k");
  EXPECT_EQ(found[0].made_of[1].text, "a_k = t % 2");
  EXPECT_EQ(found[0].made_of[1].line, 2);
}

TEST(Accesses, KnowWhereALoopBegins) {
  const auto found =
      accesses_to("A", kernel("for (int half = n / 2; half > 0; half /= 2) C[0] = A[t + half];"));
  ASSERT_EQ(found.size(), 1U);
  ASSERT_EQ(found[0].conditions.size(), 1U);
  EXPECT_EQ(found[0].conditions[0].counter, "half");
  EXPECT_EQ(found[0].conditions[0].start, "n / 2");
}

/// Returns a turn as text: "loop 3, i: 5 between, 0 beyond".
std::string turn(const std::string& body, int first, int second) {
  const auto turn = turn_of_lines(kernel(body), first, second);
  if (!turn) return "";
  return "loop " + std::to_string(turn->loop_line) + ", " + turn->counter + ": " +
         std::to_string(turn->between) + " between, " + std::to_string(turn->beyond) + " beyond";
}

TEST(Turns, HaveBarriersBetweenTwoOfTheirLines) {
  const std::string loop = "for (int k = 0; k < n; ++k) {\n";
  EXPECT_EQ(turn(loop + "s[t] = 1;\n__syncthreads();\nf(s[0]);\n}", 3, 5),
            "loop 2, k: 4 between, 0 beyond");
  EXPECT_EQ(turn(loop + "s[t] = 1;\nf(s[0]);\n__syncthreads();\n}", 3, 4),
            "loop 2, k: 0 between, 5 beyond");
  EXPECT_EQ(turn(loop + "s[t] = 1;\nf(s[0]);\n}\n__syncthreads();", 3, 4),
            "loop 2, k: 0 between, 0 beyond");
  EXPECT_EQ(turn("const auto wait = [&] { __syncthreads(); };\n" + loop +
                     "s[t] = 1;\nwait();\nf(s[0]);\n}",
                 4, 6),
            "loop 3, k: 5 between, 0 beyond");
  EXPECT_EQ(turn(loop + "s[t] = 1;\nif (k > 0) __syncthreads();\nf(s[0]);\n}", 3, 5), "");
  EXPECT_EQ(turn("s[t] = 1;\n__syncthreads();\nf(s[0]);", 2, 4), "");
  EXPECT_EQ(turn(loop + "s[t] = 1;\n}\n" + loop + "f(s[0]);\n}", 3, 6), "");
}

TEST(Turns, AreWaitedForByThoseThatComeToABarrier) {
  const auto told = [](const std::string& body) {
    std::string words;
    for (const DecidedBarrier& barrier : decided_barriers(kernel(body), {"kernel"})) {
      words += std::to_string(barrier.line) + ": " + barrier.call + ", " +
               barrier.tests.back().text + (barrier.is_of_thread ? ", of threads" : "") +
               (barrier.is_in_loop ? ", in a loop; " : "; ");
    }
    return words;
  };
  const std::string loop = "for (int k = 0; k < n; ++k) {\n";
  EXPECT_EQ(told(loop + "__syncthreads();\n}"), "");
  EXPECT_EQ(told(loop + "if (k + 1 < n) {\n__syncthreads();\n}\n}"),
            "4: __syncthreads(), k + 1 < n, in a loop; ");
  EXPECT_EQ(told("const int row = threadIdx.y + n;\nif (row < n) __syncthreads();"),
            "3: __syncthreads(), row < n, of threads; ");
  EXPECT_EQ(told("const int m = n, t = f(threadIdx.x, 1);\nif (m > 1) __syncthreads();"),
            "3: __syncthreads(), m > 1; ");
  EXPECT_EQ(told("const int m = n, t = f(1, threadIdx.x);\nif (t > 1) __syncthreads();"),
            "3: __syncthreads(), t > 1, of threads; ");
  EXPECT_EQ(told("if (threadIdx.x >= n) return;\n__syncthreads();"),
            "3: __syncthreads(), threadIdx.x >= n, of threads; ");
  EXPECT_EQ(told("const auto add = [&] {\n__syncthreads();\n};\nif (n > 1) add();"),
            "5: add(), n > 1; ");
  EXPECT_EQ(told("const auto add = [&] {\nif (n > 1) __syncthreads();\n};"),
            "3: __syncthreads(), n > 1, in a loop; ");
}

TEST(Turns, CloseGroupsAroundTheirCopies) {
  const std::string copy = "const auto copy = [&](int p) {\ncp_async<4>(&s[p], A);\n};\n";
  const auto found =
      uncommitted_copy(kernel(copy + "for (;;) {\ncp_async_wait<1>();\ncopy(1);\nf();\n}"), 3);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->copy_line, 7);
  EXPECT_EQ(found->wait_line, 6);
  for (const char* body :
       {"for (;;) {\ncp_async_wait<1>();\ncopy(1);\ncp_async_commit();\n}",
        "for (;;) {\ncp_async_commit();\ncp_async_wait<1>();\nfor (;;)\ncopy(1);\n"
        "__pipeline_commit();\n}",
        "for (;;) "
        "{\ncopy(1);\npipe.producer_commit();\ncuda::pipeline_consumer_wait_prior<1>(pipe);"
        "\n}",
        "const auto close = [&] { cp_async_commit(); };\nfor (;;) {\ncopy(1);\nclose();\n"
        "cp_async_wait<1>();\n}",
        "copy(0);\n"}) {
    EXPECT_FALSE(uncommitted_copy(kernel(copy + body), 3)) << body;
  }
}

TEST(Turns, CarryPointersThatNobodySetsAnew) {
  const char* const inner = "for (int k = 0; k < n; ++k)\nsum += *a++;\n}";
  const std::string outer = "for (int col = 0; col < n; ++col) {\n";
  const auto carried = carried_over(kernel("const float* a = A;\n" + outer + inner), "kernel", "a");
  ASSERT_TRUE(carried);
  EXPECT_EQ(carried->made_line, 2);
  EXPECT_EQ(carried->outer_line, 3);
  EXPECT_EQ(carried->inner_line, 4);
  EXPECT_FALSE(carried_over(kernel(outer + "const float* a = A;\n" + inner), "kernel", "a"));
  EXPECT_FALSE(carried_over(kernel("const float* a = A;\n" + outer + "a += n;\n}"), "kernel", "a"));
}

TEST(Callers, OfLambdasStandInTheirFunction) {
  const std::string source =
      kernel("const auto fill = [&](int pair) {\nAs[pair] = 0;\n};\nfill(0);\nfill(p ^ 1);");
  const SourceCaller caller = callers_of_line(source, 3);
  EXPECT_EQ(caller.function, "fill");
  ASSERT_EQ(caller.calls.size(), 2U);
  EXPECT_EQ(caller.calls[1].line, 6);
  EXPECT_EQ(caller.calls[1].text, "fill(p ^ 1)");
  EXPECT_EQ(accesses_in(source)[0].lambda, "fill");
}

TEST(Functions, AreMembersOfClassesToo) {
  const rewriting::SourceText text(
      "namespace mine {\n"
      "struct Feed {\n"
      " public:\n"
      "  __device__ Feed(int n_, const int* a_) : n(n_), a(a_) { begin(); }\n"
      "  static constexpr int side = 4;\n"
      "  __device__ int at(int i) const { return a[i]; }\n"
      "  __device__ void begin() { if (n > 0) { --n; } }\n"
      "  int n, sides[2] = {1, 2};\n"
      "};\n"
      "__global__ void kernel(Feed feed) { feed.begin(); }\n"
      "}\n");
  ASSERT_EQ(text.functions.size(), 4U);
  const char* const names[] = {"Feed", "at", "begin", "kernel"};
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(text.functions[i].name, names[i]);
    EXPECT_TRUE(text.functions[i].is_of_device) << names[i];
    EXPECT_EQ(text.functions[i].is_kernel, i == 3) << names[i];
  }
}

TEST(Callers, AreThoseOfDeviceFunctions) {
  const std::string source =
      "template <int T>\n__device__ void load(float* s) {\ns[0] = 1;\n}\n"
      "__global__ void kernel(float* A) {\nload<16>(A);\nA[0] = 1;\nload<2>(A);\n}\n"
      "void host() { kernel<<<1, 1>>>(0); }\n";
  EXPECT_EQ(callers_of_line(source, 3).function, "load");
  const std::vector<QuotedLine> calls = callers_of_line(source, 3).calls;
  ASSERT_EQ(calls.size(), 2U);
  EXPECT_EQ(calls[0].line, 6);
  EXPECT_EQ(calls[1].line, 8);
  EXPECT_EQ(calls[1].text, "load<2>(A)");
  EXPECT_EQ(callers_of_line(source, 7).function, "");
  EXPECT_EQ(kernels_launched_by(source, "host"), (std::vector<std::string>{"kernel"}));
  EXPECT_EQ(host_functions_in(source), (std::vector<std::string>{"host"}));
}

TEST(Launches, AreToldWithTheSidesOfTheirBlocks) {
  const std::string source =
      "__device__ void bring() {}\n__global__ void kernel(int n) { bring(); }\n"
      "void host(int n) {\n  const dim3 block(8, n), grid((n + 7) / 8, 1);\n"
      "  kernel<<<grid, block, 0, stream>>>(n);\n}\nvoid other() { kernel<<<1, dim3(2, 3)>>>(1); "
      "}\n";
  const auto launches = launches_of(source, "host", "kernel");
  ASSERT_EQ(launches.size(), 1U);
  EXPECT_EQ(launches[0].launch.text, "kernel<<<grid, block, 0, stream>>>");
  EXPECT_EQ(launches[0].launch.line, 5);
  ASSERT_EQ(launches[0].made_of.size(), 1U);
  EXPECT_EQ(launches[0].made_of[0].text, "dim3 block(8, n)");
  EXPECT_EQ(launches_of(source, "other", "kernel")[0].launch.text, "kernel<<<1, dim3(2, 3)>>>");
  EXPECT_TRUE(launches_of(source, "host", "bring").empty());
  EXPECT_EQ(functions_behind(source, "host"),
            (std::vector<std::string>{"host", "kernel", "bring"}));
  for (const int line : {1, 2, 8}) EXPECT_TRUE(host_functions_without(source, line).empty());
  EXPECT_EQ(host_functions_without(source, 5), std::vector<std::string>{"other"});
  EXPECT_EQ(host_functions_without(source, 7), std::vector<std::string>{"host"});
}

TEST(Functions, SayWhereTheyAreOfSinglePrecision) {
  const std::string source =
      "__global__ void kernel(double a) {\n  double b = a * 1.5f;\n  b += 1.5 + 0xF;\n}\n"
      "void host(double a) {\n  const float scale = a;\n  kernel<<<1, 1>>>(scale);\n}\n"
      "void other() { float c; }\n";
  std::string lines;
  for (const QuotedLine& each : single_precision_behind(source, "host")) {
    lines += std::to_string(each.line) + ": " + each.text + "; ";
  }
  EXPECT_EQ(lines, "6: const float scale = a; 2: double b = a * 1.5f; ");
}

TEST(Callers, AreReachedFromAFunction) {
  const std::string source =
      "static void solve(int m) { multiply(m, 1); }\n"
      "void first(int m) {\nsolve(m);\nmultiply<8>(m - 1, 2);\n}\n"
      "void second() { multiply(0, 0); }\n";
  const std::vector<QuotedLine> calls = calls_to(source, "first", {"multiply"});
  ASSERT_EQ(calls.size(), 2U);
  EXPECT_EQ(calls[0].line, 4);
  EXPECT_EQ(calls[0].text, "multiply<8>(m - 1, 2)");
  EXPECT_EQ(calls[1].text, "multiply(m, 1)");
}

}  // namespace
}  // namespace tilewise::simt
