#pragma once

#include "grading/examiner/process/worker.hpp"

namespace tilewise::grading {

/// How long a call of a submission may take. What never ends meets that limit in every test; once
/// it has met it twice, each further call gets a quarter of it, so that a submission of endless
/// loops does not keep a class waiting. A right kernel takes a hundredth.
class TimeBudget {
 public:
  double limit_s(double usual_s) const { return timed_out_ < enough ? usual_s : usual_s / 4; }

  void note(CallReply::Outcome outcome) {
    if (outcome == CallReply::Outcome::timed_out) ++timed_out_;
  }

 private:
  static constexpr int enough = 2;
  int timed_out_ = 0;
};

}  // namespace tilewise::grading
