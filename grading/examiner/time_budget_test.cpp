#include "grading/examiner/time_budget.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

namespace tilewise::grading {
namespace {

using testing::HasSubstr;
using enum CallReply::Ending;

TEST(TimeBudget, ShrinksForWhatNeverEnds) {
  const struct {
    std::vector<CallReply::Ending> endings;
    double limit_s;
  } cases[] = {{{}, 10},
               {{returned, crashed, exited, flooded, protocol, refused}, 10},
               {{timed_out, returned, crashed}, 5},
               {{timed_out, returned, timed_out}, 2.5},
               {{timed_out, timed_out, timed_out, timed_out}, 2.5}};
  for (const auto& [endings, limit_s] : cases) {
    TimeBudget budget;
    budget.set_call_limit(10);
    for (const CallReply::Ending ending : endings) budget.note("f()", ending, 0);
    EXPECT_DOUBLE_EQ(budget.limit_s(), limit_s) << endings.size() << " endings";
  }
}

TEST(TimeBudget, IsUsedUpByWhatEndsJustInTime) {
  const struct {
    const char* what;
    double call_limit_s, seconds, reference_s;
    int calls;  ///< after which no more are made
  } cases[] = {
      {"a call just below its limit", 10, 9.9, 0, 7},
      {"many that take a while", 10, 0.5, 0, 120},
      {"a short limit", 0.5, 0.35, 0, 58},
      {"a slow machine, by the reference", 10, 9.9, 10, 13},
  };
  for (const auto& [what, call_limit_s, seconds, reference_s, calls] : cases) {
    TimeBudget budget;
    budget.set_call_limit(call_limit_s);
    budget.note_reference(reference_s);
    for (int call = 0; call < calls; ++call) {
      EXPECT_FALSE(budget.is_used_up()) << what << ", " << call;
      budget.note("f()", returned, seconds);
    }
    EXPECT_TRUE(budget.is_used_up()) << what;
  }
}

TEST(TimeBudget, SaysWhatUsedItUp) {
  TimeBudget budget;
  budget.set_call_limit(10);
  budget.note("loading", returned, 0.1);
  budget.note("f(n=7)", timed_out, 55);
  budget.note("f(n=8)", returned, 8);
  EXPECT_THAT(budget.explanation(),
              HasSubstr("the time for this stage is used up: 3 calls took 63 s of 60 s, the "
                        "longest, f(n=7), 55.0 s."));
}

}  // namespace
}  // namespace tilewise::grading
