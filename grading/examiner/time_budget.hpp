#pragma once

#include <map>
#include <mutex>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <utility>

#include "grading/examiner/process/worker.hpp"

namespace tilewise::grading {

/// What calls of a submission to a stage have taken. Tests that run side by side take note of it
/// each for itself, and are told of what others took before.
struct TimeTaken {
  int calls = 0;
  double seconds = 0;
  double reference_s = 0;  ///< of calls of the reference solution
  double longest_s = 0;
  std::string longest;  ///< call
  /// Functions that did not end in time, with the first call in which they did not.
  std::map<std::string, std::string> never_ended;

  void add(const TimeTaken& others);
};

void to_json(nlohmann::json& document, const TimeTaken& taken);
void from_json(const nlohmann::json& document, TimeTaken& taken);

/// How long a submission to a stage may take: a call, and all calls together. What never ends would
/// meet the limit of a call in every test; once a function has met it, each further call of it gets
/// a tenth, so that an endless loop does not keep a student waiting. What ends just in time, each
/// time, meets the limit of all. Time in which others have the processors counts for neither.
///
/// On the slowest machine that was tried, two cores, a right kernel takes a hundredth of a call's
/// limit where one is cheap, and all calls of a solution a fifth of what they may (decision 0029).
class TimeBudget {
 public:
  /// The running examiner's, which has one submission to judge.
  static TimeBudget& of_this_exam();

  /// Sets what a call usually may take.
  void set_call_limit(double seconds);

  /// Tells what other tests have taken.
  void set_before(TimeTaken before);

  /// Which part of its limit a call of a function gets.
  double share_of(const std::string& function) const;

  /// Why it is not all of it: "It had a tenth of the usual time, ..."; empty where it is.
  std::string why_less(const std::string& function) const;

  /// Takes note of a call of a function, or of loading.
  void note(const std::string& function, const std::string& call, CallReply::Ending ending,
            double seconds);

  /// Takes note of what a call of the reference solution took on this machine.
  void note_reference(double seconds);

  /// By this examiner's calls.
  TimeTaken taken() const;

  /// Whether no call is to be made any more.
  bool is_used_up() const;

  /// "the time for this stage is used up: 7 calls took 64 s; matmul_shared(n=8, tile=8) 9.9 s".
  std::string explanation() const;

 private:
  TimeTaken all() const;

  mutable std::mutex mutex_;  ///< on a GPU several threads make calls
  double call_limit_s_ = 10;
  TimeTaken before_, taken_;
};

}  // namespace tilewise::grading
