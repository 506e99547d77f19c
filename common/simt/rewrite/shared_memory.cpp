#include <algorithm>
#include <cstddef>
#include <iterator>
#include <string>
#include <string_view>
#include <variant>

#include "common/simt/rewrite/declaration.hpp"
#include "common/simt/rewrite/edits.hpp"
#include "common/simt/rewrite/passes.hpp"

namespace tilewise::simt::rewriting {
namespace {

class SharedMemoryRewriter {
 public:
  SharedMemoryRewriter(const Outline& outline, bool in_macro, Edits& edits,
                       std::vector<RewriteError>& errors)
      : outline_(outline),
        code_(outline.code()),
        in_macro_(in_macro),
        edits_(edits),
        errors_(errors) {}

  void run() {
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
      errors_.push_back({line,
                         "a shared variable cannot be a member of a class: declare it in the "
                         "kernel"});
      return shared;
    }
    const auto parsed = parse_declaration(outline_, earliest, shared);
    if (const auto* error = std::get_if<DeclarationError>(&parsed)) {
      errors_.push_back({line, std::string(error->message)});
      return error->position;
    }
    const auto& declaration = std::get<Declaration>(parsed);
    const bool is_global = !in_macro_ && outline_.scope(shared) == Scope::file;
    storage_ = is_global ? "static thread_local " : "";
    if (!is_global) {
      for (const auto& declarator : declaration.declarators) capture(declarator.name);
    }
    if (is_dynamic(declaration)) {
      rewrite_dynamic(declaration, line);
    } else {
      rewrite_static(declaration, line);
    }
    return declaration.end;
  }

  bool is_dynamic(const Declaration& declaration) const {
    return std::any_of(at(declaration.first), at(declaration.end),
                       [](const Token& token) { return token.is("extern"); });
  }

  void rewrite_static(const Declaration& declaration, int line) {
    // A macro may be used twice in a function, with other names.
    const auto id =
        next_id(line) +
        (in_macro_ ? "_##" + std::string(code_[declaration.declarators.front().name].text) : "");
    const auto type = "tilewise_shared_" + id;
    const auto block = "tilewise_block_" + id;
    edits_.insert_before(code_[declaration.first], "struct " + type + " { ");
    for (auto i = declaration.first; i < declaration.end; ++i) {
      if (is_storage(code_[i])) edits_.erase(code_[i]);
    }
    // Who uses a macro may write its last semicolon.
    const bool is_open = code_[declaration.end].begin < code_[declaration.end - 1].end();
    auto references = std::string(is_open ? ";" : "") + " }; " + storage_ + "auto& " + block +
                      " = ::tilewise::simt::shared" + (storage_.empty() ? "" : "_at_file_scope") +
                      "<" + type + ">();";
    for (const auto& declarator : declaration.declarators) {
      const std::string name(code_[declarator.name].text);
      references += " " + storage_ + "auto& " + name + " = " + block + "." + name + ";";
      if (storage_.empty()) {
        references += " ::tilewise::simt::name_shared(" + name + ", " + text_of(name) + ");";
      }
    }
    if (is_open) references.pop_back();
    edits_.insert_after(code_[declaration.end], references);
  }

  void rewrite_dynamic(const Declaration& declaration, int line) {
    std::string pointers;
    for (const auto& declarator : declaration.declarators) {
      if (!declarator.bounds || declarator.in_parentheses) {
        errors_.push_back({line,
                           "dynamic shared memory is an array without a bound: write extern "
                           "__shared__ float name[];"});
        return;
      }
      const std::string name(code_[declarator.name].text);
      pointers += (pointers.empty() ? "" : "; ") + storage_ + "auto& " + name +
                  " = ::tilewise::simt::dynamic_shared<" + element_type(declaration, declarator) +
                  ">(" + text_of(name) + ")";
    }
    edits_.insert_before(code_[declaration.first], pointers);
    for (auto i = declaration.first; i < declaration.end; ++i) edits_.erase(code_[i]);
  }

  // Shared variables are no locals, which lambdas would have to capture: those that name one get it
  // by reference.
  void capture(std::size_t name) {
    std::size_t depth = 0;
    for (auto i = name + 1; i < code_.size(); ++i) {
      if (code_[i].is("{")) ++depth;
      if (code_[i].is("}") && depth-- == 0) return;  // the end of the variable's scope
      if (code_[i].is("[")) capture_in_lambda(code_[name], i);
    }
  }

  void capture_in_lambda(const Token& name, std::size_t open) {
    const auto& before = code_[open - 1];
    const bool is_index = before.is(")") || before.is("]") || before.is("[") ||
                          (before.kind == TokenKind::identifier && !before.is("return"));
    const auto close = outline_.partner(open);
    if (is_index || !close || code_[open + 1].is("[")) return;
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

  // In a macro, a parameter's name stands for what it is given.
  std::string text_of(const std::string& name) const {
    return in_macro_ ? "TILEWISE_TEXT(" + name + ")" : quoted(name);
  }

  // Of `float* s[][16]`: float*[16].
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
        i = *attribute;  // dynamic shared memory is aligned for every type
      } else if (!is_storage(code_[i])) {
        type.push_back(code_[i]);
      }
    }
  }

  // Unique in the file: the line and the declaration's number on it.
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
  bool in_macro_;
  Edits& edits_;
  std::vector<RewriteError>& errors_;
  std::string storage_;
  int last_line_ = 0;
  int declarations_on_line_ = 0;
};

}  // namespace

void rewrite_shared_memory(const Outline& outline, bool in_macro, Edits& edits,
                           std::vector<RewriteError>& errors) {
  SharedMemoryRewriter(outline, in_macro, edits, errors).run();
}

}  // namespace tilewise::simt::rewriting
