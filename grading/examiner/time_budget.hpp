#pragma once

#include <string>

#include "grading/examiner/process/worker.hpp"

namespace tilewise::grading {

/// How long a submission to a stage may take: a call, and all calls together. What never ends meets
/// the limit of a call in every test; once it has met it, each further call gets less, so that a
/// submission of endless loops does not keep a class waiting. What ends just in time, each time,
/// meets the limit of all. Time in which others have the processors counts for neither.
///
/// On the slowest machine that was tried, two cores, a right kernel takes a hundredth of a call's
/// limit where one is cheap, and all calls of a solution a fifth of what they may (decision 0029).
class TimeBudget {
 public:
  /// Sets what a call usually may take.
  void set_call_limit(double seconds) { call_limit_s_ = seconds; }

  /// What the next one may take.
  double limit_s() const {
    return timed_out_ == 0   ? call_limit_s_
           : timed_out_ == 1 ? call_limit_s_ / 2
                             : call_limit_s_ / 4;
  }

  /// Takes note of a call, or of loading.
  void note(const std::string& what, CallReply::Ending ending, double seconds);

  /// Takes note of what a call of the reference solution took on this machine.
  void note_reference(double seconds) { reference_s_ += seconds; }

  /// Whether no call is to be made any more.
  bool is_used_up() const { return taken_s_ >= total_s(); }

  /// "the time for this stage is used up: 7 calls took 64 s; matmul_shared(n=8, tile=8) 9.9 s".
  std::string explanation() const;

 private:
  /// For all calls: those of the tests and of the reference, which runs where rates are compared.
  double total_s() const;

  double call_limit_s_ = 10;
  int timed_out_ = 0, calls_ = 0;
  double taken_s_ = 0, reference_s_ = 0, longest_s_ = 0;
  std::string longest_;
};

}  // namespace tilewise::grading
