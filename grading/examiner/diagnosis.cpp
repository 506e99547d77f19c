#include "grading/examiner/diagnosis.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "common/base/language.hpp"
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

// A result with one factor the identity and the other index-coded.
struct Probe {
  const char* identity;  // name of the one
  const char* coded;     // name of the other
  int k;                 // the product that gives the wrong element
  int row, col;          // the wrong element
  float found;
  float expected;
};

std::optional<Diagnosis> interpret(const Probe& probe, const Matrix<float>& code) {
  const std::string so_far = tr("with {} the identity, C must equal {}, but C[{}][{}] ",
                                probe.identity, probe.coded, probe.row, probe.col);
  if (probe.found == 0) {
    return Diagnosis{Pattern::term_left_out,
                     so_far + tr("is then 0: the product with k = {} is left out", probe.k),
                     tr("Follow k through the loops: which step is to bring this one in?")};
  }
  const float repeats = probe.found / probe.expected;
  if (repeats >= 2 && repeats == std::floor(repeats)) {
    return Diagnosis{Pattern::term_repeated,
                     so_far + tr("is then {} times that: the product with k = {} is added "
                                 "more than once",
                                 repeats, probe.k),
                     tr("Follow k through the loops: which steps bring this one in?")};
  }
  const auto place = std::ranges::find(code.values, probe.found);
  if (place == code.values.end()) return std::nullopt;
  const auto index = place - code.values.begin();
  return Diagnosis{
      Pattern::misplaced,
      so_far + tr("then holds {}[{}][{}]", probe.coded, index / code.cols, index % code.cols),
      tr("Follow the indices with which {} is read and, if these are right, those of {}.",
         probe.coded, probe.identity)};
}

std::optional<Diagnosis> probe_with_identity(const Observation& seen, const Rerun& rerun) {
  const int n = seen.after.rows;
  const Matrix<float> identity = identity_matrix(n);
  const Matrix<float> code = index_coded_matrix(n, n);
  for (const bool code_in_B : {true, false}) {
    const Matrix<float>& A = code_in_B ? identity : code;
    const Matrix<float>& B = code_in_B ? code : identity;
    const auto after = rerun(A, B, seen.before);
    if (!after) continue;
    const Comparison comparison = compare(*after, multiply(A, B));
    if (comparison.all_right()) continue;
    const auto diagnosis = interpret({.identity = code_in_B ? "A" : "B",
                                      .coded = code_in_B ? "B" : "A",
                                      .k = code_in_B ? comparison.row : comparison.col,
                                      .row = comparison.row,
                                      .col = comparison.col,
                                      .found = static_cast<float>(comparison.found),
                                      .expected = static_cast<float>(comparison.expected)},
                                     code);
    if (diagnosis) return diagnosis;
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
  const bool tells_only_where = diagnosis && (diagnosis->pattern == Pattern::submatrix ||
                                              diagnosis->pattern == Pattern::whole_parts);
  if (!diagnosis || tells_only_where) {
    if (auto better = probe_with_identity(observation, rerun)) {
      if (diagnosis) better->what = diagnosis->what + "; " + better->what;
      return better;
    }
  }
  return diagnosis;
}

}  // namespace tilewise::grading
