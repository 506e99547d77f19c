#include "grading/builder/source_account.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <functional>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "common/base/language.hpp"
#include "grading/builder/layout.hpp"
#include "grading/builder/source_file.hpp"

#ifdef TILEWISE_HAVE_SIMT
#include "common/simt/rewrite/accesses.hpp"
#endif

namespace tilewise::grading {

#ifdef TILEWISE_HAVE_SIMT

namespace {

using simt::IndexPart;
using simt::SourceAccess;
using simt::SourceCondition;
using Accesses = std::vector<SourceAccess>;

constexpr std::size_t most_told = 3;

/// "row < n on line 29, not (col >= n) on line 30": the nearest of them.
std::string in_list(const std::vector<SourceCondition>& conditions) {
  std::string text;
  const std::size_t first = conditions.size() - std::min(conditions.size(), most_told + 1);
  for (std::size_t i = first; i < conditions.size(); ++i) {
    const SourceCondition& condition = conditions[i];
    if (!text.empty()) text += ", ";
    text += condition.must_not_hold ? tr("not ({}) on line {}", condition.text, condition.line)
                                    : tr("{} on line {}", condition.text, condition.line);
  }
  return text;
}

std::string description(const SourceAccess& access) {
  std::string what = access.text;
  if (!access.declaration.empty()) {
    what = tr("{}, of {} on line {}", access.text, access.declaration, access.declaration_line);
  } else if (!access.origin.empty()) {
    what = tr("{}, where {} begins at {} on line {}", access.text, access.array, access.origin,
              access.origin_line);
  }
  if (access.handed_on) return tr(" Line {} hands on {}.", access.line, what);
  return access.stores ? tr(" Line {} stores to {}.", access.line, what)
                       : tr(" Line {} reads {}.", access.line, what);
}

/// Where the access itself was told before.
std::string way_to_it(const SourceAccess& access) {
  if (!access.conditions.empty()) {
    return tr(" What lets a thread through to it: {}.", in_list(access.conditions));
  }
  const std::string& around = access.lambda.empty() ? access.function : access.lambda;
  return access.in_kernel && access.lambda.empty()
             ? tr(" No condition stands before it: all threads make it.")
             : tr(" No condition stands before it in {}().", around);
}

bool is_test(const SourceCondition& condition) { return !condition.is_of_loop; }

std::vector<IndexPart> untested(const std::vector<IndexPart>& parts) {
  std::vector<IndexPart> found;
  std::ranges::copy_if(parts, std::back_inserter(found),
                       [](const IndexPart& part) { return part.tested == IndexPart::Tested::no; });
  return found;
}

/// What of the index no condition tests, or something else than is used.
std::string doubts(const SourceAccess& access, const std::vector<IndexPart>& parts) {
  std::string text;
  if (access.conditions.empty()) return text;
  const std::vector<IndexPart> none = untested(parts);
  if (none.size() == 1) text += tr(" None of this tests {}.", none[0].text);
  if (none.size() > 1) text += tr(" None of this tests {} or {}.", none[0].text, none[1].text);
  for (const IndexPart& part : parts) {
    if (part.tested != IndexPart::Tested::alike) continue;
    text += tr(" What is tested on line {} is {}, and what is used is {}.", part.compared_line,
               part.compared, part.text);
  }
  return text;
}

/// The parts of an index that may be to blame.
std::vector<IndexPart> blamed(const SourceAccess& access, const Finding& finding) {
  const std::size_t brackets = access.brackets.size();
  std::size_t bracket = static_cast<std::size_t>(std::max(finding.bracket, 0));
  if (access.memory == SourceAccess::Memory::own) {
    const auto of_type = static_cast<std::size_t>(std::ranges::count(finding.array, '['));
    bracket = of_type >= 1 && of_type <= brackets ? brackets - of_type + 1 : 0;
  }
  if (bracket == 0 || brackets < 2) return access.parts;
  if (bracket > access.parts.size()) return {};
  return {access.parts[bracket - 1]};
}

/// Of several accesses to one array those that are written alike are one.
Accesses without_repeats(const Accesses& accesses) {
  Accesses found;
  std::set<std::pair<int, std::string>> told;
  for (const SourceAccess& access : accesses) {
    if (told.emplace(access.line, access.text).second) found.push_back(access);
  }
  return found;
}

/// Whether a tile is counted through as a matrix is, whose rows are longer.
bool has_pitch_of_matrix(const SourceAccess& access) {
  return access.memory == SourceAccess::Memory::shared && !access.pitch.empty() &&
         !access.declaration.ends_with("[]") &&
         access.declaration.find(access.pitch) == std::string::npos;
}

class Account {
 public:
  Account(const Finding& finding, std::string_view source)
      : finding_(finding), source_(source), accesses_(simt::accesses_in(source)) {}

