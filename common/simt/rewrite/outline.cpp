#include "common/simt/rewrite/outline.hpp"

#include <algorithm>
#include <array>
#include <string_view>

namespace tilewise::simt::rewriting {
namespace {

constexpr auto none = static_cast<std::size_t>(-1);

// In tokens, not counting those in brackets. Nobody writes so many, but a bound is needed, because
// text that is full of < would else be searched to its end from each of them.
constexpr std::size_t longest_template_arguments = 1000;

enum class Conditional { none, begin, otherwise, end };

// The kind of the conditional directive that starts at `index`, which it does only if there is the
// first `#` of a directive.
Conditional conditional_at(const std::vector<Token>& tokens, std::size_t index) {
  const auto& hash = tokens[index];
  if (hash.directive == 0 || (index > 0 && tokens[index - 1].directive == hash.directive) ||
      index + 1 == tokens.size() || tokens[index + 1].directive != hash.directive) {
    return Conditional::none;
  }
  const auto name = tokens[index + 1].text;
  if (name == "if" || name == "ifdef" || name == "ifndef") return Conditional::begin;
  if (name == "else" || name == "elif" || name == "elifdef" || name == "elifndef") {
    return Conditional::otherwise;
  }
  return name == "endif" ? Conditional::end : Conditional::none;
}

bool is_if_zero(const std::vector<Token>& tokens, std::size_t index) {
  const auto same = [&](std::size_t i) {
    return i < tokens.size() && tokens[i].directive == tokens[index].directive;
  };
  return same(index + 2) && !same(index + 3) && tokens[index + 1].is("if") &&
         (tokens[index + 2].is("0") || tokens[index + 2].is("false"));
}

bool is_opening(const Token& token) { return token.is("(") || token.is("[") || token.is("{"); }
bool is_closing(const Token& token) { return token.is(")") || token.is("]") || token.is("}"); }

bool pairs(const Token& opening, const Token& closing) {
  return (opening.is("(") && closing.is(")")) || (opening.is("[") && closing.is("]")) ||
         (opening.is("{") && closing.is("}"));
}

}  // namespace

std::vector<Token> without_disabled(const std::vector<Token>& tokens) {
  std::vector<Token> kept;
  int disabled_depth = 0;  // the nesting depth of conditionals in disabled text, its own included
  int disabling_directive = 0;  // its tokens are kept, so that its #endif has a partner
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const auto conditional = conditional_at(tokens, i);
    if (disabled_depth > 0) {
      if (conditional == Conditional::begin) ++disabled_depth;
      if (conditional == Conditional::end) --disabled_depth;
      if (conditional == Conditional::otherwise && disabled_depth == 1) disabled_depth = 0;
    } else if (conditional == Conditional::begin && is_if_zero(tokens, i)) {
      disabled_depth = 1;
      disabling_directive = tokens[i].directive;
    }
    if (disabled_depth == 0 || tokens[i].directive == disabling_directive) {
      kept.push_back(tokens[i]);
    }
  }
  return kept;
}

Outline::Outline(const std::vector<Token>& tokens) : open_(none) {
  std::vector<std::size_t> open_at_if;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (tokens[i].directive == 0) {
      add(tokens[i]);
      continue;
    }
    const auto conditional = conditional_at(tokens, i);
    if (conditional == Conditional::begin) open_at_if.push_back(open_);
    if (open_at_if.empty()) continue;
    if (conditional == Conditional::otherwise) open_ = open_at_if.back();
    if (conditional == Conditional::end) open_at_if.pop_back();
  }
}

void Outline::add(const Token& token) {
  const auto index = code_.size();
  code_.push_back(token);
  scopes_.push_back(current_scope());
  partners_.push_back(none);
  if (is_opening(token)) open_bracket(index);
  if (is_closing(token)) close_bracket(index);
  if (token.is(";") || token.is("{") || token.is("}")) statement_begin_ = index + 1;
}

void Outline::open_bracket(std::size_t index) {
  const bool is_brace = code_[index].is("{");
  const auto around = open_ == none ? none : brackets_[open_].brace;
  brackets_.push_back({index, open_, is_brace ? brackets_.size() : around,
                       is_brace ? scope_opened_by(index) : current_scope()});
  open_ = brackets_.size() - 1;
}

