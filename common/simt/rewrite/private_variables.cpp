#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "common/simt/rewrite/declaration.hpp"
#include "common/simt/rewrite/device_code.hpp"
#include "common/simt/rewrite/passes.hpp"

namespace tilewise::simt::rewriting {
namespace {

template <std::size_t count>
bool is_any_of(const Token& token, const std::array<std::string_view, count>& words) {
  return std::ranges::find(words, token.text) != words.end();
}

constexpr std::array<std::string_view, 11> builtin_types = {"bool",   "char",   "short",    "int",
                                                            "long",   "signed", "unsigned", "float",
                                                            "double", "size_t", "half"};

/// Words that begin statements which might be mistaken for the declaration of a variable.
constexpr std::array<std::string_view, 27> other_statements = {
    "return",   "goto",   "break",    "continue",  "delete",        "throw",   "else",
    "do",       "case",   "default",  "new",       "typedef",       "using",   "struct",
    "class",    "union",  "enum",     "extern",    "static",        "const",   "constexpr",
    "volatile", "friend", "template", "namespace", "static_assert", "operator"};

/// One variable of a declaration such as `float a[4], *p, x = 1;`.
struct Variable {
  Part text;  ///< from its first * to its last token
  std::size_t name;
  std::size_t rank = 0;  ///< the number of extents in brackets
  bool has_extents = true;
  std::optional<Part> value;  ///< the tokens behind =
};

struct Variables {
  Part type;
  std::size_t end;  ///< the semicolon
  std::vector<Variable> all;
};

class VariableWatcher {
 public:
  VariableWatcher(const Outline& outline, const std::set<std::string_view>& macros, Edits& edits)
      : outline_(outline),
        code_(outline.code()),
        macros_(macros),
        jumps_(outline),
        device_code_(outline),
        edits_(edits) {}

  void run() {
    for (std::size_t i = 0; i < code_.size(); ++i) {
      device_code_.pass(i);
      pass_bracket(i);
      const bool ends_statement = code_[i].is(";") || code_[i].is("{") || code_[i].is("}");
      if (!ends_statement || !device_code_.inside() || in_parentheses()) continue;
      if (i + 1 >= code_.size() || outline_.scope(i + 1) != Scope::block) continue;
      if (const auto variables = variables_at(i + 1)) watch(*variables);
    }
  }

 private:
  bool is(std::size_t index, std::string_view text) const {
    return index < code_.size() && code_[index].is(text);
  }

  void pass_bracket(std::size_t index) {
    const auto partner = outline_.partner(index);
    if (!partner) return;
    while (!closing_.empty() && closing_.back() <= index) closing_.pop_back();
    if (*partner > index) closing_.push_back(*partner);
  }

  /// Whether the code stands in parentheses, such as a loop's head or the arguments of a macro.
  bool in_parentheses() const { return !closing_.empty() && !code_[closing_.back()].is("}"); }

  /// Returns the end of the type that begins at a token; nothing if none does.
  std::optional<std::size_t> end_of_type(std::size_t at) const {
    if (at >= code_.size() || !code_[at].is_name() || is_any_of(code_[at], other_statements))
      return {};
    if (is_any_of(code_[at], builtin_types)) {
      while (at < code_.size() && is_any_of(code_[at], builtin_types)) ++at;
      return at;
    }
    for (;;) {
      if (at >= code_.size() || !code_[at].is_name() || macros_.contains(code_[at].text)) return {};
      // Excludes __shared__ and other qualifiers.
      if (code_[at].text.starts_with("__") && !code_[at].text.starts_with("__half")) return {};
      ++at;
      if (is(at, "<")) {
        const auto close = outline_.template_close(at);
        if (!close) return {};
        at = *close + 1;
      }
      if (!is(at, "::")) return at;
      ++at;
    }
  }

  std::optional<Variables> variables_at(std::size_t first) const {
    const auto end = end_of_type(first);
    if (!end) return {};
    Variables found{{first, *end}, 0, {}};
    const bool may_point = is_any_of(code_[first], builtin_types);
    for (std::size_t at = *end;;) {
      Variable variable{{at, at}, at, 0, true, {}};
      while (may_point && is(at, "*")) ++at;
      if (at >= code_.size() || !code_[at].is_name() || macros_.contains(code_[at].text)) return {};
      if (code_[at].text.starts_with("__")) return {};
      variable.name = at++;
      for (; is(at, "["); ++variable.rank) {
        variable.has_extents &= !is(at + 1, "]");
        at = outline_.behind(at);
      }
      if (is(at, "=")) {
        const std::size_t value = ++at;
        while (at < code_.size() && !is(at, ",") && !is(at, ";")) at = outline_.behind(at);
        variable.value = Part{value, at};
      }
      variable.text.end = at;
      found.all.push_back(variable);
      if (is(at, ";")) {
        found.end = at;
        return found;
      }
      if (!is(at, ",")) return {};
      ++at;
    }
  }