  SourceAccount run() {
    const std::string_view kind = finding_.kind;
    if (finding_.line > 0) {
      if (kind == "out-of-bounds") tell_stray();
      if (kind == "uninitialised") tell_filling();
      if (kind == "race" || kind == "warp-race") tell_race();
      if (kind == "barrier") tell_barrier();
      if (kind.empty()) tell_costly();
      tell_pitch();
      // What is indexed beyond its declared sides is wrong whoever calls it.
      if (finding_.bracket == 0 && finding_.array.find('[') == std::string::npos) tell_callers();
    } else if (kind == "wrong-result") {
      tell_wrong();
    }
    return std::move(account_);
  }

 private:
  /// Those on a line to the array of the finding: by its name or, where the kernel calls a matrix
  /// otherwise, to any that is behind a pointer.
  Accesses on_line(int line) const {
    Accesses named, others;
    const bool is_own = finding_.array.find('[') != std::string::npos;
    for (const SourceAccess& access : accesses_) {
      if (access.line != line) continue;
      const bool may_be = is_own ? access.memory == SourceAccess::Memory::own
                                 : access.memory == SourceAccess::Memory::global ||
                                       access.memory == SourceAccess::Memory::unknown;
      const bool is_named = access.array == finding_.array || access.matrix == finding_.array;
      if (is_named && !finding_.array.empty()) named.push_back(access);
      if (may_be) others.push_back(access);
    }
    return without_repeats(named.empty() ? others : named);
  }

  void tell_stray() {
    const Accesses found = on_line(finding_.line);
    if (found.empty() || found.size() > 2) return;
    for (const SourceAccess& access : found) {
      const std::vector<IndexPart> parts = blamed(access, finding_);
      account_.message += description(access) + way_to_it(access) + doubts(access, parts);
      const bool is_matrix =
          access.memory == SourceAccess::Memory::global || !access.matrix.empty();
      if (is_matrix || !access.origin.empty()) tell_moved(access);
      const std::vector<IndexPart> none = untested(parts);
      if (!is_matrix || found.size() > 1 || !account_.hint.empty()) continue;
      if (access.conditions.empty() && access.in_kernel && access.lambda.empty()) {
        account_.hint =
            tr("Before line {} compare the row and the column that this access uses with the sides "
               "of the matrix: threads that hang over an edge must not make it, or put zero into "
               "the tile in its place.",
               access.line);
      } else if (!none.empty() && std::ranges::any_of(access.conditions, is_test)) {
        account_.hint = tr(
            "Test {0} itself, as line {1} uses it, against its side of the matrix. A thread that "
            "fails must not make this access, or puts zero into the tile in its place.",
            none.front().text, access.line);
      }
    }
  }

  /// `A += Tile * n;`
  void tell_moved(const SourceAccess& access) {
    const auto changes = simt::changes_of(source_, access.function, access.array);
    if (changes.empty()) return;
    account_.message += tr(" {} itself moves on line {}: {}.", access.array, changes.front().line,
                           changes.front().text);
  }

  /// The function whose body holds a line, as far as its accesses tell.
  std::string function_at(int line) const {
    std::string name;
    for (const SourceAccess& access : accesses_) {
      if (access.line <= line || name.empty()) name = access.function;
    }
    return name;
  }

  void tell_filling() {
    Accesses stores, handed_on;
    const std::string function = function_at(finding_.line);
    bool is_shared = false;
    for (const SourceAccess& access : accesses_) {
      if (access.array != finding_.array || access.function != function) continue;
      is_shared |= access.memory == SourceAccess::Memory::shared;
      if (access.stores) stores.push_back(access);
      if (access.handed_on) handed_on.push_back(access);
    }
    stores = without_repeats(stores.empty() ? handed_on : stores);
    if (!is_shared || stores.empty() || stores.size() > most_told) return;
    const SourceCondition* decides = nullptr;
    for (const SourceAccess& store : stores) {
      account_.message +=
          store.conditions.empty()
              ? tr(" {} is filled on line {}: {}, by all threads.", store.array, store.line,
                   store.statement)
              : tr(" {} is filled on line {}: {}, where a thread came through {}.", store.array,
                   store.line, store.statement, in_list(store.conditions));
      for (const SourceCondition& condition : store.conditions) {
        if (is_test(condition)) decides = &condition;
      }
    }
    account_.hint =
        decides != nullptr
            ? tr("Where {} on line {} keeps a thread from the store, its element stays empty, and "
                 "others read it: put zero there, and let no thread return before.",
                 decides->must_not_hold ? tr("not ({})", decides->text) : decides->text,
                 decides->line)
            : tr("Work out which elements the threads of a block fill with these indices: the one "
                 "that is read is not among them, or only filled later.");
  }

