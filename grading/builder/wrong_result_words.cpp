#include <algorithm>
#include <string>
#include <vector>

#include "common/base/language.hpp"
#include "grading/builder/kinds_of_accounts.hpp"

namespace tilewise::grading {

using simt::SourceAccess;
using simt::SourceCondition;

namespace {

/// Whether the finding's message contains the words of this form between one of its gaps and the
/// next.
bool says(const Finding& finding, const char* form, int gap) {
  const std::string words = core::in_language(form);
  std::size_t begin = 0;
  for (int i = 0; i <= gap; ++i) begin = words.find('}', begin) + 1;
  return finding.message.find(words.substr(begin, words.find('{', begin) - begin)) !=
         std::string::npos;
}

bool is_stored_elsewhere(const Finding& finding) {
  return says(finding, marked("row {} of C is what row {} should be"), 0) ||
         says(finding, marked("column {} of C is what column {} should be"), 0) ||
         says(finding,
              marked("C[{}][{}] is what C[{}][{}] should be; {} of the wrong elements are right "
                     "ones of other places"),
              1);
}

/// Says where an element is stored that was never written or stands elsewhere, and where an input
/// is read that is read at a wrong position.
SourceAccount places_in(const Finding& finding, const Accesses& accesses, std::string_view source) {
  SourceAccount account;
  const std::vector<std::string> kernels = simt::kernels_launched_by(source, function_of(finding));
  const bool is_unwritten = finding.message.find(tr("was never written")) != std::string::npos;
  const bool tells_stores = is_unwritten || is_stored_elsewhere(finding);
  Accesses reads, stores;
  for (const SourceAccess& access : accesses) {
    if (std::ranges::find(kernels, access.function) == kernels.end()) continue;
    const bool is_global = access.memory == SourceAccess::Memory::global;
    if (access.stores && tells_stores && (is_global || !access.matrix.empty())) {
      stores.push_back(access);
    }
    if (!access.stores && is_global && access.array == finding.array) reads.push_back(access);
  }
  reads = without_repeats(reads);
  stores = without_repeats(stores);
  if (reads.size() <= most_told) {
    for (const SourceAccess& access : reads) {
      account.message +=
          tr(" {} is read on line {}: {}.", access.array, access.line, access.statement);
      account.message += terms_of_places(access);
    }
  }
  if (stores.size() <= most_told) {
    for (const SourceAccess& access : stores) {
      account.message += is_unwritten ? description(access) + way_to_it(access)
                                      : tr(" {} is stored on line {}: {}.",
                                           access.matrix.empty() ? access.array : access.matrix,
                                           access.line, access.statement);
    }
  }
  const std::string of_edges = core::in_language(marked("only the partial"));
  if (finding.message.find(of_edges) != std::string::npos) {
    account.take(barrier_that_threads_pass(kernels, source));
  }
  const bool tells_reads = !reads.empty() && reads.size() <= most_told;
  if (tells_reads && !finding.array.empty()) account.take(tiles_filled_by(reads, accesses));
  return account;
}

/// For sums that lack their last products: names a test that only whole steps pass.
SourceAccount whole_steps_in(const Finding& finding, const Accesses& accesses,
                             std::string_view source) {
  const std::string form = core::in_language(
      marked("each element is the sum of its first {} products instead of all {}"));
  if (finding.message.find(form.substr(0, form.find('{'))) == std::string::npos) return {};
  const auto behind = simt::functions_behind(source, function_of(finding));
  for (const SourceAccess& access : accesses) {
    if (std::ranges::find(behind, access.function) == behind.end()) continue;
    for (const SourceCondition& condition : access.conditions) {
      const bool is_of_whole = condition.text.find(" + ") != std::string::npos &&
                               condition.text.find(" <= ") != std::string::npos;
      if (!is_of_whole || condition.must_not_hold) continue;
      return {.message = tr(
                  " {} on line {} lets whole steps through alone: what is left of the last one is "
                  "lost, unless something else takes it.",
                  condition.text, condition.line),
              .hint = condition.is_of_loop
                          ? tr("Let the loop of line {} go on while a part of a step is left, and "
                               "put zero in place of what lies beyond.",
                               condition.line)
                          : tr("Test each element for itself on line {}, as k < n does, and put "
                               "zero in place of what lies beyond.",
                               condition.line)};
    }
  }
  return {};
}

/// For results in double that are only as precise as a float: says where a float stands.
SourceAccount floats_in(const Finding& finding, std::string_view source) {
  const std::string words =
      tr("all of them are right to several digits, so the arithmetic is less precise than double");
  if (finding.message.find(words) == std::string::npos) return {};
  SourceAccount account;
  const auto found = simt::single_precision_behind(source, function_of(finding));
  if (found.empty() || found.size() > most_told) return {};
  for (const simt::QuotedLine& each : found) {
    account.message += tr(" A float stands on line {}: {}.", each.line, each.text);
  }
  if (found.size() == 1) account.line = found.front().line;
  return account;
}

}  // namespace

SourceAccount account_of_wrong_result(const Finding& finding, const Accesses& accesses,
                                      std::string_view source) {
  SourceAccount account = places_in(finding, accesses, source);
  account.take(whole_steps_in(finding, accesses, source));
  account.take(floats_in(finding, source));
  return account;
}

}  // namespace tilewise::grading
