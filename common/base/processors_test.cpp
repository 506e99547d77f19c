#include "common/base/processors.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <vector>

namespace tilewise::core {
namespace {

struct Case {
  std::size_t size, stretch, stretches;
};

TEST(ByAllProcessors, DoesEachElementOnceInStretches) {
  for (const auto& [size, stretch, stretches] :
       {Case{0, 8, 0}, {1, 8, 1}, {8, 8, 1}, {9, 8, 2}, {1000, 7, 143}}) {
    std::vector<std::atomic<int>> done(size);
    std::atomic<std::size_t> calls = 0;
    by_all_processors(size, stretch, [&](std::size_t first, std::size_t end) {
      ++calls;
      EXPECT_EQ(first % stretch, 0U);
      EXPECT_LE(end - first, stretch);
      for (std::size_t i = first; i < end; ++i) ++done[i];
    });
    EXPECT_EQ(calls, stretches) << size;
    for (const std::atomic<int>& times : done) EXPECT_EQ(times, 1) << size;
  }
}

}  // namespace
}  // namespace tilewise::core
