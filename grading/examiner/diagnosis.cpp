#include "grading/examiner/diagnosis.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstring>

#include "grading/examiner/inputs.hpp"

namespace tilewise::grading {
namespace {

// A function that keeps something from call to call is right when it is called for the first time.
std::optional<Diagnosis> find_stale_state(const Observation& seen, const Rerun& rerun) {
  const auto after = rerun(seen.A, seen.B, seen.before);
  if (!after || !compare(*after, seen.expected).all_right()) return std::nullopt;
  return Diagnosis{
      Pattern::stale,
      "the same call is right in a fresh process, so something is left over from "
      "earlier calls with other data or another order",
      "Look for static or global variables, and for memory that is allocated or filled "
      "on the first call only. If there are none, threads may race: check the "
      "barriers."};
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
        "the result is right only if C holds ordinary numbers beforehand, so the kernel "
        "reads C",
        "C may hold anything, NaN too, when the kernel starts: write it without reading "
        "it."};
  }
  const auto diagnosis = recognise({.A = seen.A,
                                    .B = seen.B,
                                    .before = before,
                                    .after = *after,
                                    .expected = seen.expected,
                                    .tile = seen.tile});
  if (diagnosis && diagnosis->pattern == Pattern::accumulates) return diagnosis;
  return std::nullopt;
}

// With one factor the identity and the other index-coded, an element of C says where it came from.
std::optional<Diagnosis> find_misplaced_element(const Observation& seen, const Rerun& rerun) {
  const int n = seen.after.rows;
  const Matrix<float> identity = identity_matrix(n);
  const Matrix<float> code = index_coded_matrix(n, n);
  struct Probe {
    const char* coded;
    const char* other;
    const Matrix<float>& A;
    const Matrix<float>& B;
  };
  for (const Probe& probe : {Probe{"B", "A", identity, code}, Probe{"A", "B", code, identity}}) {
    const auto after = rerun(probe.A, probe.B, seen.before);
    if (!after) continue;
    const Comparison comparison = compare(*after, multiply(probe.A, probe.B));
    if (comparison.all_right()) continue;
    const float found = comparison.found;
    if (!(found >= 1 && found <= code.values.back() && found == std::floor(found))) continue;
    const int place = static_cast<int>(found) - 1;
    return Diagnosis{
        Pattern::misplaced,
        fmt::format("with {0} the identity, C must equal {1}, but C[{2}][{3}] then holds "
                    "{1}[{4}][{5}]",
                    probe.other, probe.coded, comparison.row, comparison.col, place / n, place % n),
        fmt::format("Follow the indices with which {} is read.", probe.coded)};
  }
  return std::nullopt;
}

bool has_unwritten(const Observation& seen) {
  for (std::size_t i = 0; i < seen.after.values.size(); ++i) {
    if (std::memcmp(&seen.after.values[i], &seen.before.values[i], sizeof(float)) == 0) return true;
  }
  return false;
}

}  // namespace

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
  if (!diagnosis || diagnosis->pattern == Pattern::region) {
    if (auto better = find_misplaced_element(observation, rerun)) return better;
  }
  return diagnosis;
}

}  // namespace tilewise::grading
