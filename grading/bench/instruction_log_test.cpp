#include "grading/bench/instruction_log.hpp"

#include <gtest/gtest.h>

namespace tilewise::grading {
namespace {

TEST(InstructionLog, HasACountForEachKernel) {
  const char* log =
      "==PROF== Connected to process 4711 (/lab/bin/tilewise-worker-cuda)\n"
      "\"ID\",\"Process ID\",\"Kernel Name\",\"Section Name\",\"Metric Name\",\"Metric Unit\","
      "\"Metric Value\"\n"
      "\"0\",\"4711\",\"void k<16, 4>(const float *, int)\",\"Command line profiler metrics\","
      "\"smsp__inst_executed.sum\",\"inst\",\"1,234,567\"\n"
      "\"1\",\"4711\",\"other(int)\",\"Command line profiler metrics\","
      "\"smsp__cycles.sum\",\"cycle\",\"5\"\n"
      "\"1\",\"4711\",\"other(int)\",\"Command line profiler metrics\","
      "\"smsp__inst_executed.sum\",\"inst\",\"96\"\r\n"
      "==PROF== Disconnected from process 4711\n";
  EXPECT_EQ(instructions_in(log), (std::vector<double>{1234567, 96}));
}

TEST(InstructionLog, HasNoneWhereCountersMayNotBeRead) {
  EXPECT_TRUE(instructions_in("").empty());
  EXPECT_TRUE(instructions_in("==ERROR== ERR_NVGPUCTRPERM - The user does not have permission to "
                              "access NVIDIA GPU Performance Counters\n")
                  .empty());
  EXPECT_TRUE(
      instructions_in("\"Metric Name\",\"Metric Value\"\n\"smsp__inst_executed.sum\"\n").empty())
      << "a line that was cut";
}

}  // namespace
}  // namespace tilewise::grading
