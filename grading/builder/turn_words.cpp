#include <algorithm>
#include <vector>

#include "common/base/language.hpp"
#include "grading/builder/kinds_of_accounts.hpp"

namespace tilewise::grading {
namespace {

using simt::SourceAccess;

/// Whether an index is the counter of a loop.
bool counts_by(const SourceAccess& access, const std::string& counter) {
  return !counter.empty() && std::ranges::find(access.brackets, counter) != access.brackets.end();
}

/// Whether the two accesses are to buffers that take turns, `As[1 - now]` and `As[now]`.
bool take_turns(const SourceAccess& a, const SourceAccess& b) {
  return a.brackets.size() > 2 && b.brackets.size() > 2 && a.brackets[0] != b.brackets[0];
}

/// Whether the array has several buffers, or the race is explained otherwise.
bool is_told_otherwise(const SourceAccess& a, const SourceAccess& b, const core::Finding& finding) {
  const auto tells = [&](const std::string& words) {
    return finding.message.find(words) != std::string::npos;
  };
  return a.brackets.size() > 2 || b.brackets.size() > 2 || a.handed_on || b.handed_on ||
         tells(tr("an asynchronous copy")) ||
         tells(tr("one of two buffers, and nobody reads the other one in the meantime"));
}

}  // namespace

SourceAccount missing_barrier(const SourceAccess& earlier, const SourceAccess& later,
                              const core::Finding& finding, std::string_view source) {
  const bool is_of_tile = earlier.memory == SourceAccess::Memory::shared &&
                          later.memory == SourceAccess::Memory::shared;
  const bool is_one_store = earlier.stores != later.stores;
  if (finding.kind != "race" || !is_of_tile || !is_one_store) return {};
  const bool of_two = take_turns(earlier, later);
  if (!of_two && is_told_otherwise(earlier, later, finding)) return {};
  const auto turn = simt::turn_of_lines(source, earlier.line, later.line);
  if (!turn || (turn->between > 0) == (turn->beyond > 0)) return {};
  if (of_two) {
    if (turn->between == 0 || !earlier.stores) return {};
    return {
        tr(" In a turn of the loop of line {}, line {} fills one buffer and line {} reads the "
           "other, with the __syncthreads() on line {} in between. But none stands between line {} and "
           "line {} of the next turn, which fills the buffer that is still read.",
           turn->loop_line, earlier.line, later.line, turn->between, later.line, earlier.line),
        tr("Move the __syncthreads() of line {} behind line {}, to the end of the turn: there it "
           "stands behind the reading of one buffer and behind the filling of the other.",
           turn->between, later.line)};
  }
  const SourceAccess &store = earlier.stores ? earlier : later,
                     &read = earlier.stores ? later : earlier;
  if (turn->between == 0) {
    return {tr(" The __syncthreads() on line {} is in the loop of line {}, but none stands between "
               "line {} and line {}.",
               turn->beyond, turn->loop_line, earlier.line, later.line),
            tr("Put a __syncthreads() between line {} and line {}: all threads must be done with "
               "the one before any of them begins with the other.",
               earlier.line, later.line)};
  }
  if (counts_by(store, turn->counter)) {
    return {tr(" The __syncthreads() on line {} stands between the two in one turn of the loop of "
               "line {}. But each turn stores another part of {}, where {} says, and line {} reads "
               "what later turns are still to store.",
               turn->between, turn->loop_line, store.array, turn->counter, read.line),
            tr("End the loop of line {} before the __syncthreads(), and let line {} stand in a "
               "loop of its own behind it: then all of {} is there.",
               turn->loop_line, read.line, store.array)};
  }
  return {tr(" The __syncthreads() on line {} stands between the two in one turn of the loop of "
             "line {}, but none stands between line {} and line {} of the next turn.",
             turn->between, turn->loop_line, later.line, earlier.line),
          tr("Put a second __syncthreads() behind line {}, at the end of the loop of line {}: a "
             "thread that is ahead must not begin the next turn while others are still in this "
             "one.",
             later.line, turn->loop_line)};
}

SourceAccount missing_commit(const core::Finding& finding, std::string_view source) {
  const bool is_of_copy = finding.message.find(tr("an asynchronous copy")) != std::string::npos;
  if (!is_of_copy || finding.other_line == 0 || finding.other_file != finding.file) return {};
  const auto found = simt::uncommitted_copy(source, finding.other_line);
  if (!found) return {};
  return {tr(" Between the copies of line {} and the next wait, on line {}, nothing closes a group "
             "around them.",
             found->copy_line, found->wait_line),
          tr("Commit behind line {}, as by cp_async_commit(): a wait counts groups, and what is in "
             "none of them it does not wait for.",
             found->copy_line)};
}

SourceAccount moving_pointer(const SourceAccess& access, std::string_view source) {
  const auto changes = simt::changes_of(source, access.function, access.array);
  if (changes.empty()) return {};
  SourceAccount account{tr(" {} itself moves on line {}: {}.", access.array, changes.front().line,
                           changes.front().text),
                        {}};
  const auto carried = simt::carried_over(source, access.function, access.array);
  if (!carried) return account;
  account.message += tr(
      " The loop of line {} comes back to it and does not set {} anew, so that each of its turns "
      "goes on where the loop of line {} left off.",
      carried->outer_line, access.array, carried->inner_line);
  account.hint = tr(
      "Make {0} within the loop of line {1}, before the one of line {2}, or leave it where it is "
      "and index it by what the loop of line {2} counts.",
      access.array, carried->outer_line, carried->inner_line);
  return account;
}

}  // namespace tilewise::grading
