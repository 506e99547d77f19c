#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <set>
#include <span>
#include <string_view>
#include <variant>

#include "common/simt/rewrite/declaration.hpp"
#include "common/simt/rewrite/passes.hpp"
#include "common/simt/rewrite/tokenizer.hpp"

namespace tilewise::simt::rewriting {
namespace {

constexpr std::array<std::string_view, 3> qualifiers = {"__device__", "__constant__",
                                                        "__managed__"};

bool is_one_of(const Token& token, std::span<const std::string_view> words) {
  return std::find(words.begin(), words.end(), token.text) != words.end();
}

/// The words that stand for `__device__`, `__constant__` or `__managed__`: these words themselves,
/// and macros.
class Qualifiers {
 public:
  explicit Qualifiers(const std::vector<Token>& tokens) {
    for (std::size_t i = 2; i < tokens.size(); ++i) {
      if (tokens[i].directive == 0 || !tokens[i - 2].is("#") || !tokens[i - 1].is("define")) {
        continue;
      }
      add_macro(tokens, i);
    }
  }
  bool is_qualifier(const Token& token) const {
    return is_one_of(token, qualifiers) || all_.contains(token.text);
  }
  /// Returns the kind of variable that a declaration with these words declares.
  std::string_view kind_of(std::span<const Token> words) const {
    const auto has = [&](std::string_view word, const std::set<std::string_view>& macros) {
      return std::ranges::any_of(
          words, [&](const Token& token) { return token.is(word) || macros.contains(token.text); });
    };
    if (has("__constant__", constant_)) return "constant";
    return has("__managed__", managed_) ? "managed" : "device";
  }
  /// Whether a token is a macro whose arguments may be the names of variables.
  bool takes_names(const Token& token) const { return with_parameters_.contains(token.text); }
  /// Returns all words of macros that contain a qualifier: any may be the name of a variable.
  const std::set<std::string_view>& words() const { return words_; }

 private:
  void add_macro(const std::vector<Token>& tokens, std::size_t name) {
    const Token& macro = tokens[name];
    std::size_t end = name + 1;
    while (end < tokens.size() && tokens[end].directive == macro.directive) ++end;
    const std::span body(tokens.begin() + static_cast<std::ptrdiff_t>(name) + 1,
                         tokens.begin() + static_cast<std::ptrdiff_t>(end));
    const auto qualifies = [&](const Token& token) { return is_qualifier(token); };
    if (std::none_of(body.begin(), body.end(), qualifies)) return;
    const bool has_parameters = body.front().is("(") && body.front().begin == macro.end();
    (has_parameters ? with_parameters_ : all_).insert(macro.text);
    for (const Token& token : body) {
      if (token.kind == TokenKind::identifier && !is_qualifier(token)) words_.insert(token.text);
    }
    const std::string_view kind = kind_of(body);
    if (kind == "constant") constant_.insert(macro.text);
    if (kind == "managed") managed_.insert(macro.text);
  }

  std::set<std::string_view> all_, constant_, managed_, with_parameters_, words_;
};

/// A declaration of variables, as indices into Outline::code().
struct Variables {
  std::vector<std::size_t> names;
  std::size_t end;  ///< the semicolon
};

/// Reads the rest of a declaration from its qualifier on. What follows the name tells variables
/// from functions.
class Reader {
 public:
  Reader(const Outline& outline, std::size_t qualifier)
      : outline_(outline), code_(outline.code()), at_(qualifier + 1) {}

  /// Returns nothing where the declaration is that of a function or is not understood.
  std::optional<Variables> read() {
    Variables found;
    for (; at_ < code_.size(); ++at_) {
      const Token& token = code_[at_];
      if (token.is(",") || token.is(";")) {
        if (!name_) return std::nullopt;
        found.names.push_back(*name_);
        found.end = at_;
        if (token.is(";")) return found;
        name_.reset();
        in_parentheses_ = false;
      } else if (!pass()) {
        return std::nullopt;
      }
    }
    return std::nullopt;
  }

