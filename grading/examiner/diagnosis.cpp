#include "grading/examiner/diagnosis.hpp"

#include <cstddef>
#include <cstring>
#include <optional>

#include "common/base/language.hpp"
#include "grading/examiner/identity_probe.hpp"
#include "grading/problem/inputs.hpp"

namespace tilewise::grading {
namespace {

// A function that keeps something from call to call is right when it is called for the first time.
std::optional<Diagnosis> find_stale_state(const Observation& seen, const Rerun& rerun) {
  const auto after = rerun(seen.A, seen.B, seen.before);
  if (!after || !compare(*after, seen.expected).all_right()) return std::nullopt;
  return left_over_from_earlier_calls();
}

// A sum that starts from C looks unwritten while C holds NaN: NaN plus anything is NaN.
std::optional<Diagnosis> find_use_of_old_contents(const Observation& seen, const Rerun& rerun) {
  const int n = seen.after.rows;
  const Matrix<float> before = index_coded_matrix(n, n);
  const auto after = rerun(seen.A, seen.B, before);
  if (!after) return std::nullopt;
  if (compare(*after, seen.expected).all_right()) {
    return Diagnosis{
        Pattern::accumulates,
        tr("the result is right only if C holds ordinary numbers beforehand, so the kernel "
           "reads C"),
        tr("C may hold anything, NaN too, when the kernel starts: write it without reading "
           "it.")};
  }
  const auto diagnosis = recognise({.A = seen.A,
                                    .B = seen.B,
                                    .before = before,
                                    .after = *after,
                                    .expected = seen.expected,
                                    .tile = seen.tile,
                                    .part = seen.part});
  if (diagnosis && diagnosis->pattern == Pattern::accumulates) return diagnosis;
  return std::nullopt;
}

bool has_unwritten(const Observation& seen) {
  for (std::size_t i = 0; i < seen.after.values.size(); ++i) {
    if (std::memcmp(&seen.after.values[i], &seen.before.values[i], sizeof(float)) == 0) return true;
  }
  return false;
}

}  // namespace

Diagnosis left_over_from_earlier_calls() {
  return {Pattern::stale,
          tr("the same call is right in a fresh process, so something is left over from "
             "earlier calls with other data or another order"),
          tr("Look for static or global variables, and for memory that is allocated or filled "
             "on the first call only. If there are none, threads may race: check the "
             "barriers.")};
}

std::optional<Diagnosis> diagnose(const Observation& observation, bool first_call,
                                  const Rerun& rerun) {
  if (!first_call) {
    if (auto diagnosis = find_stale_state(observation, rerun)) return diagnosis;
  }
  auto diagnosis = recognise(observation);
  const bool may_be_old_nan =
      has_unwritten(observation) || (diagnosis && diagnosis->pattern == Pattern::not_a_number);
  if (may_be_old_nan) {
    if (auto better = find_use_of_old_contents(observation, rerun)) return better;
  }
  const bool repeats = diagnosis && diagnosis->pattern == Pattern::repeating;
  const bool tells_only_where =
      repeats || (diagnosis && (diagnosis->pattern == Pattern::submatrix ||
                                diagnosis->pattern == Pattern::whole_parts));
  if (!diagnosis || tells_only_where) {
    if (auto better = probe_with_identity(observation, rerun)) {
      if (diagnosis) better->what = diagnosis->what + "; " + better->what;
      // A step of k that was left out would be missing in all columns, and here it is only in some.
      if (repeats && better->pattern == Pattern::term_left_out) better->hint = diagnosis->hint;
      return better;
    }
  }
  return diagnosis;
}

}  // namespace tilewise::grading
