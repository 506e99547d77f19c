#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "common/simt/rewrite/passes.hpp"
#include "common/simt/rewrite/tokenizer.hpp"

namespace tilewise::simt::rewriting {
namespace {

template <std::size_t count>
bool is_any_of(const Token& token, const std::array<std::string_view, count>& words) {
  return std::find(words.begin(), words.end(), token.text) != words.end();
}

/// A device function of the file: which of its parameters may be structures that are passed by
/// value, and whether its result may be one.
struct Function {
  std::vector<bool> parameters;
  bool returns_structure;
};

class CallMarker {
 public:
  CallMarker(const Outline& outline, Edits& edits)
      : outline_(outline), code_(outline.code()), edits_(edits) {}

  void run() {
    for (const Token& token : code_) {
      const std::size_t before = angles_before_.empty() ? 0 : angles_before_.back();
      angles_before_.push_back(before + (token.is("<") || token.is(">") ? 1 : 0));
    }
    find_aliases();
    std::size_t statement = 0;
    bool is_device = false;
    for (std::size_t i = 0; i + 1 < code_.size(); ++i) {
      const Token& token = code_[i];
      if (token.is("}")) {
        statement = i + 1;
        is_device = false;
      } else if (outline_.scope(i) == Scope::block) {
        if (token.kind == TokenKind::identifier) mark_call(i);
        if (token.is("{")) mark_object(i);
      } else if (token.is(";") || token.is("{")) {
        statement = i + 1;
        is_device = false;
      } else if (token.is("__device__")) {
        is_device = true;
      } else if (is_device && token.kind == TokenKind::identifier && code_[i + 1].is("(") &&
                 !outline_.takes_parentheses(i) && !token.is("__launch_bounds__")) {
        note_function({statement, i}, i + 1);
        is_device = false;
      }
    }
  }

 private:
  /// Collects the names that stand for pointers and references: `using Row = const float*;`,
  /// `typedef float (&Tile)[16];`.
  void find_aliases() {
    for (std::size_t i = 0; i + 2 < code_.size(); ++i) {
      const bool is_using = code_[i].is("using") && code_[i + 2].is("=");
      if (!is_using && !code_[i].is("typedef")) continue;
      bool is_indirect = false;  // the token just before is a * or &
      for (std::size_t at = i + 1; at < code_.size() && !ends_alias(code_[at]); ++at) {
        if (is_indirection(code_[at])) {
          is_indirect = true;
          if (is_using) aliases_.insert(code_[i + 1].text);
        } else if (!code_[at].is("const") && !code_[at].is("__restrict__")) {
          if (is_indirect && !is_using) aliases_.insert(code_[at].text);
          is_indirect = false;
        }
      }
    }
  }

  static bool ends_alias(const Token& token) { return token.is(";") || token.is("{"); }

  static bool is_indirection(const Token& token) {
    return token.is("*") || token.is("&") || token.is("&&");
  }

  void note_function(Part result, std::size_t open) {
    const auto close = outline_.partner(open);
    if (!close) return;
    Function function{{}, may_be_structure(result)};
    for (const Part& part : outline_.parts_between(open, *close)) {
      function.parameters.push_back(may_be_structure(part));
    }
    const auto [known, is_new] = functions_.emplace(code_[open - 1].text, function);
    if (is_new) return;
    // For an overloaded function, only what all functions of that name have in common counts.
    std::vector<bool>& all = known->second.parameters;
    all.resize(std::min(all.size(), function.parameters.size()));
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = all[i] && function.parameters[i];
    known->second.returns_structure &= function.returns_structure;
  }

  /// Whether a type may be a structure: it is not built-in, a pointer or a reference.
  bool may_be_structure(Part part) const {
    static constexpr std::array<std::string_view, 17> own = {
        "void",   "bool",    "char",   "short", "int", "long",   "signed",  "unsigned", "float",
        "double", "wchar_t", "size_t", "auto",  "...", "__half", "int64_t", "int32_t"};
    for (std::size_t i = part.first; i < part.end; ++i) {
      if (code_[i].is("template") && code_[i + 1].is("<")) {
        i = outline_.template_close(i + 1).value_or(part.end);
      } else if (code_[i].is("=")) {
        break;
      } else if (is_any_of(code_[i], own) || is_indirection(code_[i]) || code_[i].is("[") ||
                 code_[i].is("(") || aliases_.contains(code_[i].text)) {
        return false;
      }
    }
    return part.end > part.first;
  }

