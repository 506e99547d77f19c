#include "grading/profile/limiter_advice.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "common/gpu/gpu_profile.hpp"
#include "common/theory/kernel_time.hpp"

namespace tilewise::grading {
namespace {

/// All names that the model has for what limits a kernel.
std::set<std::string> limiters() {
  // What the parts of a time do not name.
  std::set<std::string> names = {"partition camping",      "too few blocks",
                                 "last wave partly empty", "wavefronts of global accesses",
                                 "shared wavefronts",      "warp shuffles"};
  for (const bool double_precision : {false, true}) {
    theory::KernelWork work;
    work.operations = 1;
    work.double_precision = double_precision;
    for (const theory::TimePart& part :
         theory::kernel_time(core::gpu_profile("gtx1080"), work).parts) {
      names.insert(part.name);
    }
  }
  return names;
}

TEST(LimiterAdvice, HasASentenceForEveryLimiter) {
  for (const std::string& limiter : limiters()) {
    EXPECT_TRUE(limiter_advice(limiter).ends_with(".")) << limiter;
  }
}

TEST(LimiterAdvice, HasNoneForWhatIsNoLimiter) { EXPECT_EQ(limiter_advice("bad luck"), ""); }

}  // namespace
}  // namespace tilewise::grading
