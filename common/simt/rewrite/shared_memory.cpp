#include <algorithm>
#include <cstddef>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <variant>
#include <vector>

#include "common/base/language.hpp"
#include "common/simt/rewrite/declaration.hpp"
#include "common/simt/rewrite/passes.hpp"
#include "common/simt/rewrite/tokenizer.hpp"

namespace tilewise::simt::rewriting {
namespace {

class SharedMemoryRewriter {
 public:
  SharedMemoryRewriter(const Outline& outline, bool in_macro, Edits& edits,
                       std::vector<RewriteError>& errors)
      : outline_(outline),
        code_(outline.code()),
        jumps_(outline),
        in_macro_(in_macro),
        edits_(edits),
        errors_(errors) {}

  void run() {
    places_of_uses_ = find_places_of_uses();
    std::size_t earliest = 0;
    for (std::size_t i = 0; i < code_.size(); ++i) {
      if (!code_[i].is("__shared__")) continue;
      i = std::max(i, rewrite_declaration(earliest, i));
      earliest = i + 1;
    }
  }

 private:
  // Returns the last token that has been dealt with.
  std::size_t rewrite_declaration(std::size_t earliest, std::size_t shared) {
    const auto line = code_[shared].line;
    if (outline_.scope(shared) == Scope::type) {
      errors_.push_back(
          {line, tr("a shared variable cannot be a member of a class: declare it in the kernel")});
      return shared;
    }
    const auto parsed = parse_declaration(outline_, earliest, shared);
    if (const auto* error = std::get_if<DeclarationError>(&parsed)) {
      errors_.push_back({line, core::in_language(error->message)});
      return error->position;
    }
    const auto& declaration = std::get<Declaration>(parsed);
    const bool is_global = !in_macro_ && outline_.scope(shared) == Scope::file;
    storage_ = is_global ? "static thread_local " : "";
    const auto place = is_global ? std::nullopt : jumps_.place_before(declaration);
    const std::size_t errors = errors_.size();
    const Names names = is_dynamic(declaration) ? rewrite_dynamic(declaration, line, place)
                                                : rewrite_static(declaration, line, place);
    if (errors_.size() > errors) return declaration.end;
    for (const Name& name : names) rewrite_uses(name, is_global);
    return declaration.end;
  }

  bool is_dynamic(const Declaration& declaration) const {
    return std::any_of(at(declaration.first), at(declaration.end),
                       [](const Token& token) { return token.is("extern"); });
  }

  /// A shared variable and the expression that replaces it where a reference does not reach.
  struct Name {
    std::size_t token;
    std::string place;  ///< an expression that yields the variable
  };
  using Names = std::vector<Name>;

  Names rewrite_static(const Declaration& declaration, int line, std::optional<std::size_t> place) {
    // A function may use a macro twice, with different names.
    const auto id = id_of(declaration, line);
    const auto type = "tilewise_shared_" + id;
    const auto block = "tilewise_block_" + id;
    const auto shared = "::tilewise::simt::shared" +
                        std::string(storage_.empty() ? "" : "_at_file_scope") + "<" + type + ">()";
    Names names;
    // The last semicolon may follow the use of a macro.
    const bool is_open = code_[declaration.end].begin < code_[declaration.end - 1].end();
    auto references = std::string(is_open ? ";" : "") + " }; " + storage_ + "auto& " + block +
                      " = " + shared + ";";
    for (const auto& declarator : declaration.declarators) {
      const std::string name(code_[declarator.name].text);
      const std::string member = block + "." + name;
      references += " " + storage_ + "auto& " + name + " = ";
      if (storage_.empty()) {
        references +=
            member + "; ::tilewise::simt::name_shared(" + name + ", " + text_of(name) + ");";
      } else {
        references += "::tilewise::simt::named_shared(" + member + ", " + text_of(name) + ");";
      }
      names.push_back({declarator.name, shared + "." + name});
    }
    const std::string opening = "struct " + type + " { ";
    if (place) {
      std::vector<Token> members;
      for (auto i = declaration.first; i <= declaration.end; ++i) {
        if (!is_storage(code_[i])) members.push_back(code_[i]);
        if (i < declaration.end) edits_.erase(code_[i]);
      }
      edits_.insert_before(code_[*place], opening + joined(members) + references + " ");
      return names;
    }
    edits_.insert_before(code_[declaration.first], opening);
    for (auto i = declaration.first; i < declaration.end; ++i) {
      if (is_storage(code_[i])) edits_.erase(code_[i]);
    }
    if (is_open) references.pop_back();
    edits_.insert_after(code_[declaration.end], references);
    return names;
  }