  void mark_call(std::size_t name) {
    const auto known = functions_.find(code_[name].text);
    if (known == functions_.end()) return;
    std::size_t open = name + 1;
    if (code_[open].is("<")) {
      const auto close = outline_.template_close(open);
      // A template argument may be a reference: `f<Row&>(row)`.
      if (!close || has_indirection({open, *close})) return;
      open = *close + 1;
    }
    if (open >= code_.size() || !code_[open].is("(")) return;
    const auto close = outline_.partner(open);
    // It is not known here whether < begins template arguments, to which a comma might belong.
    if (!close || angles_before_[*close] > angles_before_[open]) return;
    const Function& function = known->second;
    const auto arguments = outline_.parts_between(open, *close);
    for (std::size_t i = 0; i < arguments.size() && i < function.parameters.size(); ++i) {
      if (function.parameters[i] && may_be_copied(arguments[i])) copy(arguments[i]);
    }
    const bool is_assigned = name > 0 && code_[name - 1].is("=") && *close + 1 < code_.size() &&
                             code_[*close + 1].is(";");
    if (function.returns_structure && is_assigned) copy({name, *close + 1});
  }

  /// Copies a temporary object that is assigned, alone or by choice: `out[i] = float4{a, b, c, d}`,
  /// `*to = fits ? *from : Quad<float>{}`. g++ would store its members one by one.
  void mark_object(std::size_t open) {
    const auto close = outline_.partner(open);
    const auto first = close ? type_before(open) : std::nullopt;
    if (first && *first > 1 && is_to_be_assigned(*first)) copy({*first, *close + 1});
  }

  /// Returns the start of the type name that ends before a token: `N::Quad<4>`; nothing if none
  /// does.
  std::optional<std::size_t> type_before(std::size_t end) const {
    std::size_t at = end;
    while (at > 0) {
      --at;
      if (code_[at].is(">")) {
        const auto open = outline_.template_open(at);
        if (!open || *open == 0) return {};
        at = *open - 1;
      }
      if (code_[at].kind != TokenKind::identifier) return {};
      if (at == 0 || !code_[at - 1].is("::")) return at;
      --at;
      if (at == 0 || code_[at - 1].kind != TokenKind::identifier) return at;
    }
    return {};
  }

  bool is_to_be_assigned(std::size_t object) const {
    static constexpr std::array<std::string_view, 3> choice = {"=", "?", ":"};
    if (!is_any_of(code_[object - 1], choice)) return false;
    for (std::size_t at = object - 1; at > 0; --at) {
      static constexpr std::array<std::string_view, 6> ends = {";", "{", "(", "[", ",", "return"};
      if (code_[at].is("=")) return assigns(at);
      if (is_any_of(code_[at], ends)) return false;
      if (code_[at].is(")") || code_[at].is("]")) at = outline_.partner(at).value_or(1);
      if (code_[at].is("}")) {
        const auto open = outline_.partner(at);
        if (!open || !type_before(*open)) return false;  // the brace ends a statement
        at = *open;
      }
    }
    return false;
  }

  /// Whether a `=` assigns and does not belong to a declaration, as far as the tokens before it
  /// show that.
  bool assigns(std::size_t equals) const {
    if (equals < 2) return false;
    static constexpr std::array<std::string_view, 11> before = {"*", ".", "->", ";",    "{", "}",
                                                                "(", ")", ":",  "else", "do"};
    const Token& last = code_[equals - 1];
    if (last.is(")")) return true;
    if (last.is("+") || last.is("-")) return code_[equals - 2].is(last.text);  // ++, --
    if (last.is("]")) {
      const auto open = outline_.partner(equals - 1);
      return open && *open > 0 && !code_[*open - 1].is("auto") && !is_reference(code_[*open - 1]);
    }
    return last.kind == TokenKind::identifier && is_any_of(code_[equals - 2], before);
  }

  static bool is_reference(const Token& token) { return token.is("&") || token.is("&&"); }

  /// Whether copying an argument keeps its meaning: a list in braces has no type of its own, NULL
  /// would become a number, and a function's name may stand for several functions.
  bool may_be_copied(Part argument) const {
    if (argument.first == argument.end) return false;
    const Token& first = code_[argument.first];
    const bool is_name = argument.end - argument.first == 1;
    if (is_name && (first.is("NULL") || functions_.contains(first.text))) return false;
    return first.kind == TokenKind::identifier || first.is("*") || first.is("(");
  }

  bool has_indirection(Part part) const {
    return std::any_of(code_.begin() + static_cast<std::ptrdiff_t>(part.first),
                       code_.begin() + static_cast<std::ptrdiff_t>(part.end), is_indirection);
  }

  void copy(Part part) {
    edits_.insert_before(code_[part.first], "::tilewise::simt::by_value(");
    edits_.insert_after(code_[part.end - 1], ")");
  }

  const Outline& outline_;
  const std::vector<Token>& code_;
  Edits& edits_;
  std::vector<std::size_t> angles_before_;        ///< counts of < and >
  std::unordered_set<std::string_view> aliases_;  ///< of pointers, references
  std::unordered_map<std::string_view, Function> functions_;
};

}  // namespace

void copy_structures_to_calls(const Outline& outline, Edits& edits) {
  CallMarker(outline, edits).run();
}

}  // namespace tilewise::simt::rewriting