void Outline::close_bracket(std::size_t index) {
  // A } closes brackets that were left open inside its braces; a stray ) or ] closes nothing.
  const auto ended = code_[index].is("}") && open_ != none ? brackets_[open_].brace : open_;
  if (ended == none || !pairs(code_[brackets_[ended].index], code_[index])) return;
  partners_[index] = brackets_[ended].index;
  partners_[brackets_[ended].index] = index;
  open_ = brackets_[ended].parent;
}

Scope Outline::current_scope() const {
  return open_ == none ? Scope::file : brackets_[open_].inside;
}

Scope Outline::scope_opened_by(std::size_t brace) const {
  static constexpr std::array<std::string_view, 4> type_words = {"class", "struct", "union",
                                                                 "enum"};
  bool is_type = false;
  for (auto i = statement_begin_; i < brace; ++i) {
    const auto& token = code_[i];
    if (token.is("namespace")) return Scope::file;
    if (token.is("extern") && i + 2 == brace && code_[i + 1].kind == TokenKind::string) {
      return Scope::file;
    }
    if (takes_parentheses(i) && i + 1 < brace && code_[i + 1].is("(")) {
      i = partner(i + 1).value_or(brace);
    } else if (token.is("<")) {
      i = template_close(i).value_or(brace);
    } else if (token.is("(") || token.is("=")) {
      return Scope::block;
    } else if (std::find(type_words.begin(), type_words.end(), token.text) != type_words.end()) {
      is_type = true;
    }
  }
  return is_type ? Scope::type : Scope::block;
}

std::optional<std::size_t> Outline::partner(std::size_t bracket) const {
  if (partners_[bracket] == none) return std::nullopt;
  return partners_[bracket];
}

std::optional<std::size_t> Outline::template_close(std::size_t open) const {
  std::size_t depth = 0;
  std::size_t left = longest_template_arguments;
  for (auto i = open; i < code_.size() && left-- > 0; ++i) {
    const auto& token = code_[i];
    if (token.is("<")) ++depth;
    if (token.is(">") && --depth == 0) return i;
    if (token.is(";") || token.is("<<<") || is_closing(token)) return std::nullopt;
    if (is_opening(token)) {
      const auto close = partner(i);
      if (!close) return std::nullopt;
      i = *close;
    }
  }
  return std::nullopt;
}

std::optional<std::size_t> Outline::template_open(std::size_t close) const {
  std::size_t depth = 0;
  std::size_t left = longest_template_arguments;
  for (auto i = close + 1; i-- > 0 && left-- > 0;) {
    const auto& token = code_[i];
    if (token.is(">")) ++depth;
    if (token.is("<") && --depth == 0) return i;
    if (token.is(";") || token.is("<<<") || is_opening(token)) return std::nullopt;
    if (is_closing(token)) {
      const auto opening = partner(i);
      if (!opening) return std::nullopt;
      i = *opening;
    }
  }
  return std::nullopt;
}

std::vector<Part> Outline::parts_between(std::size_t open, std::size_t close) const {
  std::vector<Part> parts;
  std::size_t first = open + 1;
  for (std::size_t i = first; i <= close; ++i) {
    if (code_[i].is("<")) i = template_close(i).value_or(i);
    if (i < close && (code_[i].is("(") || code_[i].is("[") || code_[i].is("{"))) {
      i = partner(i).value_or(i);
    } else if ((i == close && i > open + 1) || (i < close && code_[i].is(","))) {
      parts.push_back({first, i});
      first = i + 1;
    }
  }
  return parts;
}

std::optional<std::pair<std::size_t, std::size_t>> Outline::function_after(
    std::size_t qualifier) const {
  for (std::size_t i = qualifier + 1; i + 1 < code_.size(); ++i) {
    if (code_[i].is(";") || code_[i].is("{") || code_[i].is("}")) return std::nullopt;
    if (!code_[i].is("(")) continue;
    const auto close = partner(i);
    if (!close || *close + 1 >= code_.size()) return std::nullopt;
    if (code_[i - 1].is("__launch_bounds__") || takes_parentheses(i - 1)) {
      i = *close;
      continue;
    }
    if (!code_[*close + 1].is("{") || !partner(*close + 1)) return std::nullopt;
    return std::pair{i, *close + 1};
  }
  return std::nullopt;
}

bool Outline::takes_parentheses(std::size_t index) const {
  static constexpr std::array<std::string_view, 5> words = {"alignas", "__align__", "__attribute__",
                                                            "__declspec", "decltype"};
  return std::find(words.begin(), words.end(), code_[index].text) != words.end();
}

}  // namespace tilewise::simt::rewriting