  Names rewrite_dynamic(const Declaration& declaration, int line,
                        std::optional<std::size_t> place) {
    std::string pointers, alignment;
    Names names;
    if (const std::string attributes = attributes_of(declaration); !attributes.empty()) {
      const std::string type = "tilewise_aligned_" + id_of(declaration, line);
      pointers = "struct " + type + " { " + attributes + " char first; }";
      alignment = ", alignof(" + type + ")";
    }
    for (const auto& declarator : declaration.declarators) {
      if (!declarator.bounds || declarator.in_parentheses) {
        errors_.push_back({line, tr("dynamic shared memory is an array without a bound: write "
                                    "extern __shared__ float name[];")});
        return {};
      }
      const std::string name(code_[declarator.name].text);
      const std::string shared = "::tilewise::simt::dynamic_shared<" +
                                 element_type(declaration, declarator) + alignment + ">(" +
                                 text_of(name) + ")";
      pointers += (pointers.empty() ? "" : "; ") + storage_ + "auto& " + name + " = " + shared;
      names.push_back({declarator.name, shared});
    }
    edits_.insert_before(code_[place.value_or(declaration.first)], pointers + (place ? "; " : ""));
    for (auto i = declaration.first; i < declaration.end; ++i) edits_.erase(code_[i]);
    return names;
  }

  // Rewrites the places in the scope of a name where a reference does not do in its stead.
  void rewrite_uses(const Name& name, bool is_global) {
    const Token& token = code_[name.token];
    const std::size_t end = jumps_.end_of_scope(name.token);
    const auto first = std::upper_bound(places_of_uses_.begin(), places_of_uses_.end(), name.token);
    for (auto use = first; use != places_of_uses_.end() && *use < end; ++use) {
      if (code_[*use].is("decltype")) {
        if (!code_[*use + 2].is(token.text) || !marked_.insert(*use).second) continue;
        edits_.insert_before(code_[*use], "::std::remove_reference_t<");
        edits_.insert_after(code_[*use + 3], ">");
      } else if (is_global) {
        continue;
      } else if (code_[*use].is("[")) {
        capture_in_lambda(token, *use);
      } else {
        declare_in_class(name, *use);
      }
    }
  }

  /// Returns the places where a name may have to be something else than a reference:
  /// `decltype(name)`, lambdas, local classes.
  std::vector<std::size_t> find_places_of_uses() const {
    std::vector<std::size_t> places;
    for (std::size_t i = 1; i + 3 < code_.size(); ++i) {
      const Token& token = code_[i];
      const bool is_decltype = token.is("decltype") && code_[i + 1].is("(") && code_[i + 3].is(")");
      const bool is_class = token.is("{") && outline_.scope(i) == Scope::block &&
                            outline_.scope(i + 1) == Scope::type;
      if (is_decltype || is_class || (token.is("[") && !is_index(i))) places.push_back(i);
    }
    return places;
  }

  bool is_index(std::size_t open) const {
    const Token& before = code_[open - 1];
    return before.is(")") || before.is("]") || before.is("[") ||
           (before.kind == TokenKind::identifier && !before.is("return"));
  }

  // The functions of a local class may not use the locals around it, except shared variables.
  void declare_in_class(const Name& name, std::size_t open) {
    const std::string_view word = code_[name.token].text;
    const auto end = outline_.partner(open);
    if (!end || declares_member(word, open, *end)) return;
    std::size_t member = open + 1;            // where the declaration of the current member starts
    std::optional<std::size_t> initializers;  // the colon before a constructor's initializers
    for (auto i = open + 1; i < *end; ++i) {
      const Token& token = code_[i];
      if (token.is("{") && outline_.scope(i) == Scope::type) {
        const auto body_end = outline_.partner(i).value_or(*end);
        const auto says = [&](std::size_t first, std::size_t last) {
          return std::any_of(at(first), at(last), [&](const Token& t) { return t.is(word); });
        };
        const bool is_function =
            std::any_of(at(member), at(i), [](const Token& t) { return t.is("("); });
        if (is_function && says(i, body_end) && !says(member, initializers.value_or(i))) {
          edits_.insert_after(token, " auto& " + std::string(word) + " = " + name.place + ";");
        }
        i = body_end;
        member = i + 1;
        initializers.reset();
      } else if (token.is(":") && code_[i - 1].is(")")) {
        initializers = i;
      } else if (token.is(";") || token.is(":")) {
        member = i + 1;
      } else if (token.is(word) && (initializers || code_[i - 1].is("="))) {
        edits_.replace(token, name.place);
      }
    }
  }

