#include "grading/builder/host_lines.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <string>

#include "common/process/command.hpp"
#include "common/process/sandbox.hpp"
#include "grading/builder/layout.hpp"

namespace tilewise::grading {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(HostLines, AreThoseOfConditionalsThatAskForTheArchitecture) {
  EXPECT_THAT(host_lines("#ifndef __CUDA_ARCH__\nf();\n#endif\n").asking, ElementsAre(1, 2, 3));
  EXPECT_THAT(
      host_lines("#if A\nf();\n#if B\n#elif defined(__CUDA_ARCH__)\n#endif\n#endif\n").asking,
      ElementsAre(3, 4, 5));
  EXPECT_THAT(host_lines("#ifdef A\nf(__CUDA_ARCH__);\n#endif\n#endif\n").asking, IsEmpty());
}

TEST(HostLines, AreThoseOfFunctionsForBothSides) {
  EXPECT_THAT(host_lines("__host__ __device__ void f(int)\n{\nif (1) {\n}\n}\n").of_both,
              ElementsAre(2, 3, 4, 5));
  EXPECT_THAT(host_lines("#define BOTH __device__ __host__\nBOTH int f() { }\n").of_both,
              ElementsAre(2));
  EXPECT_THAT(host_lines("__host__ __device__ int f();\n__device__ int g() { }\n"
                         "__host__ int h() { }\n")
                  .of_both,
              IsEmpty());
}

}  // namespace
namespace {

/// Returns the source as the compiler's own preprocessor leaves it.
std::string resolved(const std::string& source) {
  const ScratchDirectory scratch;
  const std::string file = scratch.path() / "source.cpp";
  std::ofstream(file) << with_marks(source, "mark");
  Command command;
  command.arguments = cxx_compiler();
  command.arguments.insert(command.arguments.end(), {"-std=c++17", "-w", "-E", file});
  return without_conditionals(source, "mark", run_command(std::move(command)).output);
}

std::string without_blanks(const std::string& text) {
  std::string kept;
  for (const char c : text) {
    if (c != ' ') kept += c;
  }
  return kept;
}

TEST(Conditionals, AreResolvedAsThePreprocessorDid) {
  const struct {
    const char* source;
    const char* expected;  // without blanks
  } cases[] = {
      {"int a;\n", "inta;\n"},
      {"#if 1\na\n#else\nb\n#endif\n", "\na\n\n\n\n"},
      {"#ifdef __CUDA_ARCH__\na\n#else\nb\n#endif\nc\n", "\n\n\nb\n\nc\n"},
      {"#define X 2\n#if X == 1\na\n#elif X == 2\nb\n#else\nc\n#endif\n",
       "#defineX2\n\n\n\nb\n\n\n\n"},
      {"#if 0\n#if 1\na\n#endif\n#else\n#if 1\nb\n#endif\n#endif\n", "\n\n\n\n\n\nb\n\n\n"},
      {"#if \\\n 0 /* over\n lines */ // and \\\n more\na\n#endif\nb\n", "\n\n\n\n\n\nb\n"},
      {"#if 1\na\n/* \n */ #else\nb\n#endif\n", "\na\n/*\n*/\n\n\n"},
      {"%:ifdef __CUDA_ARCH__\na\n%:else\nb\n%:endif\n", "\n\n\nb\n\n"},
      {"const char* s = R\"(\n#if 0\n)\";\n", "constchar*s=R\"(\n#if0\n)\";\n"},
      {"#if 1\n#include <math.h>\n#endif", "\n#include<math.h>\n"},
      {"#endif\na\n#if 1\nb", "\na\n\nb"},
  };
  for (const auto& [source, expected] : cases) {
    EXPECT_EQ(without_blanks(resolved(source)), expected) << source;
  }
}

}  // namespace
}  // namespace tilewise::grading