  /// Whether the code may form a pointer to an array's elements: the array's name stands without
  /// all of its indices, or with an `&` before it.
  bool is_handed_on(const Variable& array) const {
    const std::size_t end = std::min(device_code_.end_of_function(), code_.size());
    for (std::size_t i = array.text.end; i < end; ++i) {
      if (!code_[i].is(code_[array.name].text)) continue;
      static constexpr std::array<std::string_view, 3> members = {".", "->", "::"};
      if (is_any_of(code_[i - 1], members)) continue;
      if (code_[i - 1].is("&")) return true;
      std::size_t indices = 0;
      for (std::size_t at = i + 1; is(at, "["); at = outline_.behind(at)) ++indices;
      if (indices < array.rank) return true;
    }
    return false;
  }

  /// Whether a shuffle takes the variable: the values of most lanes may then be unused, and those
  /// lanes need not set one.
  bool is_shuffled(const Variable& variable) const {
    const std::size_t end = std::min(device_code_.end_of_function(), code_.size());
    for (std::size_t i = variable.text.end; i < end; ++i) {
      if (code_[i].text.find("shfl") == std::string_view::npos || !is(i + 1, "(")) continue;
      const std::size_t close = outline_.behind(i + 1);
      for (std::size_t at = i + 2; at < close; ++at) {
        if (code_[at].is(code_[variable.name].text)) return true;
      }
    }
    return false;
  }

  /// Whether an array can have fences: its initial value is missing or is a list.
  bool may_be_fenced(const Variable& variable) const {
    if (variable.rank == 0 || !variable.has_extents) return false;
    return !variable.value || is(variable.value->first, "{");
  }

  void watch(const Variables& variables) {
    const bool fences = std::ranges::any_of(variables.all, [&](const Variable& variable) {
      return may_be_fenced(variable) && is_handed_on(variable);
    });
    const bool on_one_line = code_[variables.type.first].line == code_[variables.end].line;
    const Declaration declaration{variables.type.first, variables.end, {}};
    if (fences && on_one_line && !jumps_.place_before(declaration)) return fence(variables);
    std::string unset;
    for (const Variable& variable : variables.all) {
      if (!variable.value && !is_shuffled(variable)) unset += unset_call(variable);
    }
    if (!unset.empty()) edits_.insert_after(code_[variables.end], unset);
  }

  std::string words(Part part) const {
    return joined(std::span(code_).subspan(part.first, part.end - part.first));
  }

  std::string unset_call(const Variable& variable) const {
    const std::string name(code_[variable.name].text);
    return " ::tilewise::simt::unset(" + name + ", \"" + name + "\", " +
           std::to_string(code_[variable.name].line) + ", [] {});";
  }

  /// Declares all variables of a declaration one by one.
  void fence(const Variables& variables) {
    std::string text;
    for (const Variable& variable : variables.all) {
      if (!text.empty()) text += ' ';
      text += may_be_fenced(variable) ? fenced(variables.type, variable)
                                      : alone(variables.type, variable);
    }
    for (std::size_t i = variables.type.first; i <= variables.end; ++i) {
      i == variables.type.first ? edits_.replace(code_[i], text) : edits_.erase(code_[i]);
    }
  }

  std::string alone(Part type, const Variable& variable) const {
    return words(type) + ' ' + words(variable.text) + ';' +
           (variable.value || is_shuffled(variable) ? "" : unset_call(variable));
  }

  std::string fenced(Part type, const Variable& variable) {
    const Token& name = code_[variable.name];
    const std::string id = std::to_string(name.line) + '_' + std::to_string(++fences_);
    const std::string of_name = "tilewise_array_" + id, all = "tilewise_fenced_" + id;
    const std::size_t declared = variable.value ? variable.value->first - 1 : variable.text.end;
    std::string text = "struct " + of_name + " { ::tilewise::simt::Fence tilewise_before; " +
                       words(type) + ' ' + words({variable.text.first, declared}) +
                       "; ::tilewise::simt::Fence tilewise_behind; }; " + of_name + ' ' + all;
    if (variable.value) text += " = {{}, " + words(*variable.value) + ", {}}";
    text += "; auto& " + std::string(name.text) + " = " + all + '.' + std::string(name.text) +
            "; ::tilewise::simt::Fenced<" + of_name + "> tilewise_watch_" + id + '(' + all + ", " +
            std::string(name.text) + ", \"" + std::string(name.text) + "\", " +
            std::to_string(name.line) + ", " + (variable.value ? "true" : "false") + ");";
    return text;
  }

  const Outline& outline_;
  const std::vector<Token>& code_;
  const std::set<std::string_view>& macros_;
  Jumps jumps_;
  DeviceCode device_code_;
  Edits& edits_;
  std::vector<std::size_t> closing_;  ///< the closing brackets of those that are open
  int fences_ = 0;
};

}  // namespace

void watch_private_variables(const Outline& outline, const std::set<std::string_view>& macros,
                             Edits& edits) {
  VariableWatcher(outline, macros, edits).run();
}

}  // namespace tilewise::simt::rewriting
