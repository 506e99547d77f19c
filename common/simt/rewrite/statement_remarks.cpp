#include "common/simt/rewrite/statement_remarks.hpp"

#include <algorithm>
#include <array>
#include <string>

#include "common/base/language.hpp"

namespace tilewise::simt {
namespace {

using rewriting::Outline;
using rewriting::Scope;
using rewriting::Token;

std::size_t column_of(const Token& token, std::string_view source) {
  const std::size_t line = source.rfind('\n', token.begin);
  return line == source.npos ? token.begin : token.begin - line - 1;
}

/// `for (...);` and behind it what looks like its body: a block, or a line that is indented more.
void look_for_lone_semicolon(const Outline& outline, std::size_t word, std::string_view source,
                             std::vector<Remark>& remarks) {
  const std::vector<Token>& code = outline.code();
  if (!code[word + 1].is("(")) return;
  const auto close = outline.partner(word + 1);
  if (!close || *close + 2 >= code.size() || !code[*close + 1].is(";")) return;
  const Token& next = code[*close + 2];
  const bool is_indented = next.line > code[*close + 1].line && !next.is("}") &&
                           column_of(next, source) > column_of(code[word], source);
  if (!next.is("{") && !is_indented) return;
  if (code[word].is("while") && word > 0 && code[word - 1].is("}")) return;  // of a do
  const std::string name(code[word].text);
  remarks.push_back(
      {Remark::Kind::statement, code[*close + 1].line,
       name == "if" ? tr("the ; behind if (...) is all that it decides on: what looks like its "
                         "body is not part of it, and is done once, whatever the condition")
                    : tr("the ; behind {} (...) is all that it repeats: what looks like its "
                         "body is not part of it, and is done once, after it",
                         name),
       tr("Take the ; out that follows the parentheses of the {}.", name)});
}

/// `for (unsigned k = n - 1; k >= 0; --k)`
void look_for_endless_countdown(const Outline& outline, std::size_t word,
                                std::vector<Remark>& remarks) {
  static constexpr auto without_sign = std::to_array<std::string_view>(
      {"unsigned", "size_t", "uint32_t", "uint64_t", "uint16_t", "uint8_t"});
  const std::vector<Token>& code = outline.code();
  const auto close = code[word + 1].is("(") ? outline.partner(word + 1) : std::nullopt;
  if (!close) return;
  std::size_t name = word + 2;
  bool is_unsigned = false;
  for (; name < *close && !code[name].is("=") && !code[name].is(";"); ++name) {
    is_unsigned |= std::ranges::find(without_sign, code[name].text) != without_sign.end();
  }
  if (!is_unsigned || name >= *close || !code[name].is("=")) return;
  const Token& counter = code[name - 1];
  while (name < *close && !code[name].is(";")) ++name;
  // `>=` may be one token or two.
  if (name + 4 >= *close || code[name + 1].text != counter.text) return;
  const bool joined = code[name + 2].is(">=");
  const bool parted = code[name + 2].is(">") && code[name + 3].is("=");
  const std::size_t bound = name + (joined ? 3 : 4);
  if ((!joined && !parted) || !code[bound].is("0") || !code[bound + 1].is(";")) return;
  remarks.push_back({Remark::Kind::statement, counter.line,
                     tr("{0} has no sign and so is never below 0: the loop goes on for ever while "
                        "{0} >= 0",
                        counter.text),
                     tr("Declare {} as an int.", counter.text)});
}

/// Whether the statement that ends with this token leaves its case.
bool leaves(const Outline& outline, std::size_t end) {
  static constexpr auto ways_out = std::to_array<std::string_view>(
      {"break", "return", "continue", "goto", "throw", "fallthrough", "exit", "abort"});
  const std::vector<Token>& code = outline.code();
  if (code[end].is("}")) {
    // All of a block's last statement; of an if, nobody knows.
    const auto open = outline.partner(end);
    return !open || *open + 1 >= end || code[*open - 1].is(")") || code[*open - 1].is("else") ||
           leaves(outline, end - 1);
  }
  for (std::size_t i = end; i-- > 0;) {
    if (std::ranges::find(ways_out, code[i].text) != ways_out.end()) return true;
    // Not into brackets, but for those of [[fallthrough]].
    if (code[i].is(")") ||
        (code[i].is("]") && !code[i - 1].is("]") && !code[i - 1].is("fallthrough"))) {
      i = outline.partner(i).value_or(i);
      continue;
    }
    if (code[i].is(";") || code[i].is("{") || code[i].is("}") || code[i].is(":")) return false;
  }
  return true;
}

/// `case 8: launch(...); case 16:`, of which the first does what the second does, too.
void look_for_fall_through(const Outline& outline, std::size_t label,
                           std::vector<Remark>& remarks) {
  const std::vector<Token>& code = outline.code();
  const bool is_label =
      code[label].is("case") || (code[label].is("default") && code[label + 1].is(":"));
  if (!is_label || label == 0 || outline.scope(label) != Scope::block) return;
  const Token& before = code[label - 1];
  if (!before.is(";") && !before.is("}")) return;  // the first, or behind another label
  if (leaves(outline, label - 1)) return;
  remarks.push_back({Remark::Kind::statement, before.line,
                     tr("the case ends here without break, so that the next one, on line {}, is "
                        "done as well",
                        code[label].line),
                     tr("End each case with break, or with return.")});
}

}  // namespace

void remark_on_statements(const Outline& outline, std::string_view source,
                          std::vector<Remark>& remarks) {
  const std::vector<Token>& code = outline.code();
  for (std::size_t i = 0; i + 1 < code.size(); ++i) {
    if (code[i].is("for") || code[i].is("while") || code[i].is("if")) {
      look_for_lone_semicolon(outline, i, source, remarks);
    }
    if (code[i].is("for")) look_for_endless_countdown(outline, i, remarks);
    look_for_fall_through(outline, i, remarks);
  }
}

}  // namespace tilewise::simt
