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
#include "grading/builder/access_words.hpp"
#include "grading/builder/kinds_of_accounts.hpp"
#endif

namespace tilewise::grading {

void SourceAccount::take(const SourceAccount& more) {
  message += more.message;
  if (!more.hint.empty()) hint = more.hint;
  if (more.line > 0) line = more.line;
}

#ifdef TILEWISE_HAVE_SIMT

namespace {

using simt::IndexPart;
using simt::SourceAccess;
using simt::SourceCondition;

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
      if (kind == "race") account_.take(missing_commit(finding_, source_));
      if (kind == "barrier") account_.take(barrier_in_a_branch(finding_, source_));
      if (kind == "launch") account_.take(declared_shared_memory(finding_, source_));
      if (kind == "crash") account_.take(division_by_zero(finding_, source_));
      if (kind == "crash") account_.take(endless_recursion(finding_, source_));
      if (kind.empty()) tell_costly();
      account_.take(pitch_of_tile(finding_, accesses_));
      account_.take(distance_of_rows(finding_, accesses_, source_));
      // An index beyond a declared side is wrong whoever calls the function.
      if (finding_.bracket == 0 && finding_.array.find('[') == std::string::npos) tell_callers();
    } else if (kind == "wrong-result") {
      account_.take(account_of_wrong_result(finding_, accesses_, source_));
      account_.take(distance_of_rows(finding_, accesses_, source_));
    } else if (kind == "launch") {
      account_.take(refused_copy(finding_, source_));
    }
    return std::move(account_);
  }

 private:
  /// Returns the accesses on a line to the array of the finding, found by its name. If the kernel
  /// has another name for the matrix, returns all accesses behind a pointer.
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
      const SourceAccount side = doubt_about_side(access, finding_, found.size() == 1);
      account_.message += description(access) + way_to_it(access);
      if (side.message.empty()) account_.message += doubts(access, parts);
      account_.take(side);
      const bool is_matrix =
          access.memory == SourceAccess::Memory::global || !access.matrix.empty();
      if (!is_matrix && side.message.empty() && parts.size() == 1)
        tell_terms(access, parts.front());
      if (is_matrix) account_.take(doubt_about_bounds(access, finding_));
      const bool is_pointer = is_matrix || !access.origin.empty();
      if (is_pointer && !is_of_pointers(access)) account_.take(moving_pointer(access, source_));
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

  /// Lists the definitions behind an index that is beyond a side of an array, and the launch if
  /// they depend on the thread.
  void tell_terms(const SourceAccess& access, const IndexPart& part) {
    account_.message += in_list(part.made_of);
    const auto is_of_thread = [](std::string_view text) {
      return text.find("threadIdx") != text.npos;
    };
    const bool counts_threads =
        is_of_thread(part.text) ||
        std::ranges::any_of(part.made_of, is_of_thread, &simt::QuotedLine::text);
    if (counts_threads && access.in_kernel) {
      const auto launches = simt::launches_of(source_, function_of(finding_), access.function);
      if (launches.size() == 1) {
        account_.message += tr(" The kernel is launched on line {}: {}.{}", launches[0].launch.line,
                               launches[0].launch.text, in_list(launches[0].made_of));
      }
    }
    if (part.made_of.empty()) return;
    account_.hint =
        tr("Work out {} for this thread, term by term: which of them goes further than it must? It "
           "may be made wrongly, the loop may count too far, or the block may have other sides "
           "than the kernel takes it to have.",
           part.text);
  }

  /// Returns the function whose body holds a line, as far as its accesses tell.
  std::string function_at(int line) const {
    std::string name;
    for (const SourceAccess& access : accesses_) {
      if (access.line <= line || name.empty()) name = access.function;
    }
    return name;
  }

  /// Whether an access may fill the array of the finding: it is in the function that reads the
  /// array or, if that function gets the array as an argument, in the kernels.
  bool may_fill(const SourceAccess& access) const {
    const std::string reader = function_at(finding_.line);
    const auto names_it = [&](const SourceAccess& other) {
      return other.function == reader && other.array == finding_.array;
    };
    if (access.array != finding_.array) return false;
    if (std::ranges::any_of(accesses_, names_it)) return access.function == reader;
    const auto kernels = simt::kernels_launched_by(source_, function_of(finding_));
    const bool is_given_to_reader = access.handed_on && says_word(access.statement, reader);
    return !is_given_to_reader && std::ranges::find(kernels, access.function) != kernels.end();
  }

  void tell_filling() {
    Accesses stores, handed_on;
    bool is_shared = false;
    for (const SourceAccess& access : accesses_) {
      if (!may_fill(access)) continue;
      is_shared |= access.memory == SourceAccess::Memory::shared;
      if (access.stores) stores.push_back(access);
      if (access.handed_on) handed_on.push_back(access);
    }
    stores = without_repeats(stores.empty() ? handed_on : stores);
    if (!is_shared || stores.empty() || stores.size() > most_told) return;
    for (const SourceAccess& store : stores) {
      account_.message +=
          store.conditions.empty()
              ? tr(" {} is filled on line {}: {}, by all threads.", store.array, store.line,
                   store.statement)
              : tr(" {} is filled on line {}: {}, where a thread came through {}.", store.array,
                   store.line, store.statement, in_list(store.conditions));
    }
    account_.hint = advice_on_filling(stores, finding_);
  }

  void tell_race() {
    const bool in_one_line = finding_.other_line == finding_.line;
    Accesses first = on_line(in_one_line ? finding_.line : finding_.other_line);
    Accesses second = in_one_line ? Accesses{} : on_line(finding_.line);
    if (finding_.other_file != finding_.file || first.size() > 2 || second.size() > 2) return;
    // Two blocks, or two threads, access the same element, and the conditions say which of them do.
    const bool is_matrix = std::ranges::any_of(first, [](const SourceAccess& access) {
      return access.memory == SourceAccess::Memory::global;
    });
    for (const Accesses* accesses : {&first, &second}) {
      for (const SourceAccess& access : *accesses) {
        account_.message += description(access);
        if (is_matrix) account_.message += way_to_it(access) + doubts(access, access.parts);
      }
    }
    if (first.size() != 1 || second.size() != 1) return;
    const bool is_first = first[0].line < second[0].line;
    const SourceAccount missing = missing_barrier(
        is_first ? first[0] : second[0], is_first ? second[0] : first[0], finding_, source_);
    account_.take(missing);
    if (!missing.message.empty()) return;
    tell_buffer(first[0], second[0]);
    if (first[0].memory == SourceAccess::Memory::shared &&
        finding_.message.find(tr("an asynchronous copy")) == std::string::npos) {
      account_.take(barrier_of_some_turns(first[0].function, source_));
    }
  }

  /// For arrays with several buffers: names the variable that chooses one, and where it changes.
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

  /// Lists the accesses of a line that costs more than it must.
  void tell_costly() {
    Accesses found;
    for (const SourceAccess& access : without_repeats(accesses_)) {
      const bool counts =
          access.line == finding_.line && access.memory != SourceAccess::Memory::own;
      if (counts) found.push_back(access);
    }
    if (found.size() > 2) return;
    for (const SourceAccess& access : found) {
      account_.message += description(access) + terms_of_places(access);
      tell_pairs_apart(access);
    }
  }

  /// For `As[ty][k][now]`, where the two elements of a pair lie side by side.
  void tell_pairs_apart(const SourceAccess& access) {
    const bool is_of_pairs = access.memory == SourceAccess::Memory::shared &&
                             access.declaration.ends_with("[2]") && access.brackets.size() > 2 &&
                             access.parts.size() == access.brackets.size();
    if (!is_of_pairs) return;
    const IndexPart& last = access.parts.back();
    const auto is_of_thread = [](const std::string& text) {
      return text.find("threadIdx") != text.npos;
    };
    if (is_of_thread(last.text) ||
        std::ranges::any_of(last.made_of, is_of_thread, &simt::QuotedLine::text)) {
      return;
    }
    account_.hint =
        tr("Neighbouring elements of {0} lie two words apart, because its last index, {1}, is the "
           "same for all threads: let that be the first index, {0}[2][...][...], so that a tile "
           "lies in one piece.",
           access.array, last.text);
  }

  /// Lists the calls of functions that the kernel calls, up to three deep, if each is called in few
  /// places.
  void tell_callers() {
    std::vector<int> lines = {finding_.line};
    if (finding_.other_file == finding_.file && finding_.other_line > 0) {
      lines.push_back(finding_.other_line);
    }
    std::set<std::string> told;
    constexpr std::size_t most_lines = 6;
    for (std::size_t i = 0; i < lines.size() && i < most_lines; ++i) {
      simt::SourceCaller caller = simt::callers_of_line(source_, lines[i]);
      keep_those_of_the_call(caller.calls);
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

  /// Keeps the calls that the called host function reaches, if several kernels call the same device
  /// function.
  void keep_those_of_the_call(std::vector<simt::QuotedLine>& calls) const {
    const auto behind = simt::functions_behind(source_, function_of(finding_));
    if (behind.empty()) return;
    std::vector<simt::QuotedLine> kept = calls;
    std::erase_if(kept, [&](const simt::QuotedLine& call) {
      return std::ranges::find(behind, function_at(call.line)) == behind.end();
    });
    if (!kept.empty()) calls = std::move(kept);  // otherwise nothing is known of the callers
  }

  void tell_handed_on(int line) {
    for (const SourceAccess& access : without_repeats(accesses_)) {
      const bool is_it = access.array == finding_.array || access.matrix == finding_.array;
      if (access.line != line || !is_it) continue;
      account_.message += description(access);
      if (finding_.kind.empty()) account_.message += terms_of_places(access);
      if (finding_.kind != "misaligned" || access.made_of.empty()) continue;
      account_.message += in_list(access.made_of);
      account_.hint = tr(
          "Each term of the offset must be a multiple of the elements that are accessed at once, "
          "4 of a float4: look for the one that is not.");
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

namespace {

/// Whether one line writes an element that another one reads, in two blocks of a grid.
bool is_race_of_parts(const Finding& finding) {
  const bool is_of_blocks =
      finding.message.find(tr("and nothing orders two blocks of a grid")) != std::string::npos;
  const bool reads = finding.message.find(" " + tr("reads") + " ") != std::string::npos;
  return finding.kind == "race" && is_of_blocks && reads && finding.line != finding.other_line;
}

}  // namespace

SourceAccount account_of_call(const Finding& finding, std::string_view source,
                              const NamedSource& caller) {
  std::vector<std::string> own = simt::host_functions_in(source);
  const std::string function = function_of(finding);
  if (std::ranges::find(own, function) != own.end()) return {};
  // Leaves out helpers whose name both sources use.
  const std::vector<std::string> callers = simt::host_functions_in(caller.text);
  std::erase_if(own, [&](const std::string& name) {
    return std::ranges::find(callers, name) != callers.end();
  });
  const auto calls = simt::calls_to(caller.text, function, own);
  if (calls.empty() || calls.size() > most_told) return {};
  SourceAccount account;
  for (const simt::QuotedLine& call : calls) {
    account.message +=
        tr(" {}() comes here by line {} of {}: {}.", function, call.line, caller.name, call.text);
  }
  if (finding.kind == "out-of-bounds" || finding.kind == "above-diagonal") {
    account.hint =
        tr("Begin at line {} of {}: compare the numbers of rows and columns that it "
           "hands on with what is left of each matrix from where its part begins, and its leading "
           "dimensions with those of the whole matrices: rows of a part lie as far apart.",
           calls.front().line, caller.name);
  } else if (is_race_of_parts(finding)) {
    account.hint =
        tr("Begin at line {} of {}: what is written there and what is read are parts of one "
           "matrix, and they overlap. Work out for each with which element it begins, by its "
           "leading dimension and not by its columns, and with which it ends.",
           calls.front().line, caller.name);
  }
  return account;
}

#else

SourceAccount account_of(const Finding&, std::string_view) { return {}; }

SourceAccount account_of_call(const Finding&, std::string_view, const NamedSource&) { return {}; }

#endif

void add_account(Finding& finding, const StageInfo& stage, const std::filesystem::path& folder) {
  const auto source_of = [&](const std::string& name) {
    return read_source(folder / name, name, folder.parent_path());
  };
  for (const std::string& name : stage.sources) {
    // A wrong result names no file; its source is the one with the kernels of its function.
    if (!finding.file.empty() && finding.file != name) continue;
    const SourceFile file = source_of(name);
    if (!file.problem.empty()) continue;
    const auto add = [&](const SourceAccount& account) {
      finding.message += account.message;
      if (!account.hint.empty()) finding.hint = account.hint;
      if (account.line > 0) finding.line = account.line;
    };
    add(account_of(finding, file.text));
    for (const std::string& other : stage.sources) {
      if (finding.file.empty() || other == name) continue;
      const SourceFile caller = source_of(other);
      if (caller.problem.empty()) add(account_of_call(finding, file.text, {other, caller.text}));
    }
  }
}

}  // namespace tilewise::grading
