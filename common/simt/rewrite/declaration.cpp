#include "common/simt/rewrite/declaration.hpp"

#include <algorithm>
#include <initializer_list>
#include <iterator>
#include <utility>

#include "common/base/language.hpp"

namespace tilewise::simt::rewriting {
namespace {

constexpr std::string_view not_understood = marked(
    "this shared declaration is not understood: write the type, then the names, as in "
    "__shared__ float As[16][16], Bs[16][16];");
constexpr std::string_view initialised = marked(
    "shared variables cannot be initialised: assign to them in the kernel, then call "
    "__syncthreads()");

bool is_one_of(const Token& token, std::initializer_list<std::string_view> words) {
  return std::find(words.begin(), words.end(), token.text) != words.end();
}

bool is_qualifier(const Token& token) {
  return is_one_of(token, {"const", "volatile", "typename", "__restrict__", "__restrict"});
}

bool is_class_key(const Token& token) {
  return is_one_of(token, {"struct", "class", "union", "enum"});
}

bool is_builtin_type(const Token& token) {
  return is_one_of(token, {"void", "bool", "char", "wchar_t", "char16_t", "char32_t", "short",
                           "int", "long", "signed", "unsigned", "float", "double", "auto"});
}

/// Reads a declaration from its first token to its semicolon. Their order tells names from types:
/// an identifier followed by another one, or by template arguments, names a type.
class Parser {
 public:
  Parser(const Outline& outline, std::size_t first)
      : outline_(outline), code_(outline.code()), first_(first), at_(first) {}

  std::variant<Declaration, DeclarationError> parse() {
    for (; at_ < code_.size(); ++at_) {
      const auto& token = code_[at_];
      if (token.is(",") || token.is(";")) {
        finish_declarator();
      } else {
        pass_token();
      }
      if (!error_.empty()) return DeclarationError{at_, error_};
      if (token.is(";")) return Declaration{first_, at_, std::move(declarators_)};
    }
    return DeclarationError{at_, not_understood};
  }

 private:
  void pass_token() {
    const auto& token = code_[at_];
    if (const auto end = attribute_end(outline_, at_)) {
      at_ = *end;
    } else if (token.kind == TokenKind::identifier) {
      pass_word();
    } else if (token.is("<")) {
      has_type_ = true;
      name_.reset();
      go_to(outline_.template_close(at_));
    } else if (token.is("[")) {
      if (!bounds_) bounds_ = at_;
      go_to(outline_.partner(at_));
    } else if (token.is("(")) {
      pass_parentheses();
    } else if (token.is("{")) {
      pass_braces();
    } else if (token.is("*") || token.is("&")) {
      if (!pointer_) pointer_ = at_;
    } else if (token.is("=")) {
      error_ = initialised;
    } else if (!token.is("::") && !(token.is(":") && in_class_head_)) {
      error_ = not_understood;
    }
  }

  void pass_word() {
    const auto& word = code_[at_];
    if (is_storage(word) || is_qualifier(word)) return;
    if (is_class_key(word)) {
      in_class_head_ = true;
    } else if (is_builtin_type(word)) {
      has_type_ = true;
    } else if (word.is("decltype") && at_ + 1 < code_.size() && code_[at_ + 1].is("(")) {
      has_type_ = true;
      go_to(outline_.partner(++at_));
    } else if (!bounds_) {
      has_type_ = has_type_ || name_.has_value();
      name_ = at_;
    }
  }

  void pass_parentheses() {
    const auto close = outline_.partner(at_);
    if (!close) {
      error_ = not_understood;
    } else if (code_[at_ + 1].is("*") || code_[at_ + 1].is("&")) {
      const auto name =
          std::find_if(code_.begin() + static_cast<std::ptrdiff_t>(at_),
                       code_.begin() + static_cast<std::ptrdiff_t>(*close), [](const Token& token) {
                         return token.kind == TokenKind::identifier && !is_qualifier(token);
                       });
      has_type_ = has_type_ || name_.has_value();
      name_ = static_cast<std::size_t>(name - code_.begin());
      in_parentheses_ = true;
      if (*name_ == *close) error_ = not_understood;
      at_ = *close;
    } else if (in_parentheses_) {
      at_ = *close;  // the parameters of a pointer to a function
    } else {
      error_ = initialised;
    }
  }

