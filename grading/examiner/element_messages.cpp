#include "grading/examiner/element_messages.hpp"

#include <fmt/format.h>

#include "grading/examiner/device_array.hpp"
#include "grading/examiner/messages.hpp"

namespace tilewise::grading {

std::string describe_wrong(double found, bool unwritten) {
  return unwritten ? "was never written" : "is " + describe_value(found);
}

Finding wrong_element(const std::string& call, const std::string& matrix,
                      const Comparison& comparison, const std::string& found,
                      const std::string& expected, const std::optional<Diagnosis>& diagnosis,
                      const std::string& advice) {
  Finding finding;
  finding.message = fmt::format("{}: {}[{}][{}] {}, expected {}. {}", call, matrix, comparison.row,
                                comparison.col, found, expected, count_wrong(comparison));
  if (diagnosis) finding.message += ": " + diagnosis->what;
  finding.message += ".";
  finding.hint = diagnosis && !diagnosis->hint.empty() ? diagnosis->hint : advice;
  finding.call = call;
  finding.matrix = matrix;
  finding.row = comparison.row;
  finding.col = comparison.col;
  return finding;
}

Finding wrong_double(const std::string& call, const std::string& matrix,
                     const Comparison& comparison, const std::optional<Diagnosis>& diagnosis,
                     const std::string& advice) {
  // What is computed from the NaN of an unwritten element may keep its bits.
  const bool was_read = diagnosis && diagnosis->pattern == Pattern::accumulates;
  const bool unwritten = has_bits(comparison.found, unwritten_bits_double) && !was_read;
  return wrong_element(call, matrix, comparison, describe_wrong(comparison.found, unwritten),
                       fmt::format("{} (allowed error {:.2g})", describe_value(comparison.expected),
                                   comparison.tolerance),
                       diagnosis, advice);
}

}  // namespace tilewise::grading
