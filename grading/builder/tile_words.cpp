#include "grading/builder/tile_words.hpp"

#include <algorithm>
#include <cctype>
#include <set>
#include <string>

#include "common/base/language.hpp"
#include "grading/builder/source_file.hpp"

namespace tilewise::grading {
namespace {

using simt::SourceAccess;

/// The word that a text begins with.
std::string first_word(const std::string& text) {
  return {text.begin(), std::ranges::find_if_not(text, is_word)};
}

/// What a statement gives a value to: "next_a" of "next_a[i] = ...", "a" of "float a = ...".
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

/// Whether a store to a tile has what a read of the matrix brought: `As[ty][tx] = A[...]`, or
/// `next = A[...]` and `As[ty][tx] = next`.
bool brings(const SourceAccess& store, const SourceAccess& read) {
  if (store.function != read.function) return false;
  if (store.line == read.line) return true;
  const std::string to = target_of(read.statement);
  const std::size_t equals = store.statement.find(" = ");
  return !to.empty() && to != read.array && equals != std::string::npos &&
         says_word(store.statement.substr(equals), to);
}

/// `As[k][i] = ...` and `As[i][k]`: an index that each of them has, at another place.
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

}  // namespace tilewise::grading