 private:
  bool pass() {
    const Token& token = code_[at_];
    if (const auto end = attribute_end(outline_, at_)) return go_to(end);
    if (token.kind == TokenKind::identifier) return pass_word();
    if (token.is("<")) return go_to(outline_.template_close(at_));
    if (token.is("[")) return go_to(outline_.partner(at_));
    if (token.is("{")) return pass_braces();
    if (token.is("(")) return pass_parentheses();
    if (token.is("=")) return pass_initialiser();
    static constexpr std::array<std::string_view, 4> others = {"*", "&", "&&", "::"};
    return is_one_of(token, others) || (token.is(":") && in_class_head_);
  }

  bool pass_word() {
    static constexpr std::array<std::string_view, 4> class_keys = {"struct", "class", "union",
                                                                   "enum"};
    const Token& word = code_[at_];
    if (word.is("operator")) return false;
    if (word.is("decltype")) return go_to(outline_.partner(++at_));
    if (is_one_of(word, class_keys)) {
      in_class_head_ = true;
    } else if (!in_parentheses_) {
      name_ = at_;
    }
    return true;
  }

  bool pass_braces() {
    if (in_class_head_) name_.reset();
    in_class_head_ = false;
    return go_to(outline_.partner(at_));
  }

  bool pass_parentheses() {
    const auto close = outline_.partner(at_);
    if (!close || at_ + 1 == *close) return false;
    if (in_parentheses_) return go_to(close);  // the parameters of a pointer to a function
    if (!code_[at_ + 1].is("*") && !code_[at_ + 1].is("&")) return false;
    for (std::size_t i = at_; i < *close; ++i) {
      if (code_[i].kind == TokenKind::identifier && !code_[i].is("const")) name_ = i;
    }
    in_parentheses_ = true;
    return go_to(close);
  }

  /// Moves to the token before the comma or semicolon.
  bool pass_initialiser() {
    for (; at_ + 1 < code_.size(); ++at_) {
      const Token& next = code_[at_ + 1];
      if (next.is(",") || next.is(";")) return true;
      if (next.is("(") || next.is("[") || next.is("{")) {
        if (!go_to(outline_.partner(at_ + 1))) return false;
        --at_;
      } else if (next.is("<")) {
        if (const auto close = outline_.template_close(at_ + 1)) at_ = *close - 1;
      }
    }
    return false;
  }

  bool go_to(std::optional<std::size_t> index) {
    if (index) at_ = *index;
    return index.has_value();
  }

  const Outline& outline_;
  const std::vector<Token>& code_;
  std::size_t at_;
  std::optional<std::size_t> name_;
  bool in_class_head_ = false;
  bool in_parentheses_ = false;
};

class Marker {
 public:
  Marker(const std::vector<Token>& tokens, const Outline& outline, std::string_view file_tag,
         Edits& edits)
      : qualifiers_(tokens),
        outline_(outline),
        code_(outline.code()),
        file_tag_(file_tag),
        edits_(edits) {}

  std::string run() {
    // Macros may stand for whole declarations, whose variables get no page of their own.
    for (const std::string_view word : qualifiers_.words()) list("device", word);
    for (std::size_t i = 0; i < code_.size(); ++i) {
      if (code_[i].is("__shared__")) {
        list_shared(i);
      } else if (qualifiers_.takes_names(code_[i])) {
        list_arguments(i);
      } else if (qualifiers_.is_qualifier(code_[i]) && !follows_a_lambda(i)) {
        if (const auto variables = Reader(outline_, i).read()) {
          mark(i, *variables);
          i = variables->end;
        }
      }
    }
    if (list_.empty()) return "";
    const std::string variables = "TILEWISE_VARIABLES(" + quoted(list_) + ")";
    const std::string include = "#include <tilewise/device_variables.hpp>\n";
    if (file_tag_.empty()) return include + variables + "\n";
    const std::string name = "tilewise_file_" + std::string(file_tag_);
    return include + "#ifndef " + name + "\n#define " + name + " " + name + "_\nnamespace " + name +
           " { " + variables + " }\n#endif\n";
  }

