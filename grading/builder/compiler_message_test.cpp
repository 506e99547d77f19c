#include "grading/builder/compiler_message.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "grading/builder/quotations.hpp"

namespace tilewise::grading {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;

const std::vector<std::string> sources = {"labs/03_x/x.cu", "labs/03_x/y.cu"};

TEST(CompileError, IsPlacedWhereTheStudentsCodeIsWrong) {
  const struct {
    const char* what;
    std::string_view output;
    std::string file;
    int line;
  } cases[] = {
      {"g++", "labs/03_x/x.cu:31:7: error: expected ';'\n", "x.cu", 31},
      {"g++, after a function heading",
       "labs/03_x/x.cu: In function 'int f()':\nlabs/03_x/x.cu:8:1: error: x\n", "x.cu", 8},
      {"an earlier note", "labs/03_x/x.cu:3:1: note: declared here\nlabs/03_x/x.cu:8:1: error: x\n",
       "x.cu", 8},
      {"second file", "labs/03_x/y.cu:5:1: fatal error: too many errors\n", "y.cu", 5},
      {"nvcc", "labs/03_x/x.cu(12): error: expected a \";\"\n", "x.cu", 12},
      {"inside a header",
       "facade/launch.hpp:9:1: error: no\nlabs/03_x/x.cu:14:3:   required from here\n", "x.cu", 14},
      {"nowhere in the student's files", "cc1plus: error: bad value\n", "", 0},
      {"a number too large", "labs/03_x/x.cu:99999999999999999999: error: x\n", "", 0},
      {"nothing", "", "", 0},
  };
  for (const auto& expected : cases) {
    const BuildResult built = explain_compile_error(expected.output, sources);
    EXPECT_FALSE(built.ok);
    EXPECT_EQ(built.finding.file, expected.file) << expected.what;
    EXPECT_EQ(built.finding.line, expected.line) << expected.what;
    EXPECT_THAT(built.finding.hint, HasSubstr("first error")) << expected.what;
  }
}

TEST(CompileError, NamesAHeaderThatTheSimulatorLacks) {
  const BuildResult built =
      explain_compile_error("labs/03_x/y.cu:5:1: fatal error: no.h: No such file\n", sources);
  EXPECT_EQ(built.finding.file, "y.cu");
  EXPECT_EQ(built.finding.line, 5);
  EXPECT_THAT(built.finding.hint, HasSubstr("Neither the simulator nor CUDA 13.0 knows no.h"));
}

TEST(CompileError, SaysWhatOfCudaTheSimulatorLacks) {
  const std::pair<const char*, const char*> cases[] = {
      {"fatal error: cuda_fp16.h: No such file or directory",
       "the simulator does not know cuda_fp16.h, a header of CUDA's"},
      {"fatal error: 'cub/block/block_scan.cuh' file not found",
       "the simulator does not know cub/block/block_scan.cuh, a header of CUDA's"},
      {"fatal error: cuda/barrier: No such file or directory",
       "the simulator does not know cuda/barrier, a header of CUDA's"},
      {"error: 'cudaMallocManaged' was not declared in this scope",
       "the simulator does not know cudaMallocManaged, a function of CUDA's run-time"},
      {"error: use of undeclared identifier '__dp4a'",
       "the simulator does not know __dp4a, a device function of CUDA's"},
      {"error: 'tex1Dfetch' was not declared in this scope",
       "the simulator does not know tex1Dfetch, a device function of CUDA's"},
      {"error: unknown type name '__nv_fp8_storage_t'",
       "the simulator does not know __nv_fp8_storage_t, a type of CUDA's"},
      {"error: 'cudaStreamCaptureModeGlobal' was not declared in this scope",
       "the simulator does not know cudaStreamCaptureModeGlobal, a constant of CUDA's"},
      {"error: 'class cooperative_groups::grid_group' has no member named 'sync'",
       "the simulator does not know cooperative_groups::grid_group::sync, a part of"},
      {"error: no member named 'sync' in 'cooperative_groups::grid_group'",
       "the simulator does not know cooperative_groups::grid_group::sync, a part of"},
      {"error: 'coalesced_threads' is not a member of 'cooperative_groups'",
       "the simulator does not know cooperative_groups::coalesced_threads, a part of"},
      {"error: no member named 'coalesced_threads' in namespace 'cooperative_groups'",
       "the simulator does not know cooperative_groups::coalesced_threads, a part of"},
  };
  for (const auto& [said, told] : cases) {
    const BuildResult built =
        explain_compile_error("labs/03_x/y.cu:5:1: " + std::string(said) + "\n", sources);
    EXPECT_THAT(built.finding.message, HasSubstr("labs/03_x/y.cu:5: " + std::string(told)));
    EXPECT_THAT(built.finding.hint, HasSubstr("--backend cuda"));
    EXPECT_EQ(built.finding.line, 5);
  }
}

// g++ first reports the call in the simulator's headers that a launch becomes.
TEST(CompileError, SaysWhyALaunchDoesNotFitATemplate) {
  const std::string begin =
      "common/simt/include/tilewise/launch.hpp: In instantiation of 'void call_kernel(Call&)':\n"
      "labs/03_x/y.cu:45:520:   required from 'cudaError_t launch() [with int Tile = 8]'\n"
      "common/simt/include/tilewise/launch.hpp:114:14: error: no match for call to "
      "'(launch<8>()::<lambda(auto:1&& ...)>) (const float* const&)'\n"
      "labs/03_x/y.cu:45:94: note: candidate: 'template<class ... auto:1> <lambda(auto:1&& ...)>'\n"
      "labs/03_x/y.cu:45:94: note:   template argument deduction/substitution failed:\n"
      "labs/03_x/y.cu:45:188: error: no matching function for call to 'k(const float* const&)'\n"
      "   45 |   k<<<grid, block>>>(A);\n";
  const struct {
    const char *said, *told, *hint;
  } cases[] = {
      {"labs/03_x/y.cu:8:17: note: candidate: 'template<int Tile> void k(const float*)'\n"
       "labs/03_x/y.cu:8:17: note:   template argument deduction/substitution failed:\n"
       "labs/03_x/y.cu:45:188: note:   couldn't deduce template parameter 'Tile'\n",
       "labs/03_x/y.cu:45: error: k is a template, and nothing at this launch tells its parameter "
       "Tile: 'template<int Tile> void k(const float*)'",
       "k<...><<<grid, block>>>(...)"},
      {"labs/03_x/y.cu:8:17: note: candidate: 'template<class T> void k(const T*, int)'\n"
       "labs/03_x/y.cu:8:17: note:   template argument deduction/substitution failed:\n"
       "labs/03_x/y.cu:45:188: note:   candidate expects 2 arguments, 1 provided\n",
       "labs/03_x/y.cu:45: error: this launch does not fit 'template<class T> void k(const T*, "
       "int)': candidate expects 2 arguments, 1 provided",
       "Compare the arguments"},
  };
  for (const auto& [said, told, hint] : cases) {
    const BuildResult built = explain_compile_error(begin + said, sources);
    EXPECT_EQ(built.finding.message, told);
    EXPECT_THAT(built.finding.hint, HasSubstr(hint));
    EXPECT_EQ(built.finding.line, 45);
  }
}

// g++ and clang report the lambda that a launch becomes, which captures nothing.
TEST(CompileError, NamesAVariableAmongTheArgumentsOfATemplate) {
  const struct {
    const char* what;
    const char* said;
    bool is_told;
  } cases[] = {
      {"g++",
       "labs/03_x/y.cu: In lambda function:\nlabs/03_x/y.cu:16:327: error: 'rows' is not captured\n"
       "   16 |   k<cols, rows><<<grid, block>>>(C);\n      |      ^\n"
       "common/simt/include/tilewise/launch.hpp:114:14: error: no match for call to 'f'\n",
       true},
      {"clang",
       "labs/03_x/y.cu:16:32: error: variable 'rows' cannot be implicitly captured in a lambda "
       "with "
       "no capture-default specified\n  k<cols, rows><<<grid, block>>>(C);\n",
       true},
      {"a lambda of the student's",
       "labs/03_x/y.cu:16:32: error: 'rows' is not captured\n   16 |   if (i < rows) j = "
       "k<2>(i);\n",
       false},
      {"an argument of the kernel",
       "labs/03_x/y.cu:16:32: error: 'rows' is not captured\n   16 |   go([] { k<2><<<1, "
       "1>>>(rows); "
       "});\n",
       false},
  };
  for (const auto& [what, said, is_told] : cases) {
    const BuildResult built = explain_compile_error(said, sources);
    EXPECT_EQ(built.finding.message.find("must be a constant, and rows, which this launch") !=
                  std::string::npos,
              is_told)
        << what << built.finding.message;
    EXPECT_EQ(built.finding.hint.find("rows gets its value when") != std::string::npos, is_told);
    EXPECT_EQ(built.finding.line, 16);
  }
}

TEST(CompileError, LeavesNamesThatAreNotCudasToTheCompiler) {
  for (const char* said : {"error: 'count' was not declared in this scope",
                           "error: 'struct Point' has no member named 'sync'",
                           "error: use of undeclared identifier 'tile'"}) {
    const BuildResult built =
        explain_compile_error("labs/03_x/y.cu:5:1: " + std::string(said) + "\n", sources);
    EXPECT_THAT(built.finding.message, HasSubstr(said));
    EXPECT_THAT(built.finding.hint, HasSubstr("first error"));
  }
}

TEST(CompileError, SaysWhatBeginnersErrorsMean) {
  const std::pair<const char*, const char*> cases[] = {
      {"invalid types 'float[int]' for array subscript", "C[row * n + col]"},
      {"no match for 'operator*' (operand types are 'const uint3' and 'const dim3')",
       "blockIdx.x * blockDim.x + threadIdx.x"},
      {"void value not ignored as it ought to be", "cudaGetLastError()"},
      {"size of array is not an integral constant-expression", "<<<grid, block, bytes>>>"},
      {"no matching function for call to 'f<leaf>(int&)'\nlabs/03_x/y.cu:5:9: error: the value of "
       "'leaf' is not usable in a constant expression",
       "leaf gets its value when the program runs"},
      {"array size is not a constant expression", "<<<grid, block, bytes>>>"},
      {"cannot convert 'float (*)[8]' to 'float**'", "float (&a)[8][8]"},
      {"cannot convert 'double (*)[8]' to 'double**'", "float (&a)[8][8]"},
      {"cannot convert 'float (*)[8]' to 'float*'", "first error"},
      {"invalid initialization of reference of type 'unsigned int (&)[4]' from expression of type "
       "'unsigned int*'",
       "unsigned (&r)[4]"},
      {"no match for 'operator*' (operand types are 'A' and 'B')", "first error"}};
  for (const auto& [said, told] : cases) {
    const BuildResult built =
        explain_compile_error("labs/03_x/y.cu:5:1: error: " + std::string(said) + "\n", sources);
    EXPECT_THAT(built.finding.hint, HasSubstr(told));
  }
}

TEST(CompileError, NamesTheHeaderThatIsNotIncluded) {
  const std::string second = "labs/03_x/y.cu:6:1: error: 'fragment' was not declared\n";
  for (const auto& [said, header] :
       {std::pair("'nvcuda' has not been declared", "#include <mma.h>"),
        std::pair("use of undeclared identifier 'nvcuda'", "#include <mma.h>"),
        std::pair("'__half' does not name a type", "#include <cuda_fp16.h>")}) {
    const BuildResult built = explain_compile_error(
        "labs/03_x/y.cu:5:1: error: " + std::string(said) + "\n" + second, sources);
    EXPECT_THAT(built.finding.hint, HasSubstr(header));
    EXPECT_EQ(built.finding.message, "labs/03_x/y.cu:5:1: error: " + std::string(said));
  }
}

// A template of two instances, on a line that the rewriter has made longer.
TEST(CompileError, TellsEachErrorOnce) {
  const std::string of_8 =
      "labs/03_x/x.cu: In instantiation of 'struct kernel<8>(int)::shared_18':\n"
      "labs/03_x/x.cu:18:70:   required from 'void kernel(int) [with int Tile = 8]'\n"
      "common/simt/include/tilewise/launch.hpp:278:32:   required from 'auto launcher()'\n"
      "labs/03_x/x.cu:61:23:   required from here\n"
      "labs/03_x/x.cu:18:66: error: size of array is not an integral constant-expression\n"
      "   18 |   __shared__ float a[blockDim.x];\n"
      "In file included from labs/include/tilewise/ptx.hpp:13:\n"
      "/home/a/common/simt/include/tilewise/ptx.hpp:68:59: note: in passing argument 1\n"
      "   68 | inline void f(unsigned (&r)[4]);\n"
      "labs/03_x/x.cu:7:1: note: declared here\n"
      "    7 | dim3 b;\n";
  const std::string of_16 =
      "labs/03_x/x.cu: In instantiation of 'struct kernel<16>(int)::shared_18':\n"
      "labs/03_x/x.cu:18:54: error: size of array is not an integral constant-expression\n"
      "   18 |   __shared__ float a[blockDim.x];\n"
      "labs/03_x/x.cu:19:1: error: size of array is not an integral constant-expression\n";
  EXPECT_EQ(explain_compile_error(of_8 + of_16, sources).finding.message,
            "labs/03_x/x.cu:18:66: error: size of array is not an integral constant-expression\n"
            "   18 |   __shared__ float a[blockDim.x];\n"
            "labs/03_x/x.cu:7:1: note: declared here\n"
            "    7 | dim3 b;\n"
            "labs/03_x/x.cu:19:1: error: size of array is not an integral constant-expression");
  const std::string of_instances =
      "labs/03_x/x.cu:44:32: error: cannot convert 'float (*)[8]' to 'float**'\n"
      "labs/03_x/x.cu:44:32: error: cannot convert 'float (*)[16]' to 'float**'\n"
      "labs/03_x/x.cu:12:31: note: initializing argument 1\n   12 | f(float** a)\n"
      "labs/03_x/x.cu:44:32: error: cannot convert 'double (*)[16]' to 'float**'\n";
  EXPECT_EQ(explain_compile_error(of_instances, sources).finding.message,
            "labs/03_x/x.cu:44:32: error: cannot convert 'float (*)[8]' to 'float**'\n"
            "labs/03_x/x.cu:44:32: error: cannot convert 'double (*)[16]' to 'float**'");
  const std::string of_the_rewriter =
      "labs/03_x/x.cu:5: error: sums is a variable\nlabs/03_x/x.cu:9: error: sums is a variable\n"
      "labs/03_x/x.cu:9: error: f is a kernel\nlabs/03_x/x.cu:9: error: 2 bytes\n"
      "labs/03_x/x.cu:9: error: 4 bytes\n";
  EXPECT_EQ(explain_compile_error(of_the_rewriter, sources).finding.message,
            "labs/03_x/x.cu:5: error: sums is a variable\nlabs/03_x/x.cu:9: error: f is a kernel\n"
            "labs/03_x/x.cu:9: error: 2 bytes\nlabs/03_x/x.cu:9: error: 4 bytes");
  const std::string of_names =
      "labs/03_x/x.cu:5:1: error: 'a1' was not declared\nlabs/03_x/x.cu:5:9: error: 'a2' was not "
      "declared\n";
  EXPECT_THAT(explain_compile_error(of_names, sources).finding.message, HasSubstr("'a2' was not"));
}

TEST(CompileError, KeepsTheCompilersWords) {
  const auto built = explain_compile_error("labs/03_x/x.cu:1:1: error: a\n    1 | b\n", sources);
  EXPECT_EQ(built.finding.message, "labs/03_x/x.cu:1:1: error: a\n    1 | b");
}

TEST(CompileError, BeginsWithTheStudentsFile) {
  const struct {
    const char* what;
    std::string_view output;
    const char* begin;
  } cases[] = {
      {"a place", "labs/03_x/x.cu:8:1: error: x\n", "labs/03_x/x.cu:8:1: error: x"},
      {"an include", "In file included from labs/03_x/y.cu:2:\n/usr/x.h:1: error: x\n",
       "In file included from labs/03_x/y.cu:2:"},
      {"another file first", "::error:1:1: error: a\nlabs/03_x/x.cu:8:1: error: b\n",
       "labs/03_x/x.cu:8: ::error:1:1: error: a"},
      {"no place", "cc1plus: error: x\n", "labs/03_x/x.cu, labs/03_x/y.cu: cc1plus: error: x"},
  };
  for (const auto& [what, output, begin] : cases) {
    EXPECT_THAT(explain_compile_error(output, sources).finding.message, StartsWith(begin)) << what;
  }
}

TEST(CompileError, SaysWhenTheCompilerCrashed) {
  const struct {
    const char* what;
    std::string_view output;
    int line;
    const char* message;
  } cases[] = {
      {"g++",
       "labs/03_x/x.cu: In function 'int f()':\n"
       "labs/03_x/x.cu:31:7: internal compiler error: in tsubst, at cp/pt.cc:15782\n"
       "Please submit a full bug report, with preprocessed source (by using -freport-bug).\n"
       "See <file:///usr/share/doc/gcc-12/README.Bugs> for instructions.\n",
       31,
       "labs/03_x/x.cu:31: the compiler crashed on this file, at this line or near it (internal "
       "compiler error: in tsubst, at cp/pt.cc:15782)"},
      {"g++, without a place",
       "c++: internal compiler error: Segmentation fault signal terminated program cc1plus\n"
       "Please submit a full bug report, with preprocessed source.\n",
       0, "the compiler crashed on this file (internal compiler error: Segmentation fault"},
      {"clang",
       "PLEASE submit a bug report to https://bugs.debian.org/ and include the backtrace.\n"
       "Stack dump:\n0.\tProgram arguments: /usr/bin/clang++-14 -std=c++17 /home/x/y.cpp\n"
       "1.\tlabs/03_x/y.cu:5:3: current parser token ';'\n"
       "clang: error: clang frontend command failed with exit code 139\n",
       5, "labs/03_x/y.cu:5: the compiler crashed on this file"},
      {"a signal", "The compiler was killed by signal 11 (Segmentation fault) while compiling.", 0,
       "the compiler crashed on this file"},
      {"a signal, in a sandbox", "The compiler ended with status 139 while compiling.", 0,
       "the compiler crashed on this file"},
      {"nvcc", "labs/03_x/x.cu(4): Internal error: assertion failed: x\nnvcc error: 'cicc' died\n",
       4, "labs/03_x/x.cu:4: the compiler crashed on this file"},
  };
  for (const auto& [what, output, line, message] : cases) {
    const BuildResult built = explain_compile_error(output, sources);
    EXPECT_FALSE(built.ok);
    EXPECT_EQ(built.finding.line, line) << what;
    EXPECT_THAT(built.finding.message, HasSubstr(message)) << what;
    EXPECT_THAT(built.finding.hint, HasSubstr("Tell your instructor")) << what;
    for (const char* words : {"ubmit", "http", "file:", "/home"}) {
      EXPECT_THAT(built.finding.message, Not(HasSubstr(words))) << what;
    }
  }
}

TEST(CompileError, SaysWhenMemoryRanOut) {
  const auto built = explain_compile_error("cc1plus: out of memory allocating 65536\n", sources);
  EXPECT_THAT(built.finding.hint, HasSubstr("ran out of memory"));
}

TEST(CompileError, TakesAnyLengthOfLine) {
  const std::string flood(1'000'000, 'x');
  const auto built =
      explain_compile_error("labs/03_x/x.cu:2:1: error: " + flood + "\n" + flood, sources);
  EXPECT_EQ(built.finding.line, 2);
  EXPECT_LT(built.finding.message.size(), 4100u);
}

TEST(LinkError, NamesAMissingContractFunction) {
  const std::vector<ContractFunction> functions = {
      {"matmul", "labs/03_x/x.hpp", "cudaError_t matmul(int n)"},
      {"matmul_2", "labs/03_x/x.hpp", "cudaError_t matmul_2(int n)"}};
  const struct {
    std::string_view output;
    const char* message;
  } cases[] = {
      {"/usr/bin/ld: 03.o: in function `bind':\n03.cpp:5: undefined reference to `matmul_2(int)'\n",
       "matmul_2(...) is missing or has another signature than labs/03_x/x.hpp declares:\n"
       "cudaError_t matmul_2(int n)"},
      {"ld.lld: error: undefined symbol: matmul(int)\n", "matmul(...) is missing"},
      {"labs/03_x/x.cu:7: undefined reference to `my_matmul(int)'\n",
       "labs/03_x/x.cu:7: undefined reference to `my_matmul(int)'"},
  };
  for (const auto& [output, message] : cases) {
    EXPECT_THAT(explain_link_error(output, sources, functions).finding.message, HasSubstr(message));
  }
}

TEST(LinkError, TellsMissingFromDoubled) {
  const auto missing =
      explain_link_error("labs/03_x/x.cu:7: undefined reference to `helper()'\n", sources, {});
  EXPECT_EQ(missing.finding.file, "x.cu");
  EXPECT_EQ(missing.finding.line, 7);
  EXPECT_THAT(missing.finding.hint, HasSubstr("never defined"));
  const auto doubled = explain_link_error("multiple definition of `helper()'\n", sources, {});
  EXPECT_THAT(doubled.finding.hint, HasSubstr("Two definitions"));
}

TEST(FindDeclaration, PutsItOnOneLine) {
  const std::string header =
      "/// uses f(x)\ncudaError_t f(const float* A,\n              int n);\n";
  EXPECT_EQ(find_declaration(header, "f"), "cudaError_t f(const float* A, int n)");
  EXPECT_THAT(find_declaration(header, "g"), IsEmpty());
}

TEST(CutToScreenful, SaysHowMuchIsMissing) {
  EXPECT_EQ(cut_to_screenful(""), "");
  EXPECT_EQ(cut_to_screenful("a\nb\n"), "a\nb");
  std::string lines;
  for (int i = 0; i < 100; ++i) lines += "line\n";
  const std::string cut = cut_to_screenful(lines);
  EXPECT_THAT(cut, HasSubstr("\n... and 70 more lines"));
  EXPECT_EQ(std::count(cut.begin(), cut.end(), '\n'), 30);
}

}  // namespace
namespace {

Quotations quotations() {
  Quotations quotations;
  quotations.add("int a;\n\tzero<<<1, n>>>(D);\n#pragma unroll T\n",
                 "#line 1 \"x.cu\"\nint a;\n\tlaunch(1, n)(D);\n\n");
  return quotations;
}

TEST(Quotations, AreTheStudentsOwn) {
  const struct {
    const char* what;
    std::string_view message, restored;
  } cases[] = {
      {"a rewritten line, its tab expanded",
       "x.cu:2:3: error: no D\n        launch(1, n)(D);\n                     ^\n1 error.\n",
       "x.cu:2:3: error: no D\n\tzero<<<1, n>>>(D);\n1 error.\n"},
      {"a range under it", "launch(1, n)(D);\n  ~~~^\n", "\tzero<<<1, n>>>(D);\n"},
      {"no caret under it", "launch(1, n)(D);\nx.cu:2:3: note: x\n",
       "\tzero<<<1, n>>>(D);\nx.cu:2:3: note: x\n"},
      {"nothing under it", "launch(1, n)(D);", "\tzero<<<1, n>>>(D);\n"},
      {"a line as it was", "int a;\n    ^\n", "int a;\n    ^\n"},
      {"as g++ quotes", "    2 |  zero<<<1, n>>>(D);\n      |    ^\n",
       "    2 |  zero<<<1, n>>>(D);\n      |    ^\n"},
      {"a blank line", "error: a\n\nerror: b\n", "error: a\n\nerror: b\n"},
      {"nothing", "", ""},
  };
  for (const auto& expected : cases) {
    EXPECT_EQ(quotations().restore(expected.message), expected.restored) << expected.what;
  }
}

}  // namespace
}  // namespace tilewise::grading
