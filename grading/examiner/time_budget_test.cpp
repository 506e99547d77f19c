#include "grading/examiner/time_budget.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <vector>

namespace tilewise::grading {
namespace {

using testing::HasSubstr;
using enum CallReply::Ending;

TEST(TimeBudget, ShrinksForAFunctionThatNeverEnds) {
  const struct {
    std::vector<CallReply::Ending> endings;
    double share;
  } cases[] = {{{}, 1},
               {{returned, crashed, exited, flooded, protocol, refused}, 1},
               {{timed_out, returned, crashed}, 0.1},
               {{timed_out, timed_out, timed_out, timed_out}, 0.1}};
  for (const auto& [endings, share] : cases) {
    TimeBudget budget;
    for (const CallReply::Ending ending : endings) budget.note("f", "f(n=1)", ending, 0);
    EXPECT_DOUBLE_EQ(budget.share_of("f"), share) << endings.size() << " endings";
    EXPECT_EQ(budget.why_less("f").empty(), share == 1);
    EXPECT_DOUBLE_EQ(budget.share_of("g"), 1) << "another function may be right";
  }
}

TEST(TimeBudget, KnowsWhatOtherTestsHaveTaken) {
  TimeBudget first, second;
  first.note("f", "f(n=7)", timed_out, 58);
  second.set_call_limit(10);
  second.set_before(nlohmann::json::parse(nlohmann::json(first.taken()).dump()).get<TimeTaken>());
  EXPECT_DOUBLE_EQ(second.share_of("f"), 0.1);
  EXPECT_EQ(second.why_less("f"),
            " It had a tenth of the usual time, since f(n=7) has not ended in all of it.");
  EXPECT_FALSE(second.is_used_up());
  second.note("g", "g(n=1)", returned, 3);
  EXPECT_TRUE(second.is_used_up());
  EXPECT_THAT(second.explanation(), HasSubstr("2 calls took 61 s of 60 s, the longest, f(n=7)"));
  EXPECT_EQ(second.taken().calls, 1) << "it tells of its own";
}

TEST(TimeBudget, IsUsedUpByWhatEndsJustInTime) {
  const struct {
    const char* what;
    double call_limit_s, seconds, reference_s;
    int calls;  ///< number of calls after which no more are made
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
      budget.note("f", "f()", returned, seconds);
    }
    EXPECT_TRUE(budget.is_used_up()) << what;
  }
}

TEST(TimeBudget, SaysWhatUsedItUp) {
  TimeBudget budget;
  budget.set_call_limit(10);
  budget.note("loading", "loading", returned, 0.1);
  budget.note("f", "f(n=7)", timed_out, 55);
  budget.note("f", "f(n=8)", returned, 8);
  EXPECT_THAT(budget.explanation(),
              HasSubstr("the time for this stage is used up: 3 calls took 63 s of 60 s, the "
                        "longest, f(n=7), 55.0 s."));
}

}  // namespace
}  // namespace tilewise::grading
