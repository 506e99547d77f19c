#include "grading/examiner/gpu_disturbances.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tilewise::grading {
namespace {

using ::testing::ElementsAreArray;

TEST(GpuDisturbances, AreReadFromWhatNvidiaSmiPrints) {
  const struct {
    const char* throttle_reasons;
    const char* applications;
    std::size_t own;
    std::vector<std::string> found;
  } cases[] = {
      {"", "", 2, {}},
      {"0x0000000000000001\n", "", 2, {}},            // idle
      {"0x0000000000000004\n", "100\n200\n", 2, {}},  // power limit, own processes
      {"[N/A]\n", "No running processes found\n", 0, {}},
      {"0x0000000000000000\n", "100\n200\n300\n", 2, {"1 other process uses the GPU"}},
      {"0x0\n", "1\n2\n3\n4\n", 2, {"2 other processes use the GPU"}},
      {"0x0000000000000068\n",
       "",
       2,
       {"the hardware has slowed its clock down", "it is too hot to run at full speed"}},
      {"0x0000000000000080\n",
       "1\n2\n",
       1,
       {"its power supply has slowed its clock down", "1 other process uses the GPU"}},
  };
  for (const auto& c : cases) {
    EXPECT_THAT(disturbances_in(c.throttle_reasons, c.applications, c.own),
                ElementsAreArray(c.found))
        << c.throttle_reasons << c.applications;
  }
}

}  // namespace
}  // namespace tilewise::grading
