#include "grading/examiner/rates.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tilewise::grading {
namespace {

using testing::HasSubstr;

TEST(RateOf, TakesTheMedianAndTheSpread) {
  const Rate rate = rate_of({2, 1, 4}, 6e9);
  EXPECT_DOUBLE_EQ(rate.value, 3000);
  EXPECT_DOUBLE_EQ(rate.spread, 4);
}

TEST(Shortfall, TellsTooSlowFromImpossibleAndUntrusted) {
  const RateGoal goal{.unit = "GB/s",
                      .at = "8 x 9",
                      .peak = 1000,
                      .of = "memory bandwidth",
                      .fraction = 0.25,
                      .ceiling = 2000,
                      .advice_if_beyond = "do it all",
                      .advice = "do it better"};
  const struct {
    const char* what;
    Rate rate;
    Status status;
    const char* message;
    const char* hint;
  } cases[] = {
      {"enough", {.value = 250, .spread = 9}, Status::passed, "", ""},
      {"above the peak, below the ceiling", {.value = 1900}, Status::passed, "", ""},
      {"beyond the ceiling",
       {.value = 2100},
       Status::failed,
       "2100 GB/s at 8 x 9 are more than this device can do (2000)",
       "do it all"},
      {"too slow",
       {.value = 200, .spread = 1.4},
       Status::failed,
       "200 GB/s at 8 x 9, minimum 250 (25.0% of this device's memory bandwidth).",
       "do it better"},
      {"too slow, but disturbed",
       {.value = 200, .spread = 1.6},
       Status::inconclusive,
       "below the minimum of 250, but the slowest run took 1.6 times as long",
       "nothing else uses the GPU"},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.what);
    const auto finding = shortfall(c.rate, goal);
    ASSERT_EQ(finding.has_value(), c.status != Status::passed);
    if (!finding) continue;
    EXPECT_EQ(finding->status, c.status);
    EXPECT_THAT(finding->message, HasSubstr(c.message));
    EXPECT_THAT(finding->hint, HasSubstr(c.hint));
  }
}

}  // namespace
}  // namespace tilewise::grading