 private:
  /// Whether the qualifier follows a lambda's introducer, `[] __device__ {}` or `() __device__`,
  /// and not an attribute.
  bool follows_a_lambda(std::size_t qualifier) const {
    if (qualifier == 0) return false;
    const Token& before = code_[qualifier - 1];
    if (!before.is("]") && !before.is(")")) return false;
    const auto open = outline_.partner(qualifier - 1);
    if (!open) return true;
    if (before.is("]")) return !code_[*open + 1].is("[");
    if (*open == 0) return true;
    const Token& introducer = code_[*open - 1];  // it may also be the end of template parameters
    return introducer.is("]") || introducer.is(">");
  }

  std::size_t statement_of(std::size_t index) const {
    static constexpr std::array<std::string_view, 3> ends = {";", "{", "}"};
    while (index > 0 && !is_one_of(code_[index - 1], ends)) --index;
    return index;
  }

  bool says(std::size_t first, std::size_t end, std::string_view word) const {
    return std::any_of(at(first), at(end), [&](const Token& token) { return token.is(word); });
  }

  void list(std::string_view kind, std::string_view name) {
    list_ += std::string(kind) + " " + std::string(name) + ";";
  }

  void list_arguments(std::size_t macro) {
    if (macro + 1 == code_.size() || !code_[macro + 1].is("(")) return;
    const auto close = outline_.partner(macro + 1);
    for (std::size_t i = macro + 2; close && i < *close; ++i) {
      if (code_[i].kind == TokenKind::identifier) {
        list(qualifiers_.kind_of({&code_[macro], 1}), code_[i].text);
      }
    }
  }

  void list_shared(std::size_t shared) {
    if (outline_.scope(shared) != Scope::file) return;
    const auto parsed = parse_declaration(outline_, statement_of(shared), shared);
    const auto* declaration = std::get_if<Declaration>(&parsed);
    if (declaration == nullptr) return;
    for (const Declarator& declarator : declaration->declarators) {
      list("shared", code_[declarator.name].text);
    }
  }

  void mark(std::size_t qualifier, const Variables& variables) {
    const std::size_t first = statement_of(qualifier);
    const std::size_t name = variables.names.front();
    const Scope scope = outline_.scope(qualifier);
    if (scope == Scope::block && !says(first, name, "static")) return;  // on the stack
    const std::string_view kind = qualifiers_.kind_of({at(first), at(name)});
    edits_.insert_before(code_[qualifier], variables.names.size() == 1
                                               ? "TILEWISE_DEVICE_VARIABLE "
                                               : "TILEWISE_DEVICE_VARIABLES ");
    const bool has_shape =
        scope != Scope::type && !code_[first].is("template") && !says(first, name, "extern");
    for (const std::size_t each : variables.names) {
      list(kind, code_[each].text);
      if (has_shape) add_shape(each, variables.end);
    }
  }

  void add_shape(std::size_t name, std::size_t end) {
    std::string qualified(code_[name].text);
    for (std::size_t i = name; i >= 2 && code_[i - 1].is("::"); i -= 2) {
      if (code_[i - 2].kind != TokenKind::identifier) break;
      qualified = std::string(code_[i - 2].text) + "::" + qualified;
    }
    const int line = code_[name].line;
    on_line_ = line == last_line_ ? on_line_ + 1 : 1;
    last_line_ = line;
    edits_.insert_after(code_[end], " TILEWISE_SHAPE(" + qualified + ", " +
                                        std::string(code_[name].text) + ", " +
                                        std::to_string(line) + "_" + std::to_string(on_line_) +
                                        std::string(file_tag_) + ")");
  }

  std::vector<Token>::const_iterator at(std::size_t index) const {
    return code_.begin() + static_cast<std::ptrdiff_t>(index);
  }

  Qualifiers qualifiers_;
  const Outline& outline_;
  const std::vector<Token>& code_;
  std::string_view file_tag_;
  Edits& edits_;
  std::string list_;
  int last_line_ = 0;
  int on_line_ = 0;
};

}  // namespace

std::string mark_device_variables(const std::vector<Token>& tokens, const Outline& outline,
                                  const std::string& file_tag, Edits& edits) {
  return Marker(tokens, outline, file_tag, edits).run();
}

}  // namespace tilewise::simt::rewriting
