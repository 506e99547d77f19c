#include <algorithm>
#include <cctype>
#include <set>
#include <string>

#include "common/base/language.hpp"
#include "grading/builder/kinds_of_accounts.hpp"
#include "grading/builder/source_file.hpp"

namespace tilewise::grading {
namespace {

using simt::SourceAccess;
using simt::SourceCondition;

/// Returns the word that a text begins with.
std::string first_word(const std::string& text) {
  return {text.begin(), std::ranges::find_if_not(text, is_word)};
}

/// Returns the variable that a statement assigns to: "next_a" for "next_a[i] = ...", "a" for "float
/// a = ...".
std::string target_of(const std::string& statement) {
  std::string to = statement.substr(0, std::min(statement.find(" = "), statement.size()));
  if (to.size() == statement.size()) return "";
  to.resize(std::min(to.find('['), to.size()));
  const std::size_t blank = to.rfind(' ');
  return first_word(blank == std::string::npos ? to : to.substr(blank + 1));
}

bool is_name(const std::string& text) {
  return !text.empty() && std::isdigit(static_cast<unsigned char>(text[0])) == 0 &&
         first_word(text) == text;
}

/// Whether a store to a tile stores the element that a read of the matrix brought:
/// `As[ty][tx] = A[...]`, or `next = A[...]` and `As[ty][tx] = next`.
bool brings(const SourceAccess& store, const SourceAccess& read) {
  if (store.function != read.function) return false;
  if (store.line == read.line) return true;
  const std::string to = target_of(read.statement);
  const std::size_t equals = store.statement.find(" = ");
  return !to.empty() && to != read.array && equals != std::string::npos &&
         says_word(store.statement.substr(equals), to);
}

/// Explains `As[k][i] = ...` and `As[i][k]`, which have the same index in different positions.
SourceAccount exchanged(const SourceAccess& store, const SourceAccess& use) {
  for (std::size_t i = 0; i < store.brackets.size(); ++i) {
    const std::string& index = store.brackets[i];
    if (!is_name(index) || std::ranges::count(store.brackets, index) != 1) continue;
    const auto place = std::ranges::find(use.brackets, index);
    if (place == use.brackets.end() || i >= use.brackets.size() || use.brackets[i] == index) {
      continue;
    }
    return {tr(" {} is index {} of {} where that is filled, on line {}, and index {} where it is "
               "read, on line {}.",
               index, i + 1, store.array, store.line, place - use.brackets.begin() + 1, use.line),
            tr("Fill and read {} with the same index for its rows, and with the same for its "
               "columns: change one of {} on line {} and {} on line {}.",
               store.array, store.text, store.line, use.text, use.line)};
  }
  return {};
}

}  // namespace

SourceAccount tiles_filled_by(const Accesses& reads, const Accesses& accesses) {
  SourceAccount account;
  std::set<std::string> told;
  for (const SourceAccess& read : reads) {
    for (const SourceAccess& store : accesses) {
      const bool is_filled = store.stores && store.memory == SourceAccess::Memory::shared;
      if (!is_filled || !brings(store, read) || !told.insert(store.array).second) continue;
      if (store.line != read.line) {
        account.message +=
            tr(" {} is filled on line {}: {}.", store.array, store.line, store.statement);
      }
      std::size_t count = 0;
      for (const SourceAccess& use : without_repeats(accesses)) {
        const bool is_use = use.array == store.array && use.function == store.function &&
                            !use.stores && count < most_told;
        if (!is_use) continue;
        ++count;
        account.message += tr(" {} is read on line {}: {}.", use.array, use.line, use.statement);
        const SourceAccount more = exchanged(store, use);
        account.message += more.message;
        if (!more.hint.empty()) account.hint = more.hint;
      }
    }
  }
  return account;
}

namespace {

/// Whether one of these stores is made in the case in which the condition keeps a thread from
/// another.
bool is_made_otherwise(const Accesses& stores, const SourceCondition& condition) {
  return std::ranges::any_of(stores, [&](const SourceAccess& store) {
    return std::ranges::any_of(store.conditions, [&](const SourceCondition& other) {
      return other.line == condition.line && other.must_not_hold != condition.must_not_hold;
    });
  });
}

/// Whether a condition uses a variable of the index by which each thread stores elsewhere.
bool differs_by_thread(const SourceCondition& condition, const SourceAccess& store) {
  for (std::size_t at = 0; at < condition.text.size();) {
    const std::string word = first_word(condition.text.substr(at));
    const bool is_of_index = std::ranges::any_of(
        store.brackets, [&](const std::string& index) { return says_word(index, word); });
    if (!word.empty() && std::isdigit(static_cast<unsigned char>(word[0])) == 0 &&
        word != condition.counter && is_of_index) {
      return true;
    }
    at += std::max<std::size_t>(word.size(), 1);
  }
  return false;
}

}  // namespace

std::string advice_on_filling(const Accesses& stores, const core::Finding& finding) {
  const SourceCondition* decides = nullptr;
  bool has_both_ways = false;
  for (const SourceAccess& store : stores) {
    for (const SourceCondition& condition : store.conditions) {
      if (!is_test(condition)) continue;
      const bool is_answered = is_made_otherwise(stores, condition);
      if (!is_answered) decides = &condition;
      has_both_ways |= is_answered;
    }
  }
  const std::vector<SourceCondition>& conditions = stores.front().conditions;
  const auto loop = std::ranges::find_if(conditions, [&](const SourceCondition& condition) {
    return condition.is_of_loop && differs_by_thread(condition, stores.front());
  });
  const bool is_of_a_warp = !stores.front().distance.empty();  // as load_matrix_sync() has
  const bool is_one_each =
      finding.message.find(tr(": as many as the block has threads")) != std::string::npos;
  if (decides == nullptr) {
    if (is_one_each && stores.size() == 1) {
      return tr(
          "Each thread has stored one element on line {0}, and {1} has more: let each store "
          "several, by a loop around line {0} that goes on by the number of threads.",
          stores.front().line, stores.front().array);
    }
    if (has_both_ways && loop != conditions.end()) {
      return tr(
          "A thread that comes there stores in either case. What keeps one away is {} on "
          "line {}, which has to hold for all threads of the block alike.",
          loop->text, loop->line);
    }
    return tr(
        "Work out which elements the threads of a block fill with these indices: the one "
        "that is read is not among them, or only filled later.");
  }
  const std::string condition =
      decides->must_not_hold ? tr("not ({})", decides->text) : decides->text;
  return is_of_a_warp
             ? tr("All lanes of a warp make this call together, each for its part of the "
                  "elements: {} on line {} has to hold for all of them, or for none.",
                  condition, decides->line)
             : tr("Where {} on line {} keeps a thread from the store, its element stays empty, "
                  "and others read it: put zero there, and let no thread return before.",
                  condition, decides->line);
}

}  // namespace tilewise::grading
