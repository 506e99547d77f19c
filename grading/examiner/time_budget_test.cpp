#include "grading/examiner/time_budget.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace tilewise::grading {
namespace {

TEST(TimeBudget, ShrinksForWhatNeverEnds) {
  using enum CallReply::Outcome;
  const struct {
    std::vector<CallReply::Outcome> outcomes;
    double limit_s;
  } cases[] = {{{}, 10},
               {{returned, crashed, exited, flooded, protocol, refused}, 10},
               {{timed_out, returned, crashed}, 10},
               {{timed_out, returned, timed_out}, 2.5},
               {{timed_out, timed_out, timed_out, timed_out}, 2.5}};
  for (const auto& [outcomes, limit_s] : cases) {
    TimeBudget budget;
    for (const CallReply::Outcome outcome : outcomes) budget.note(outcome);
    EXPECT_DOUBLE_EQ(budget.limit_s(10), limit_s) << outcomes.size() << " outcomes";
  }
}

}  // namespace
}  // namespace tilewise::grading
