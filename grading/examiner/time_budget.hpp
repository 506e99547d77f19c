#pragma once

#include <map>
#include <mutex>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <utility>

#include "grading/examiner/process/worker.hpp"

namespace tilewise::grading {

/// How much time the calls of a submission to a stage have taken. Tests that run side by side each
/// record this for themselves, and are told what other tests have taken before.
struct TimeTaken {
  int calls = 0;
  double seconds = 0;
  double reference_s = 0;  ///< for calls of the reference solution
  double longest_s = 0;
  std::string longest;  ///< the call that took longest
  /// Functions that did not end in time, with the first call that did not end.
  std::map<std::string, std::string> never_ended;

  void add(const TimeTaken& others);
};

void to_json(nlohmann::json& document, const TimeTaken& taken);
void from_json(const nlohmann::json& document, TimeTaken& taken);

/// Limits how long a submission to a stage may take, for one call and for all calls together. A
/// function that never ends would reach the limit of a call in every test. Once a function has
/// reached it, each further call of it gets a tenth, so that an endless loop does not keep a
/// student waiting. Calls that all end just in time reach the limit of all calls. Time in which
/// other processes have the processors counts for neither.
///
/// On the slowest machine that was tried, with two cores, a right kernel takes a hundredth of a
/// call's limit where a call is cheap, and all calls of a solution take a fifth of their limit
/// (decision 0029).
class TimeBudget {
 public:
  /// Returns the budget of the running examiner, which judges one submission.
  static TimeBudget& of_this_exam();

  /// Sets how long a call usually may take.
  void set_call_limit(double seconds);

  /// Sets what other tests have taken.
  void set_before(TimeTaken before);

  /// Returns the fraction of its limit that a call of a function gets.
  double share_of(const std::string& function) const;

  /// Says why that is not all of it: "It had a tenth of the usual time, ..."; empty where it is.
  std::string why_less(const std::string& function) const;

  /// Takes note of a call of a function, or of loading.
  void note(const std::string& function, const std::string& call, CallReply::Ending ending,
            double seconds);

  /// Takes note of what a call of the reference solution took on this machine.
  void note_reference(double seconds);

  /// Returns what this examiner's calls have taken.
  TimeTaken taken() const;

  /// Whether the time is used up, so that no further call may be made.
  bool is_used_up() const;

  /// Explains that it is: "the time for this stage is used up: 7 calls took 64 s of 60 s, the
  /// longest, matmul_shared(n=8, tile=8), 9.9 s. No further call is made."
  std::string explanation() const;

 private:
  TimeTaken all() const;

  mutable std::mutex mutex_;  ///< on a GPU several threads make calls
  double call_limit_s_ = 10;
  TimeTaken before_, taken_;
};

}  // namespace tilewise::grading
