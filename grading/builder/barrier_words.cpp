#include "grading/builder/barrier_words.hpp"

#include <algorithm>
#include <vector>

#include "common/base/language.hpp"
#include "grading/builder/access_words.hpp"

namespace tilewise::grading {

using simt::SourceCondition;

SourceAccount barrier_in_a_branch(const core::Finding& finding, std::string_view source) {
  const auto tests_before = [&](int line) {
    std::vector<SourceCondition> found;
    for (const char* word : {"__syncthreads", "__syncwarp", "sync"}) {
      if (found.empty()) found = simt::conditions_of(source, line, word);
    }
    std::erase_if(found, [](const SourceCondition& condition) {
      // What a loop counts, all threads may count alike.
      return condition.is_of_loop;
    });
    return found;
  };
  auto here = tests_before(finding.line);
  auto there = finding.other_line > 0 && finding.other_file == finding.file
                   ? tests_before(finding.other_line)
                   : std::vector<SourceCondition>();
  const auto is_same = [](const SourceCondition& a, const SourceCondition& b) {
    return a.line == b.line && a.text == b.text && a.must_not_hold == b.must_not_hold;
  };
  const auto without = [&](std::vector<SourceCondition> from,
                           const std::vector<SourceCondition>& others) {
    std::erase_if(from, [&](const SourceCondition& condition) {
      return std::ranges::any_of(
          others, [&](const SourceCondition& other) { return is_same(condition, other); });
    });
    return from;
  };
  const auto only_here = without(here, there), only_there = without(there, here);
  const bool is_there = only_here.empty() && !only_there.empty();
  const auto& told = is_there ? only_there : only_here;
  if (told.empty() || (!only_here.empty() && !only_there.empty())) return {};
  const int line = is_there ? finding.other_line : finding.line;
  return {
      tr(" To the barrier on line {} come only those that get through {}.", line, in_list(told)),
      tr("Move the __syncthreads() of line {} out of what line {} decides, so that all threads "
         "come to it: split the condition in two, one before the barrier and one after it.",
         line, told.front().line),
      line};
}

}  // namespace tilewise::grading
