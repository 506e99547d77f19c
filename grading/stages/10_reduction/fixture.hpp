#pragma once

#include <string>

#include "common/base/language.hpp"
#include "grading/examiner/messages.hpp"
#include "grading/examiner/rates.hpp"
#include "grading/examiner/stage_fixture.hpp"

namespace tilewise::grading {

/// Base of the graders of sums and of rows.
template <class Case>
class ReductionTest : public CaseTest<Case> {
 protected:
  /// Expects a minimum rate relative to the reference solution on the same device. A timing that
  /// cannot be trusted is inconclusive rather than too slow. `at` is the shape, for messages.
  void expect_fast_enough(const Case& described, const std::string& name, const std::string& at,
                          const std::string& advice) {
    const auto peak = peak_bandwidth_gb_s(this->device());
    RateGoal goal;
    goal.unit = "GB/s";
    goal.at = at;
    goal.minimum = this->minimum_speed();
    goal.peak = peak;
    goal.of = marked("memory bandwidth");
    // Writes may still be in the L2 cache when the kernel ends, but reads come from memory.
    if (peak) goal.ceiling = 2 * *peak;
    goal.advice_if_beyond = tr("Load every element in every call.");
    goal.advice = advice;
    this->try_fast_enough([&] { return this->prepare(described); }, name, goal);
  }
};

}  // namespace tilewise::grading
