#include "grading/examiner/time_budget.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace tilewise::grading {

void TimeBudget::note(const std::string& what, CallReply::Ending ending, double seconds) {
  if (ending == CallReply::Ending::timed_out) ++timed_out_;
  ++calls_;
  taken_s_ += seconds;
  if (seconds < longest_s_) return;
  longest_s_ = seconds;
  longest_ = what;
}

double TimeBudget::total_s() const {
  // On a slow GPU even the reference's own calls take long, and the submission's may take as much
  // again for each minimum that it misses.
  constexpr double calls_at_the_limit = 6, at_least_s = 20, times_the_reference = 6;
  return std::max(calls_at_the_limit * call_limit_s_, at_least_s) +
         times_the_reference * reference_s_;
}

std::string TimeBudget::explanation() const {
  return fmt::format(
      "the time for this stage is used up: {} calls took {:.0f} s of {:.0f} s, the longest, {}, "
      "{:.1f} s. No further call is made.",
      calls_, taken_s_, total_s(), longest_, longest_s_);
}

}  // namespace tilewise::grading