  void tell_race() {
    const bool in_one_line = finding_.other_line == finding_.line;
    Accesses first = on_line(in_one_line ? finding_.line : finding_.other_line);
    Accesses second = in_one_line ? Accesses{} : on_line(finding_.line);
    if (finding_.other_file != finding_.file || first.size() > 2 || second.size() > 2) return;
    // Two blocks, or two threads, have the same element: the way there says for which of them.
    const bool is_matrix = std::ranges::any_of(first, [](const SourceAccess& access) {
      return access.memory == SourceAccess::Memory::global;
    });
    for (const Accesses* accesses : {&first, &second}) {
      for (const SourceAccess& access : *accesses) {
        account_.message += description(access);
        if (is_matrix) account_.message += way_to_it(access) + doubts(access, access.parts);
      }
    }
    if (first.size() == 1 && second.size() == 1) tell_buffer(first[0], second[0]);
  }

  /// Of arrays with several buffers: what chooses one, and where that changes.
  void tell_buffer(const SourceAccess& a, const SourceAccess& b) {
    if (a.brackets.size() < 2 || a.function != b.function) return;
    std::set<std::string> told;
    for (const std::string* index : {&a.brackets[0], &b.brackets[0]}) {
      const auto end = std::ranges::find_if_not(*index, is_word);
      const std::string name(index->begin(), end);
      if (name.empty() || std::isdigit(static_cast<unsigned char>(name[0])) != 0) continue;
      for (const auto& change : simt::changes_of(source_, a.function, name)) {
        const std::string text = fmt::format("{}: {}", change.line, change.text);
        if (change.text == "++" + name || !told.insert(text).second) continue;
        account_.message += tr(" {} changes on line {}.", name, text);
      }
    }
  }

  /// Which of two barriers stands in a branch.
  void tell_barrier() {
    const auto tests_before = [&](int line) {
      std::vector<SourceCondition> found;
      for (const char* word : {"__syncthreads", "__syncwarp", "sync"}) {
        if (found.empty()) found = simt::conditions_of(source_, line, word);
      }
      std::erase_if(found, [](const SourceCondition& condition) {
        // What a loop counts, all threads may count alike.
        return condition.is_of_loop;
      });
      return found;
    };
    auto here = tests_before(finding_.line);
    auto there = finding_.other_line > 0 && finding_.other_file == finding_.file
                     ? tests_before(finding_.other_line)
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
    if (told.empty() || (!only_here.empty() && !only_there.empty())) return;
    const int line = is_there ? finding_.other_line : finding_.line;
    account_.line = line;
    account_.message +=
        tr(" To the barrier on line {} come only those that get through {}.", line, in_list(told));
    account_.hint =
        tr("Move the __syncthreads() of line {} out of what line {} decides, so that all threads "
           "come to it: split the condition in two, one before the barrier and one after it.",
           line, told.front().line);
  }

  /// What a line accesses that costs more than it must.
  void tell_costly() {
    Accesses found;
    for (const SourceAccess& access : without_repeats(accesses_)) {
      const bool counts =
          access.line == finding_.line && access.memory != SourceAccess::Memory::own;
      if (counts) found.push_back(access);
    }
    if (found.size() > 2) return;
    for (const SourceAccess& access : found) account_.message += description(access);
  }

  /// `As[ty * n + tx]`, of tiles of the finding's lines and of where they are filled.
  void tell_pitch() {
    const auto is_it = [&](const SourceAccess& access) {
      return has_pitch_of_matrix(access) && access.array == finding_.array;
    };
    const auto access = std::ranges::find_if(accesses_, is_it);
    if (finding_.array.empty() || access == accesses_.end()) return;
    account_.message += tr(
        " The index of {} on line {} counts {} elements for a row, as in the matrix; a row of "
        "the tile is as long as {} on line {} says.",
        access->array, access->line, access->pitch, access->declaration, access->declaration_line);
    account_.hint = tr("Multiply by the width of the tile on line {}, and not by {}.", access->line,
                       access->pitch);
  }

