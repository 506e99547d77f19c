#include "grading/examiner/time_budget.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "common/base/language.hpp"

namespace tilewise::grading {
namespace {

// A right kernel then still has ten times as long as it takes.
constexpr double share_after_an_endless_call = 0.1;

/// Returns how long all calls of the submission may take. Calls of the reference, which are made
/// where rates are compared, extend that.
double total_s(double call_limit_s, double reference_s) {
  // On a slow GPU even the reference's own calls take long, and the submission's calls may take as
  // long again for each minimum that it misses.
  constexpr double calls_at_the_limit = 6, at_least_s = 20, times_the_reference = 6;
  return std::max(calls_at_the_limit * call_limit_s, at_least_s) +
         times_the_reference * reference_s;
}

}  // namespace

void to_json(nlohmann::json& document, const TimeTaken& taken) {
  document = {{"calls", taken.calls},
              {"seconds", taken.seconds},
              {"reference_s", taken.reference_s},
              {"longest_s", taken.longest_s},
              {"longest", taken.longest},
              {"never_ended", taken.never_ended}};
}

void from_json(const nlohmann::json& document, TimeTaken& taken) {
  document.at("calls").get_to(taken.calls);
  document.at("seconds").get_to(taken.seconds);
  document.at("reference_s").get_to(taken.reference_s);
  document.at("longest_s").get_to(taken.longest_s);
  document.at("longest").get_to(taken.longest);
  document.at("never_ended").get_to(taken.never_ended);
}

void TimeTaken::add(const TimeTaken& others) {
  calls += others.calls;
  seconds += others.seconds;
  reference_s += others.reference_s;
  if (others.longest_s > longest_s) {
    longest_s = others.longest_s;
    longest = others.longest;
  }
  never_ended.insert(others.never_ended.begin(), others.never_ended.end());
}

TimeBudget& TimeBudget::of_this_exam() {
  static TimeBudget budget;
  return budget;
}

void TimeBudget::set_call_limit(double seconds) {
  const std::scoped_lock lock(mutex_);
  call_limit_s_ = seconds;
}

void TimeBudget::set_before(TimeTaken before) {
  const std::scoped_lock lock(mutex_);
  before_ = std::move(before);
}

TimeTaken TimeBudget::taken() const {
  const std::scoped_lock lock(mutex_);
  return taken_;
}

void TimeBudget::note_reference(double seconds) {
  const std::scoped_lock lock(mutex_);
  taken_.reference_s += seconds;
}

TimeTaken TimeBudget::all() const {
  TimeTaken all = before_;
  all.add(taken_);
  return all;
}

double TimeBudget::share_of(const std::string& function) const {
  const std::scoped_lock lock(mutex_);
  return all().never_ended.contains(function) ? share_after_an_endless_call : 1;
}

std::string TimeBudget::why_less(const std::string& function) const {
  const std::scoped_lock lock(mutex_);
  const TimeTaken taken = all();
  const auto endless = taken.never_ended.find(function);
  if (endless == taken.never_ended.end()) return "";
  return tr(" It had a tenth of the usual time, since {} has not ended in all of it.",
            endless->second);
}

void TimeBudget::note(const std::string& function, const std::string& call,
                      CallReply::Ending ending, double seconds) {
  const std::scoped_lock lock(mutex_);
  if (ending == CallReply::Ending::timed_out) taken_.never_ended.emplace(function, call);
  taken_.add({.calls = 1,
              .seconds = seconds,
              .reference_s = 0,
              .longest_s = seconds,
              .longest = call,
              .never_ended = {}});
}

bool TimeBudget::is_used_up() const {
  const std::scoped_lock lock(mutex_);
  const TimeTaken taken = all();
  return taken.seconds >= total_s(call_limit_s_, taken.reference_s);
}

std::string TimeBudget::explanation() const {
  const std::scoped_lock lock(mutex_);
  const TimeTaken taken = all();
  return tr(
      "the time for this stage is used up: {} calls took {:.0f} s of {:.0f} s, the longest, {}, "
      "{:.1f} s. No further call is made.",
      taken.calls, taken.seconds, total_s(call_limit_s_, taken.reference_s), taken.longest,
      taken.longest_s);
}

}  // namespace tilewise::grading
