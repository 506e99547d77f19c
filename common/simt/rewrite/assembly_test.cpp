#include <gtest/gtest.h>

#include <string>

#include "common/simt/rewrite/rewrite.hpp"

namespace tilewise::simt {
namespace {

// In the expected text, @ stands for the functions' namespace.
std::string with_namespace(std::string text) {
  for (auto at = text.find('@'); at != text.npos; at = text.find('@')) {
    text.replace(at, 1, "::tilewise::simt::ptx_instructions::");
  }
  return text;
}

TEST(Assembly, OfKnownInstructionsTurnsIntoFunctions) {
  const struct {
    const char* what;
    const char* ptx;
    const char* expected;
  } cases[] = {
      {"a special register", R"(asm("mov.u32 %0, %%laneid;" : "=r"(lane));)",
       "((void)((lane) = @read_laneid()));"},
      {"a special register with one percent sign", R"(asm("mov.u64 %0, %globaltimer;" : "=l"(t));)",
       "((void)((t) = @read_globaltimer()));"},
      {"volatile, with an input", R"(asm volatile("bfind.u32 %0, %1;" : "=r"(r) : "r"(x + 1));)",
       "((void)((r) = @bfind((x + 1))));"},
      {"a text in parts, on lines",
       "asm(\"vabsdiff4.u32.u32.u32.add\"\n\" %0, %1, %2, %3;\"\n: \"=r\"(d)\n: \"r\"(a), "
       "\"r\"(b), "
       "\"r\"(c));",
       "((void)((d) = @vabsdiff4_add((a), (b), (c))))\n\n\n;"},
      {"a number", R"(asm("lop3.b32 %0, %1, %2, %3, 0x96;" : "=r"(d) : "r"(a), "r"(b), "r"(c));)",
       "((void)((d) = @lop3((a), (b), (c), 0x96)));"},
      {"two instructions", R"(asm("add.u32 %0, %1, 1;\n\tadd.u32 %0, %0, 2;" : "=r"(d) : "r"(a));)",
       "((void)((d) = @add((a), 1)), (void)((d) = @add((d), 2)));"},
      {"a fence", R"(asm volatile("membar.gl;" ::: "memory");)", "((void)(@__threadfence()));"},
      {"a barrier", R"(__asm__ volatile("bar.sync 0;");)", "((void)(__syncthreads()));"},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.what);
    const auto result = rewrite(std::string("__device__ void f() { ") + c.ptx + " }");
    const std::string expected = "__device__ void f() { " + with_namespace(c.expected) + " }";
    const auto condense = [](std::string text) {
      std::erase(text, ' ');
      return text;
    };
    EXPECT_EQ(condense(result.text), condense(expected));
    EXPECT_TRUE(result.errors.empty());
  }
}

TEST(Assembly, OfOtherInstructionsIsLeftAsItIs) {
  for (const char* text :
       {R"(asm("rdtsc" : "=a"(low), "=d"(high));)", R"(asm volatile("");)",
        R"(asm("{ .reg .u32 t; mov.u32 t, %1; mov.u32 %0, t; }" : "=r"(d) : "r"(a));)",
        R"(asm("mov.u32 %0, %%smid;" : "=r"(d));)", R"(asm volatile("bar.sync 1, 64;");)",
        R"(asm("bfind.u32 %0;" : "=r"(d) : "r"(a));)",
        R"(asm("bfind.u32 %0, %2;" : "=r"(d) : "r"(a));)",
        R"(asm("@p add.u32 %0, %1, 1;" : "=r"(d) : "r"(a));)",
        R"(asm("mov.u32 %[to], %%laneid;" : [to] "=r"(d));)",
        R"(extern "C" int f() __asm__("strnlen");)"}) {
    const std::string source = std::string("__device__ void f() { ") + text + " }";
    EXPECT_EQ(rewrite(source).text, source);
  }
}

}  // namespace
}  // namespace tilewise::simt
