#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string>
#include <vector>

#include "common/base/language.hpp"
#include "common/simt/rewrite/functions.hpp"
#include "grading/builder/kinds_of_accounts.hpp"

namespace tilewise::grading {
namespace {

using simt::rewriting::SourceText;
using simt::rewriting::Token;

std::string text_between(const SourceText& source, std::string_view text, std::size_t first,
                         std::size_t end) {
  const std::vector<Token>& code = source.outline.code();
  std::string words(text.substr(code[first].begin, code[end - 1].end() - code[first].begin));
  std::ranges::replace(words, '\n', ' ');
  return words;
}

/// The token behind the divisor that begins at a token: a name with its members, subscripts and
/// arguments, or parentheses. The token itself if a number stands there.
std::size_t behind_divisor(const SourceText& source, std::size_t first) {
  const std::vector<Token>& code = source.outline.code();
  if (code[first].is("(")) return source.outline.behind(first);
  if (!code[first].is_name()) return first;
  std::size_t end = first + 1;
  while (end + 1 < code.size()) {
    if (code[end].is(".") || code[end].is("::") || code[end].is("->")) {
      end += 2;
    } else if (code[end].is("[") || code[end].is("(")) {
      end = source.outline.behind(end);
    } else {
      break;
    }
  }
  return end;
}

std::vector<std::string> divisors_on(const SourceText& source, std::string_view text, int line) {
  const std::vector<Token>& code = source.outline.code();
  std::vector<std::string> divisors;
  for (std::size_t i = 0; i + 2 < code.size(); ++i) {
    if (code[i].line != line || !(code[i].is("/") || code[i].is("%"))) continue;
    const std::size_t first = code[i + 1].is("=") ? i + 2 : i + 1;
    const std::size_t end = behind_divisor(source, first);
    // A block and a grid that run have no side of 0.
    if (end == first || code[first].is("blockDim") || code[first].is("gridDim")) continue;
    const std::string divisor = text_between(source, text, first, end);
    if (std::ranges::find(divisors, divisor) == divisors.end()) divisors.push_back(divisor);
  }
  return divisors;
}

/// Returns " Above, resident = min(a, b) on line 12.": the last assignment to a name above a line,
/// in the function that has the line; empty if there is none.
std::string last_assignment(const SourceText& source, std::string_view text,
                            const std::string& name, int line) {
  const std::vector<Token>& code = source.outline.code();
  const auto function = std::ranges::find_if(source.functions, [&](const auto& each) {
    return code[each.body].line <= line && line <= code[each.end].line;
  });
  if (function == source.functions.end()) return "";
  for (std::size_t i = function->end; i-- > function->body;) {
    const bool is_member = code[i - 1].is(".") || code[i - 1].is("->");
    const bool assigns = code[i].is(name) && code[i + 1].is("=") && !is_member;
    if (!assigns || code[i].line >= line) continue;
    std::size_t end = i + 2;
    while (end < code.size() && !code[end].is(";") && !code[end].is(",")) {
      end = source.outline.behind(end);
    }
    return tr(" Above, {} on line {}.", text_between(source, text, i, end), code[i].line);
  }
  return "";
}

/// Whether a function calls itself on a line.
bool calls_itself(const SourceText& source, const simt::rewriting::WrittenFunction& function,
                  int line) {
  const std::vector<Token>& code = source.outline.code();
  for (std::size_t i = function.body; i < function.end; ++i) {
    if (code[i].line == line && code[i].is(function.name) && code[i + 1].is("(")) return true;
  }
  return false;
}

}  // namespace

SourceAccount endless_recursion(const core::Finding& finding, std::string_view source) {
  const std::string overflow =
      tr("The stack overflowed: is there a recursion without end, or a huge local array?");
  const bool is_it = finding.kind == "crash" && finding.message.find(overflow) != std::string::npos;
  if (!is_it) return {};
  const SourceText text(source);
  const std::vector<Token>& code = text.outline.code();
  SourceAccount account;
  for (const auto& function : text.functions) {
    if (!calls_itself(text, function, finding.line)) continue;
    for (std::size_t i = function.body; i < function.end; ++i) {
      if (code[i].line >= finding.line) break;
      if (!code[i].is("if") || !code[i + 1].is("(")) continue;
      const std::size_t close = text.outline.behind(i + 1) - 1;
      const std::size_t first = close + (code[close + 1].is("{") ? 2 : 1);
      if (!code[first].is("return")) continue;
      account.message += tr(" What ends {} is {} on line {}.", function.name,
                            text_between(text, source, i + 2, close), code[i].line);
    }
    if (account.message.empty()) continue;
    account.message =
        tr(" {}() calls itself on line {}.", function.name, finding.line) + account.message;
    account.hint = tr(
        "Compare the sizes that line {} hands on with those that {}() was given: where none gets "
        "smaller, as for the smallest size that is still divided, the recursion must end.",
        finding.line, function.name);
  }
  return account;
}

SourceAccount division_by_zero(const core::Finding& finding, std::string_view source) {
  if (finding.kind != "crash" || finding.message.find("SIGFPE") == std::string::npos) return {};
  const SourceText text(source);
  int line = finding.line;
  std::vector<std::string> divisors = divisors_on(text, source, line);
  // Optimised code may name the line before, from which the divisor comes.
  if (divisors.empty()) divisors = divisors_on(text, source, ++line);
  if (divisors.empty()) return {};
  SourceAccount account;
  if (divisors.size() == 1) {
    account.message = tr(" Line {} divides by {}, which is 0 here.", line, divisors[0]);
  } else {
    account.message = tr(" Line {} divides by {}, one of which is 0 here.", line,
                         fmt::join(divisors, tr(" and ")));
  }
  for (const std::string& each : divisors) {
    account.message += last_assignment(text, source, each, line);
  }
  account.hint = tr(
      "Work out for these arguments how {} comes to 0, and have nobody come to line {} where that "
      "may be so. A quotient may be rounded down where it should be rounded up.",
      divisors.size() == 1 ? divisors[0] : tr("one of them"), line);
  return account;
}

}  // namespace tilewise::grading