  void pass_braces() {
    if (!in_class_head_) {
      error_ = initialised;
      return;
    }
    in_class_head_ = false;
    has_type_ = true;
    name_.reset();
    go_to(outline_.partner(at_));
  }

  void finish_declarator() {
    if (!name_ || !has_type_) {
      error_ = not_understood;
      return;
    }
    declarators_.push_back({pointer_.value_or(*name_), *name_, bounds_, at_, in_parentheses_});
    pointer_.reset();
    name_.reset();
    bounds_.reset();
    in_parentheses_ = false;
  }

  void go_to(std::optional<std::size_t> index) {
    if (index) {
      at_ = *index;
    } else {
      error_ = not_understood;
    }
  }

  const Outline& outline_;
  const std::vector<Token>& code_;
  std::size_t first_;
  std::size_t at_;
  std::string_view error_;
  std::vector<Declarator> declarators_;

  bool has_type_ = false;
  bool in_class_head_ = false;
  // The state of the current declarator:
  std::optional<std::size_t> pointer_;
  std::optional<std::size_t> name_;
  std::optional<std::size_t> bounds_;
  bool in_parentheses_ = false;
};

/// Returns the start of the declaration, whose qualifiers or type may stand before `__shared__`.
std::optional<std::size_t> find_first(const Outline& outline, std::size_t earliest,
                                      std::size_t shared) {
  const auto& code = outline.code();
  auto first = shared;
  while (first > earliest) {
    const auto& before = code[first - 1];
    std::optional<std::size_t> open;
    if (is_one_of(before, {";", "{", "}", ":"})) return first;
    if (before.kind == TokenKind::identifier || is_one_of(before, {"*", "&", "::"})) {
      --first;
      continue;
    }
    if (before.is(")")) {
      open = outline.partner(first - 1);
      if (!open || *open == 0 || !outline.takes_parentheses(*open - 1)) return first;
    } else if (before.is("]")) {
      open = outline.partner(first - 1);
    } else if (before.is(">")) {
      open = outline.template_open(first - 1);
    }
    if (!open || *open < earliest) return std::nullopt;
    first = *open;
  }
  return first;
}

}  // namespace

std::variant<Declaration, DeclarationError> parse_declaration(const Outline& outline,
                                                              std::size_t earliest,
                                                              std::size_t shared) {
  const auto first = find_first(outline, earliest, shared);
  if (!first) return DeclarationError{shared, not_understood};
  return Parser(outline, *first).parse();
}

std::optional<std::size_t> attribute_end(const Outline& outline, std::size_t index) {
  const auto& code = outline.code();
  if (index + 1 >= code.size()) return std::nullopt;
  if (outline.takes_parentheses(index) && !code[index].is("decltype") && code[index + 1].is("(")) {
    return outline.partner(index + 1);
  }
  if (code[index].is("[") && code[index + 1].is("[")) return outline.partner(index);
  return std::nullopt;
}

bool is_storage(const Token& token) {
  return is_one_of(token, {"__shared__", "static", "extern", "inline"});
}

namespace {

constexpr auto no_brace = static_cast<std::size_t>(-1);

/// More gotos than anyone writes; the bound is there because every declaration is compared with all
/// of them.
constexpr std::size_t most_gotos = 1000;

/// A jump out of one block may pass a declaration in the next, and so on.
constexpr int most_moves = 16;

}  // namespace

Jumps::Jumps(const Outline& outline) : outline_(outline), code_(outline.code()) { find_jumps(); }

void Jumps::find_jumps() {
  std::vector<std::size_t> open{no_brace};
  std::unordered_map<std::string_view, std::vector<std::size_t>> labels;
  std::vector<std::size_t> gotos;
  for (std::size_t i = 0; i < code_.size(); ++i) {
    const Token& token = code_[i];
    if (token.is("}") && open.size() > 1 && outline_.partner(i) == open.back()) open.pop_back();
    braces_.push_back(open.back());
    if (token.is("{") && outline_.partner(i)) open.push_back(i);
    if (i + 1 == code_.size()) continue;
    const Token& next = code_[i + 1];
    if (token.is("goto")) gotos.push_back(i);
    if (token.is("case") || (token.is("default") && next.is(":"))) switch_labels_.push_back(i);
    const bool starts = i > 0 && (code_[i - 1].is(";") || code_[i - 1].is("{") ||
                                  code_[i - 1].is("}") || code_[i - 1].is(":"));
    if (starts && token.kind == TokenKind::identifier && next.is(":")) {
      labels[token.text].push_back(i);
    }
  }
  if (gotos.size() > most_gotos) return;
  // Labels of that name in other functions do no harm: they are in no block that a goto shares with
  // a declaration.
  for (const std::size_t from : gotos) {
    if (from + 1 == code_.size()) continue;
    const auto& all = labels[code_[from + 1].text];
    const auto after = std::lower_bound(all.begin(), all.end(), from);
    if (after != all.end()) gotos_.push_back({from, *after});
    if (after != all.begin()) gotos_.push_back({from, *std::prev(after)});
  }
}

bool Jumps::is_switch(std::size_t brace) const {
  if (brace == no_brace || brace == 0 || !code_[brace - 1].is(")")) return false;
  const auto open = outline_.partner(brace - 1);
  return open && *open > 0 && code_[*open - 1].is("switch");
}

// Whether a brace is inside a function, not a namespace, where another function may have a label of
// that name.
bool Jumps::is_in_function(std::size_t brace) const {
  return brace != no_brace && outline_.scope(brace + 1) == Scope::block;
}

std::size_t Jumps::end_of_scope(std::size_t index) const {
  const std::size_t brace = braces_[index];
  return brace == no_brace ? code_.size() : outline_.partner(brace).value_or(code_.size());
}

// Whether a `case` of the switch whose body starts at `brace` stands behind a token.
bool Jumps::has_label_behind(std::size_t brace, std::size_t index) const {
  const std::size_t end = outline_.partner(brace).value_or(0);
  auto label = std::upper_bound(switch_labels_.begin(), switch_labels_.end(), index);
  for (; label != switch_labels_.end() && *label < end; ++label) {
    auto inner = braces_[*label];
    while (inner != no_brace && !is_switch(inner)) inner = braces_[inner];
    if (inner == brace) return true;
  }
  return false;
}

// Returns the innermost { that is `brace` or around it, and is also around the token.
std::size_t Jumps::common_brace(std::size_t brace, std::size_t index) const {
  while (brace != no_brace && (index < brace || index > outline_.partner(brace).value_or(0))) {
    brace = braces_[brace];
  }
  return brace;
}

/// Returns the start of the statement that holds the token and is directly in the block of `brace`.
std::size_t Jumps::statement_start(std::size_t brace, std::size_t index) const {
  std::size_t start = brace + 1;
  for (std::size_t i = start; i < index; ++i) {
    bool ends = code_[i].is(";");
    if (code_[i].is("{") || code_[i].is("(") || code_[i].is("[")) {
      const auto close = outline_.partner(i);
      if (!close || *close >= index) break;
      ends = code_[i].is("{");
      i = *close;
    }
    // The part before an else belongs to the same statement.
    if (ends && i + 1 < code_.size() && !code_[i + 1].is("else")) start = i + 1;
  }
  return start;
}

std::optional<std::size_t> Jumps::place_before(const Declaration& declaration) const {
  if (gotos_.empty() && switch_labels_.empty()) return std::nullopt;
  std::size_t at = declaration.first;
  std::size_t brace = braces_[at];
  for (int i = 0; i < most_moves && brace != no_brace; ++i) {
    if (is_switch(brace) && has_label_behind(brace, at)) {
      const std::size_t outer = braces_[brace];
      if (outer == no_brace) break;
      at = statement_start(outer, brace);
      brace = outer;
      continue;
    }
    const std::size_t end = outline_.partner(brace).value_or(0);
    const auto passes = [&](const Goto& jump) {
      return jump.to > at && jump.to < end && (jump.from < at || jump.from > end) &&
             is_in_function(common_brace(brace, jump.from));
    };
    const auto jump = std::find_if(gotos_.begin(), gotos_.end(), passes);
    if (jump == gotos_.end()) break;
    const std::size_t outer = common_brace(brace, jump->from);
    at = statement_start(outer, std::min(jump->from, at));
    brace = outer;
  }
  return at == declaration.first ? std::nullopt : std::optional(at);
}

}  // namespace tilewise::simt::rewriting
