#include <algorithm>
#include <vector>

#include "common/base/language.hpp"
#include "grading/builder/access_words.hpp"
#include "grading/builder/kinds_of_accounts.hpp"

namespace tilewise::grading {

using simt::SourceCondition;

SourceAccount barrier_in_a_branch(const core::Finding& finding, std::string_view source) {
  const auto tests_before = [&](int line) {
    std::vector<SourceCondition> found;
    for (const char* word : {"__syncthreads", "__syncwarp", "sync"}) {
      if (found.empty()) found = simt::conditions_of(source, line, word);
    }
    std::erase_if(found, [](const SourceCondition& condition) {
      // All threads may count through a loop alike.
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
  if (!only_here.empty() && !only_there.empty()) {
    const SourceCondition &one = only_here.front(), &other = only_there.front();
    if (one.line != other.line || one.must_not_hold == other.must_not_hold) return {};
    const SourceCondition& whole = one.must_not_hold ? one : other;  // with all its operands
    return {
        tr(" {} on line {} sends the threads of a block two ways, and each way has a barrier of "
           "its own.",
           whole.text, whole.line),
        tr("Let all threads of the block come to one and the same __syncthreads(): put the "
           "barriers outside of what line {} decides, and leave the rest of either way there.",
           one.line)};
  }
  const bool is_there = only_here.empty() && !only_there.empty();
  const auto& told = is_there ? only_there : only_here;
  if (told.empty()) return {};
  const int line = is_there ? finding.other_line : finding.line;
  return {
      tr(" To the barrier on line {} come only those that get through {}.", line, in_list(told)),
      tr("Move the __syncthreads() of line {} out of what line {} decides, so that all threads "
         "come to it: split the condition in two, one before the barrier and one after it.",
         line, told.front().line),
      line};
}

SourceAccount barrier_that_threads_pass(const std::vector<std::string>& kernels,
                                        std::string_view source) {
  for (const simt::DecidedBarrier& barrier : simt::decided_barriers(source, kernels)) {
    if (!barrier.is_of_thread) continue;
    return {
        tr(" Only threads that get through {} come to {} on line {}, and there the threads of a "
           "block wait for each other: the others bring their elements of a tile too early, or "
           "have "
           "ended and bring none.",
           in_list(barrier.tests), barrier.call, barrier.line),
        tr("Let all threads of the block come to line {}: what decides on it belongs around the "
           "store to C, and a thread beyond the edge puts zero into the tile.",
           barrier.line),
        barrier.line};
  }
  return {};
}

SourceAccount barrier_of_some_turns(const std::string& kernel, std::string_view source) {
  auto barriers = simt::decided_barriers(source, {kernel});
  std::erase_if(barriers, [](const simt::DecidedBarrier& each) { return !each.is_in_loop; });
  if (barriers.size() != 1 || barriers.front().is_of_thread) return {};
  const simt::DecidedBarrier& barrier = barriers.front();
  return {
      tr(" To {} on line {} the threads come only where {}.", barrier.call, barrier.line,
         in_list(barrier.tests)),
      tr("Follow a turn in which line {} is not come to, such as the last: nothing orders its "
         "threads. Put the __syncthreads() before what decides on it, so that each turn has one.",
         barrier.line)};
}

}  // namespace tilewise::grading