  bool declares_member(std::string_view word, std::size_t open, std::size_t end) const {
    for (auto i = open + 1; i < end; ++i) {
      if (code_[i].is("(") || code_[i].is("{") || code_[i].is("[")) {
        i = outline_.partner(i).value_or(end);
      } else if (code_[i].is(word) &&
                 (code_[i - 1].kind == TokenKind::identifier || code_[i - 1].is("*") ||
                  code_[i - 1].is("&") || code_[i - 1].is(">") || code_[i - 1].is(","))) {
        return true;
      }
    }
    return false;
  }

  // A lambda that uses the variable captures it by reference.
  void capture_in_lambda(const Token& name, std::size_t open) {
    const auto close = outline_.partner(open);
    if (!close || code_[open + 1].is("[")) return;
    auto body = *close + 1;
    while (body < code_.size() && !code_[body].is("{")) {
      static constexpr std::string_view ends[] = {";", ",", ")", "}", "="};
      if (std::find(std::begin(ends), std::end(ends), code_[body].text) != std::end(ends)) return;
      const auto parameters = code_[body].is("(") ? outline_.partner(body) : std::nullopt;
      body = parameters.value_or(body) + 1;
    }
    const auto end = body < code_.size() ? outline_.partner(body) : std::nullopt;
    const auto says = [&](std::size_t first, std::size_t last) {
      return std::any_of(at(first), at(last),
                         [&](const Token& token) { return token.is(name.text); });
    };
    const bool takes_all =
        code_[open + 1].is("&") && (open + 2 == *close || code_[open + 2].is(","));
    if (!end || takes_all || says(open, *close) || !says(body, *end)) return;
    edits_.insert_after(code_[*close - 1],
                        (*close == open + 1 ? "&" : ", &") + std::string(name.text));
  }

  // In a macro, the name may be a parameter, whose argument is the variable's name.
  std::string text_of(const std::string& name) const {
    return in_macro_ ? "TILEWISE_TEXT(" + name + ")" : quoted(name);
  }

  // Returns the type of the elements: float*[16] for `float* s[][16]`.
  std::string element_type(const Declaration& declaration, const Declarator& declarator) const {
    std::vector<Token> type;
    append_type(type, declaration.first, declaration.declarators.front().first);
    append_type(type, declarator.first, declarator.name);
    append_type(type, *outline_.partner(*declarator.bounds) + 1, declarator.end);
    return joined(type);
  }

  void append_type(std::vector<Token>& type, std::size_t first, std::size_t end) const {
    for (auto i = first; i < end; ++i) {
      if (const auto attribute = attribute_end(outline_, i)) {
        i = *attribute;  // it belongs to the array, not to its elements
      } else if (!is_storage(code_[i])) {
        type.push_back(code_[i]);
      }
    }
  }

  // Returns the alignment attributes of an array without a bound, as they are written.
  std::string attributes_of(const Declaration& declaration) const {
    std::vector<Token> attributes;
    for (auto i = declaration.first; i < declaration.end; ++i) {
      const auto end = attribute_end(outline_, i);
      if (!end) continue;
      const bool is_alignment = std::any_of(at(i), at(*end), [](const Token& token) {
        return token.is("alignas") || token.is("__align__") || token.is("aligned");
      });
      if (is_alignment) attributes.insert(attributes.end(), at(i), at(*end + 1));
      i = *end;
    }
    return joined(attributes);
  }

  std::string id_of(const Declaration& declaration, int line) {
    return next_id(line) +
           (in_macro_ ? "_##" + std::string(code_[declaration.declarators.front().name].text) : "");
  }

  // Returns an id that is unique in the file: the line and the declaration's number on it.
  std::string next_id(int line) {
    declarations_on_line_ = line == last_line_ ? declarations_on_line_ + 1 : 1;
    last_line_ = line;
    return std::to_string(line) + "_" + std::to_string(declarations_on_line_);
  }

  std::vector<Token>::const_iterator at(std::size_t index) const {
    return code_.begin() + static_cast<std::ptrdiff_t>(index);
  }

  const Outline& outline_;
  const std::vector<Token>& code_;
  Jumps jumps_;
  bool in_macro_;
  Edits& edits_;
  std::vector<RewriteError>& errors_;
  std::string storage_;
  std::vector<std::size_t> places_of_uses_;
  std::unordered_set<std::size_t> marked_;  ///< uses marked already: names may be declared twice
  int last_line_ = 0;
  int declarations_on_line_ = 0;
};

}  // namespace

void rewrite_shared_memory(const Outline& outline, bool in_macro, Edits& edits,
                           std::vector<RewriteError>& errors) {
  SharedMemoryRewriter(outline, in_macro, edits, errors).run();
}

}  // namespace tilewise::simt::rewriting
