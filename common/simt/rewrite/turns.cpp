// Analyses what happens between one iteration of a loop and the next.
#include <algorithm>
#include <iterator>
#include <set>
#include <string>

#include "common/simt/rewrite/accesses.hpp"
#include "common/simt/rewrite/conditions.hpp"
#include "common/simt/rewrite/functions.hpp"
#include "common/simt/rewrite/index_parts.hpp"
#include "common/simt/rewrite/tokenizer.hpp"
#include "common/simt/rewrite/variables.hpp"
#include "common/simt/rewrite/written_loops.hpp"

namespace tilewise::simt {
namespace {

using rewriting::Condition;
using rewriting::Outline;
using rewriting::SourceText;
using rewriting::Token;
using rewriting::words_of;
using rewriting::WrittenFunction;
using rewriting::WrittenLoop;

/// Returns the first token of a line in a function's body.
std::optional<std::size_t> token_on(const Outline& outline, const WrittenFunction& function,
                                    int line) {
  for (std::size_t i = function.body + 1; i < function.end; ++i) {
    if (outline.code()[i].line == line) return i;
  }
  return std::nullopt;
}

using FunctionNames = std::set<std::string, std::less<>>;

/// Returns the device functions that are not kernels, and the lambdas, that hold a token of this
/// kind.
template <class Is>
FunctionNames holders_of(const SourceText& text, Is is_one) {
  FunctionNames names;
  for (const WrittenFunction& function : text.functions) {
    for (std::size_t i = function.body; i < function.end; ++i) {
      if (!is_one(i)) continue;
      const auto lambda = rewriting::lambda_around(text.outline, i, function.body);
      if (lambda) names.emplace(text.outline.code()[lambda->name].text);
      if (!lambda && !function.is_kernel) names.insert(function.name);
    }
  }
  return names;
}

/// Returns the names of the calls in which all threads of a block wait: `__syncthreads`, `sync` of
/// a group, and functions and lambdas that hold one of them.
FunctionNames waiting_names(const SourceText& text) {
  const std::vector<Token>& code = text.outline.code();
  FunctionNames names = holders_of(text, [&](std::size_t i) {
    return code[i].is("__syncthreads") || (code[i].is("sync") && code[i - 1].is("."));
  });
  names.insert({"__syncthreads", "sync"});
  return names;
}

/// Whether a word commits copies, in any of CUDA's interfaces: `cp_async_commit`,
/// `producer_commit`.
bool is_commit(const Token& token) {
  return token.is_name() && token.text.find("commit") != std::string_view::npos;
}

/// Whether a token of the loop depends on a condition within that loop.
bool is_in_branch(const Outline& outline, std::size_t index, std::size_t body,
                  const WrittenLoop& loop) {
  const auto conditions = rewriting::conditions_before(outline, index, body);
  return std::ranges::any_of(conditions, [&](const Condition& condition) {
    return condition.kind == Condition::Kind::test && condition.words.first > loop.body.first;
  });
}

}  // namespace

std::optional<SharedTurn> turn_of_lines(std::string_view source, int first, int second) {
  const SourceText text(source);
  const Outline& outline = text.outline;
  const std::vector<Token>& code = outline.code();
  for (const WrittenFunction& function : text.functions) {
    if (!function.is_of_device) continue;
    const auto a = token_on(outline, function, first), b = token_on(outline, function, second);
    if (!a || !b) continue;
    const bool in_lambda = rewriting::lambda_around(outline, *a, function.body) ||
                           rewriting::lambda_around(outline, *b, function.body);
    if (in_lambda || *a >= *b) return std::nullopt;
    const auto around_a = rewriting::loops_around(outline, *a, function.body);
    const auto around_b = rewriting::loops_around(outline, *b, function.body);
    const auto is_around_b = [&](const WrittenLoop& loop) {
      return std::ranges::find(around_b, loop.word, &WrittenLoop::word) != around_b.end();
    };
    const auto loop = std::find_if(around_a.rbegin(), around_a.rend(), is_around_b);
    if (loop == around_a.rend()) return std::nullopt;
    SharedTurn turn{code[loop->word].line};
    if (const auto counter = rewriting::counter_of(outline, *loop)) {
      turn.counter = code[*counter].text;
    }
    const auto waits = waiting_names(text);
    for (std::size_t i = loop->body.first; i < loop->body.end; ++i) {
      const bool is_call = code[i].is_name() && code[i + 1].is("(");
      if (!is_call || !waits.contains(code[i].text)) continue;
      if (rewriting::lambda_around(outline, i, function.body)) continue;
      if (is_in_branch(outline, i, function.body, *loop)) return std::nullopt;
      (*a < i && i < *b ? turn.between : turn.beyond) = code[i].line;
    }
    return turn;
  }
  return std::nullopt;
}

namespace {

/// Returns `threadIdx` and the variables of a function that are computed from it.
FunctionNames names_of_threads(const Outline& outline, const WrittenFunction& function) {
  const std::vector<Token>& code = outline.code();
  FunctionNames names = {"threadIdx"};
  for (std::size_t i = function.body + 1; i + 1 < function.end; ++i) {
    if (!code[i].is_name() || !code[i + 1].is("=")) continue;
    std::size_t end = i + 2;
    while (end < function.end && !code[end].is(";") && !code[end].is(",")) {
      end = outline.behind(end);
    }
    for (std::size_t k = i + 2; k < end; ++k) {
      if (names.contains(code[k].text)) names.emplace(code[i].text);
    }
  }
  return names;
}

}  // namespace

std::vector<DecidedBarrier> decided_barriers(std::string_view source,
                                             const std::vector<std::string>& kernels) {
  const SourceText text(source);
  const Outline& outline = text.outline;
  const std::vector<Token>& code = outline.code();
  FunctionNames waits =
      holders_of(text, [&](std::size_t i) { return code[i].is("__syncthreads"); });
  waits.insert("__syncthreads");
  std::vector<DecidedBarrier> found;
  for (const WrittenFunction& function : text.functions) {
    if (std::ranges::find(kernels, function.name) == kernels.end()) continue;
    const FunctionNames of_threads = names_of_threads(outline, function);
    for (std::size_t i = function.body + 1; i + 1 < function.end; ++i) {
      if (!code[i + 1].is("(") || !waits.contains(code[i].text)) continue;
      const auto conditions = rewriting::conditions_before(outline, i, function.body);
      DecidedBarrier barrier{
          .kernel = function.name,
          .line = code[i].line,
          .call = words_of(code, {i, outline.behind(i + 1)}),
          .tests = {},
          .is_of_thread = false,
          .is_in_loop = !rewriting::loops_around(outline, i, function.body).empty() ||
                        rewriting::lambda_around(outline, i, function.body)};
      for (const Condition& condition : conditions) {
        if (condition.kind != Condition::Kind::test) continue;
        barrier.tests.push_back(rewriting::in_words(code, {condition}).front());
        for (std::size_t k = condition.words.first; k < condition.words.end; ++k) {
          barrier.is_of_thread |= of_threads.contains(code[k].text);
        }
      }
      if (!barrier.tests.empty()) found.push_back(std::move(barrier));
    }
  }
  return found;
}

std::optional<CarriedPointer> carried_over(std::string_view source, std::string_view name,
                                           std::string_view variable) {
  const SourceText text(source);
  const Outline& outline = text.outline;
  const std::vector<Token>& code = outline.code();
  for (const WrittenFunction& function : text.functions) {
    if (function.name != name) continue;
    std::size_t made = function.body;
    for (std::size_t i = function.body + 1; i + 1 < function.end; ++i) {
      if (code[i].text != variable) continue;
      if (code[i + 1].is("=") && !code[i + 2].is("=")) {
        made = i;
        continue;
      }
      if (!rewriting::is_changed_at(outline, i)) continue;
      auto loops = rewriting::loops_around(outline, i, function.body);
      std::erase_if(loops, [&](const WrittenLoop& loop) {
        return loop.body.first <= made && made < loop.body.end;
      });
      if (loops.size() < 2) continue;
      return CarriedPointer{made == function.body ? 0 : code[made].line,
                            code[loops.front().word].line, code[loops.back().word].line};
    }
  }
  return std::nullopt;
}

namespace {

/// Returns the first call among these tokens that commits copies or waits for them.
/// @param commits functions and lambdas that commit copies
std::optional<std::size_t> next_of_groups(const std::vector<Token>& code,
                                          const FunctionNames& commits, std::size_t from,
                                          std::size_t to) {
  for (std::size_t i = from; i + 1 < to; ++i) {
    if (!code[i].is_name() || (!code[i + 1].is("(") && !code[i + 1].is("<"))) continue;
    const auto says = [&](std::string_view word) {
      return code[i].text.find(word) != std::string_view::npos;
    };
    const bool waits = says("wait") && (says("async") || says("pipeline") || says("consumer"));
    if (waits || is_commit(code[i]) || commits.contains(code[i].text)) return i;
  }
  return std::nullopt;
}

}  // namespace

std::optional<UncommittedCopy> uncommitted_copy(std::string_view source, int line) {
  const SourceText text(source);
  const Outline& outline = text.outline;
  const std::vector<Token>& code = outline.code();
  const FunctionNames commits = holders_of(text, [&](std::size_t i) { return is_commit(code[i]); });
  std::vector<int> lines = {line};
  for (const QuotedLine& call : callers_of_line(source, line).calls) lines.push_back(call.line);
  for (const int copy_line : lines) {
    for (const WrittenFunction& function : text.functions) {
      const auto copy =
          function.is_of_device ? token_on(outline, function, copy_line) : std::nullopt;
      if (!copy) continue;
      const auto lambda = rewriting::lambda_around(outline, *copy, function.body);
      auto next = next_of_groups(code, commits, *copy, lambda ? lambda->end : function.end);
      const auto loops = rewriting::loops_around(outline, *copy, function.body);
      if (!next && !loops.empty())
        next = next_of_groups(code, commits, loops.back().body.first, *copy);
      if (!next || is_commit(code[*next]) || commits.contains(code[*next].text)) continue;
      return UncommittedCopy{copy_line, code[*next].line};
    }
  }
  return std::nullopt;
}

}  // namespace tilewise::simt
