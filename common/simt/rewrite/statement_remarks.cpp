#include <algorithm>
#include <array>
#include <optional>
#include <string>

#include "common/base/language.hpp"
#include "common/simt/rewrite/kinds_of_remarks.hpp"
#include "common/simt/rewrite/tokenizer.hpp"
#include "common/simt/rewrite/variables.hpp"

namespace tilewise::simt {
namespace {

using rewriting::block_around;
using rewriting::may_change;
using rewriting::Outline;
using rewriting::Scope;
using rewriting::Token;
using rewriting::TokenKind;

std::size_t column_of(const Token& token, std::string_view source) {
  const std::size_t line = source.rfind('\n', token.begin);
  return line == source.npos ? token.begin : token.begin - line - 1;
}

/// Looks for `for (...);` followed by what looks like its body: a block, or a line that is indented
/// more.
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
  if (code[word].is("while") && word > 0 && code[word - 1].is("}")) return;  // it belongs to a do
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

/// Whether the statement that ends with this token leaves its case.
bool leaves(const Outline& outline, std::size_t end) {
  static constexpr auto ways_out = std::to_array<std::string_view>(
      {"break", "return", "continue", "goto", "throw", "fallthrough", "exit", "abort"});
  const std::vector<Token>& code = outline.code();
  if (code[end].is("}")) {
    // For a block, its last statement decides. A branch of an if is taken to leave: nobody knows.
    const auto open = outline.partner(end);
    return !open || *open + 1 >= end || code[*open - 1].is(")") || code[*open - 1].is("else") ||
           leaves(outline, end - 1);
  }
  for (std::size_t i = end; i-- > 0;) {
    if (std::ranges::find(ways_out, code[i].text) != ways_out.end()) return true;
    // Brackets are skipped, except those of [[fallthrough]].
    if (code[i].is(")") ||
        (code[i].is("]") && !code[i - 1].is("]") && !code[i - 1].is("fallthrough"))) {
      i = outline.partner(i).value_or(i);
      continue;
    }
    if (code[i].is(";") || code[i].is("{") || code[i].is("}") || code[i].is(":")) return false;
  }
  return true;
}

/// Looks for `case 8: launch(...); case 16:`, where the first case also does what the second does.
void look_for_fall_through(const Outline& outline, std::size_t label,
                           std::vector<Remark>& remarks) {
  const std::vector<Token>& code = outline.code();
  const bool is_label =
      code[label].is("case") || (code[label].is("default") && code[label + 1].is(":"));
  if (!is_label || label == 0 || outline.scope(label) != Scope::block) return;
  const Token& before = code[label - 1];
  if (!before.is(";") && !before.is("}")) return;  // it is the first label, or follows another one
  if (leaves(outline, label - 1)) return;
  remarks.push_back({Remark::Kind::statement, before.line,
                     tr("the case ends here without break, so that the next one, on line {}, is "
                        "done as well",
                        code[label].line),
                     tr("End each case with break, or with return.")});
}

/// Looks for `for (...; k = n; ...)` and `if (row = 0)`, where the stored value decides.
void look_for_assignment(const Outline& outline, std::size_t word, std::vector<Remark>& remarks) {
  const std::vector<Token>& code = outline.code();
  const auto close = code[word + 1].is("(") ? outline.partner(word + 1) : std::nullopt;
  if (!close) return;
  std::size_t first = word + 2, end = *close;
  if (code[word].is("for")) {
    while (first < *close && !code[first].is(";")) ++first;
    end = ++first;
    while (end < *close && !code[end].is(";")) ++end;
  }
  // An assignment of a call's result may be meant, so only names and numbers count.
  const bool is_stored =
      first + 3 == end && code[first].kind == TokenKind::identifier && code[first + 1].is("=") &&
      (code[first + 2].kind == TokenKind::identifier || code[first + 2].kind == TokenKind::number);
  if (!is_stored) return;
  remarks.push_back({Remark::Kind::statement, code[first].line,
                     tr("{0} = {1} stores {1} in {0} and compares nothing: the condition holds "
                        "whenever {1} is not 0",
                        code[first].text, code[first + 2].text),
                     tr("Compare with < or ==, not with =.")});
}

/// Returns the bracket that opens the outermost loop around a token, within what begins at `outer`;
/// the token itself where there is none.
std::size_t loop_around(const Outline& outline, std::size_t index, std::size_t outer) {
  const std::vector<Token>& code = outline.code();
  std::size_t loop = index;
  for (auto block = block_around(outline, index); block && *block > outer;
       block = block_around(outline, *block)) {
    const auto open = code[*block - 1].is(")") ? outline.partner(*block - 1) : std::nullopt;
    const Token& word = code[open ? *open - 1 : *block - 1];
    if (word.is("for") || word.is("while") || word.is("do")) loop = *block;
  }
  return loop;
}

/// Looks for `float sum = 0; for (...) { float sum = ...; } C[i] = sum;`, where the first sum never
/// changes, and for the same in a loop that reads it before.
void look_for_hidden_name(const Outline& outline, std::size_t type, std::vector<Remark>& remarks) {
  static constexpr auto types = std::to_array<std::string_view>({"float", "double", "int"});
  const std::vector<Token>& code = outline.code();
  const auto declares = [&](std::size_t i, std::string_view name) {
    return std::ranges::find(types, code[i].text) != types.end() && code[i + 1].text == name &&
           (code[i + 2].is("=") || code[i + 2].is(";") || code[i + 2].is("[") ||
            code[i + 2].is(",") || code[i + 2].is("{"));
  };
  const std::string_view name = code[type + 1].text;
  if (code[type + 1].kind != TokenKind::identifier || !declares(type, name)) return;
  if (outline.scope(type) != Scope::block) return;
  const auto inner = block_around(outline, type);
  const auto inner_end = inner ? outline.partner(*inner) : std::nullopt;
  if (!inner_end) return;
  // Finds the nearest earlier declaration in a block around this one.
  std::size_t outer = *inner;
  std::optional<std::size_t> outer_end;
  while (outer-- > 1 && outline.scope(outer) == Scope::block) {
    if (!declares(outer, name)) continue;
    const auto around = block_around(outline, outer);
    outer_end = around ? outline.partner(*around) : std::nullopt;
    if (!outer_end || *outer_end <= *inner_end) return;
    break;
  }
  if (!outer_end) return;
  /// Whether the outer variable is read from `read_from` on, and nothing from `first` on changes
  /// it.
  const auto is_read_unchanged = [&](std::size_t first, std::size_t end, std::size_t read_from) {
    bool is_read = false;
    for (std::size_t i = first; i < end; ++i) {
      if (i >= type && i < *inner_end) continue;
      if (code[i].text != name) continue;
      if (may_change(outline, i) && !declares(i - 1, name)) return false;
      if (declares(i - 1, name)) {  // it is hidden there, too
        const auto other = block_around(outline, i);
        i = other ? outline.partner(*other).value_or(i) : i;
        continue;
      }
      is_read |= i > read_from;
    }
    return is_read;
  };
  const std::size_t turn = loop_around(outline, type, outer);
  const std::size_t turn_end = outline.partner(turn).value_or(turn);
  // What was stored before the loop does not matter to its later turns.
  const bool is_read_in_turns =
      turn != type && !code[outer - 1].is("const") && is_read_unchanged(turn, turn_end, turn);
  if (!is_read_in_turns && !is_read_unchanged(outer + 2, *outer_end, *inner_end)) return;
  remarks.push_back(
      {Remark::Kind::doubt, code[type].line,
       tr("{0} is declared once more here, so that the {0} of line {1}, which is "
          "read afterwards, is another one and never changes",
          name, code[outer].line),
       tr("Leave out the type here: {0} = or {0} +=, without {1}.", name, code[type].text)});
}

/// Looks for `const int warp = t / 32;` in device code, below a constant of the file with this
/// name.
void look_for_hidden_constant(const Outline& outline, std::size_t name,
                              std::vector<Remark>& remarks) {
  const std::vector<Token>& code = outline.code();
  const bool is_local = code[name].kind == TokenKind::identifier && code[name - 1].is("int") &&
                        code[name + 1].is("=") && outline.scope(name) == Scope::block;
  if (!is_local || code[name - 2].is("constexpr")) return;
  const auto block = block_around(outline, name);
  const auto end = block ? outline.partner(*block) : std::nullopt;
  if (!end) return;
  for (std::size_t i = 2; i < name; ++i) {
    const bool is_constant = code[i].is(code[name].text) && code[i - 1].is("int") &&
                             code[i - 2].is("constexpr") && code[i + 1].is("=") &&
                             code[i + 2].kind == TokenKind::number &&
                             outline.scope(i) == Scope::file;
    if (!is_constant) continue;
    remarks.push_back(
        {Remark::Kind::doubt, code[name].line,
         tr("{0} is declared anew here and hides the constant {0} = {1} of line {2}: wherever {0} "
            "stands from here to line {3}, it is this one",
            code[name].text, code[i + 2].text, code[i].line, code[*end].line),
         tr("Give one of the two another name.")});
    return;
  }
}

/// Looks for `for (int j = 0; j < rx; ++i)`, which steps another variable than it compares.
void look_for_other_counter(const Outline& outline, std::size_t word,
                            std::vector<Remark>& remarks) {
  const std::vector<Token>& code = outline.code();
  const auto close = code[word + 1].is("(") ? outline.partner(word + 1) : std::nullopt;
  if (!close || *close + 1 >= code.size()) return;
  std::vector<std::size_t> ends;  // the ends of the initialisation and of the condition
  for (std::size_t i = word + 2; i < *close; ++i) {
    if (code[i].is("(") || code[i].is("[") || code[i].is("{")) i = outline.partner(i).value_or(i);
    if (code[i].is(";")) ends.push_back(i);
  }
  if (ends.size() != 2) return;
  // The initialisation must declare one variable, which the condition compares.
  std::size_t equals = word + 2;
  while (equals < ends[0] && !code[equals].is("=")) ++equals;
  if (equals == ends[0] || equals < word + 4) return;
  const std::string_view declared = code[equals - 1].text;
  const auto says = [&](std::size_t from, std::size_t to, std::string_view name) {
    return std::any_of(code.begin() + static_cast<std::ptrdiff_t>(from),
                       code.begin() + static_cast<std::ptrdiff_t>(to),
                       [&](const Token& token) { return token.is(name); });
  };
  if (says(word + 2, ends[0], ",") || !says(ends[0], ends[1], declared)) return;
  // The step must be just `++i`, `i++` or `i += Tile`.
  if (says(ends[1], *close, ",") || says(ends[1], *close, "(")) return;
  std::size_t stepped = ends[1] + 1;
  while (stepped < *close && code[stepped].kind != TokenKind::identifier) ++stepped;
  if (stepped == *close || says(ends[1], *close, declared)) return;
  if (says(ends[0], ends[1], code[stepped].text)) return;
  // The body may change the variable, as in a loop over a list.
  std::size_t end = *close + 1;
  if (code[end].is("{")) {
    end = outline.partner(end).value_or(code.size() - 1);
  } else {
    while (end < code.size() && !code[end].is(";")) ++end;
  }
  for (std::size_t i = *close + 1; i < end; ++i) {
    if (code[i].text == declared && may_change(outline, i)) return;
  }
  remarks.push_back({Remark::Kind::statement, code[stepped].line,
                     tr("the loop compares {0} and steps {1}: {0} stays what it is, and the loop "
                        "goes on for ever, or never begins",
                        declared, code[stepped].text),
                     tr("Step {0} in place of {1}.", declared, code[stepped].text)});
}

/// Looks for `sum =+ a * b;`, which stores what `+=` would add.
void look_for_turned_operator(const Outline& outline, std::size_t equals,
                              std::vector<Remark>& remarks) {
  const std::vector<Token>& code = outline.code();
  const Token& sign = code[equals + 1];
  const bool is_turned = code[equals].is("=") && (sign.is("+") || sign.is("-")) &&
                         code[equals].end() == sign.begin && code[equals + 2].begin > sign.end() &&
                         code[equals - 1].end() < code[equals].begin;
  if (!is_turned) return;
  remarks.push_back(
      {Remark::Kind::statement, code[equals].line,
       tr("={0} stores what follows it, with its sign: {0}= is what changes {1} by it", sign.text,
          code[equals - 1].text),
       tr("Write {}= for ={}.", sign.text, sign.text)});
}

/// Looks for `n & 3 == 0`, which tests `3 == 0` first.
void look_for_loose_bits(const Outline& outline, std::size_t sign, std::vector<Remark>& remarks) {
  const std::vector<Token>& code = outline.code();
  const auto is_value = [](const Token& token) {
    return token.kind == TokenKind::identifier || token.kind == TokenKind::number;
  };
  // Two comparisons may be meant to be joined: `in_A & row == 0`.
  const auto is_mask = [](const Token& token) { return token.kind == TokenKind::number; };
  const bool is_bitwise = code[sign].is("&") || code[sign].is("|") || code[sign].is("^");
  const Token &left = code[sign - 1], &mask = code[sign + 1], &test = code[sign + 2],
              &right = code[sign + 3];
  const bool compares = test.is("==") || test.is("!=");
  if (!is_bitwise || !compares || !is_mask(mask) || !is_value(right)) return;
  if (!is_value(left) && !left.is(")") && !left.is("]")) return;
  const std::string given = is_value(left) ? std::string(left.text) : "...";
  remarks.push_back(
      {Remark::Kind::statement, code[sign].line,
       tr("{3} binds more tightly than {1}: {0} {1} {2} {3} {4} is {0} {1} ({2} {3} {4})", given,
          code[sign].text, mask.text, test.text, right.text),
       tr("Write ({0} {1} {2}) {3} {4}.", given, code[sign].text, mask.text, test.text,
          right.text)});
}

/// Looks for `__syncthreads;`, which calls nothing.
void look_for_missing_call(const Outline& outline, std::size_t name, std::vector<Remark>& remarks) {
  static constexpr auto functions =
      std::to_array<std::string_view>({"__syncthreads", "__syncwarp", "__threadfence",
                                       "__threadfence_block", "cudaDeviceSynchronize"});
  const std::vector<Token>& code = outline.code();
  if (std::ranges::find(functions, code[name].text) == functions.end()) return;
  if (!code[name + 1].is(";")) return;
  remarks.push_back(
      {Remark::Kind::statement, code[name].line,
       tr("{0} without parentheses names the function and does not call it", code[name].text),
       tr("Write {}();", code[name].text)});
}

}  // namespace

void remark_on_statements(const Outline& outline, std::string_view source,
                          std::vector<Remark>& remarks) {
  const std::vector<Token>& code = outline.code();
  for (std::size_t i = 0; i + 1 < code.size(); ++i) {
    if (code[i].is("for") || code[i].is("while") || code[i].is("if")) {
      look_for_lone_semicolon(outline, i, source, remarks);
    }
    if (code[i].is("for")) look_for_other_counter(outline, i, remarks);
    if (i > 0 && i + 2 < code.size()) look_for_turned_operator(outline, i, remarks);
    if (i > 0 && i + 3 < code.size()) look_for_loose_bits(outline, i, remarks);
    look_for_missing_call(outline, i, remarks);
    if (code[i].is("for") || code[i].is("while") || code[i].is("if")) {
      look_for_assignment(outline, i, remarks);
    }
    if (i > 0 && i + 2 < code.size()) look_for_hidden_name(outline, i, remarks);
    if (i > 1) look_for_hidden_constant(outline, i, remarks);
    look_for_fall_through(outline, i, remarks);
  }
}

}  // namespace tilewise::simt