  /// Of functions that the kernel calls, up to three deep, as far as each is called in few places.
  void tell_callers() {
    std::vector<int> lines = {finding_.line};
    if (finding_.other_file == finding_.file && finding_.other_line > 0) {
      lines.push_back(finding_.other_line);
    }
    std::set<std::string> told;
    constexpr std::size_t most_lines = 6;
    for (std::size_t i = 0; i < lines.size() && i < most_lines; ++i) {
      const simt::SourceCaller caller = simt::callers_of_line(source_, lines[i]);
      if (caller.calls.empty() || caller.calls.size() > most_told) continue;
      if (!told.insert(caller.function).second) continue;
      std::string calls;
      for (const simt::QuotedLine& call : caller.calls) {
        calls += tr("{}line {}, {}", calls.empty() ? "" : "; ", call.line, call.text);
        lines.push_back(call.line);
      }
      account_.message +=
          tr(" Line {} stands in {}(), which is called by {}.", lines[i], caller.function, calls);
      for (const simt::QuotedLine& call : caller.calls) tell_handed_on(call.line);
    }
  }

  void tell_handed_on(int line) {
    for (const SourceAccess& access : without_repeats(accesses_)) {
      if (access.line != line || access.array != finding_.array) continue;
      account_.message += description(access);
    }
  }

  /// Where the result is stored that was never written, or an input is read at a wrong place.
  void tell_wrong() {
    const std::string function = finding_.call.substr(0, finding_.call.find('('));
    const std::vector<std::string> kernels = simt::kernels_launched_by(source_, function);
    const bool is_unwritten = finding_.message.find(tr("was never written")) != std::string::npos;
    Accesses found;
    for (const SourceAccess& access : accesses_) {
      if (std::ranges::find(kernels, access.function) == kernels.end()) continue;
      if (access.memory != SourceAccess::Memory::global) continue;
      const bool is_result = is_unwritten && access.stores;
      const bool is_input = !access.stores && access.array == finding_.array;
      if (is_result || is_input) found.push_back(access);
    }
    found = without_repeats(found);
    if (found.empty() || found.size() > most_told) return;
    for (const SourceAccess& access : found) {
      if (access.stores) {
        account_.message += description(access) + way_to_it(access);
      } else {
        account_.message +=
            tr(" {} is read on line {}: {}.", access.array, access.line, access.statement);
      }
    }
    if (!finding_.array.empty()) tell_tiles(found);
  }

  /// `As[ty][tx] = A[...]`, and where As is read.
  void tell_tiles(const Accesses& reads) {
    std::set<std::string> told;
    for (const SourceAccess& read : reads) {
      for (const SourceAccess& store : accesses_) {
        if (!store.stores || store.line != read.line || store.function != read.function) continue;
        if (store.memory != SourceAccess::Memory::shared || !told.insert(store.array).second) {
          continue;
        }
        std::size_t count = 0;
        for (const SourceAccess& use : without_repeats(accesses_)) {
          const bool is_use = use.array == store.array && use.function == store.function &&
                              !use.stores && count < most_told;
          if (!is_use) continue;
          ++count;
          account_.message += tr(" {} is read on line {}: {}.", use.array, use.line, use.statement);
        }
      }
    }
  }

  const Finding& finding_;
  std::string_view source_;
  Accesses accesses_;
  SourceAccount account_;
};

}  // namespace

SourceAccount account_of(const Finding& finding, std::string_view source) {
  return Account(finding, source).run();
}

#else

SourceAccount account_of(const Finding&, std::string_view) { return {}; }

#endif

void add_account(Finding& finding, const StageInfo& stage, const std::filesystem::path& folder) {
  for (const std::string& name : stage.sources) {
    // A wrong result names no file: its function's is the one that holds its kernels.
    if (!finding.file.empty() && finding.file != name) continue;
    const SourceFile file = read_source(folder / name, name, folder.parent_path());
    if (!file.problem.empty()) continue;
    SourceAccount account = account_of(finding, file.text);
    finding.message += account.message;
    if (!account.hint.empty()) finding.hint = account.hint;
    if (account.line > 0) finding.line = account.line;
  }
}

}  // namespace tilewise::grading
