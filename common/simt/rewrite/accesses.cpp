#include "common/simt/rewrite/accesses.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "common/simt/rewrite/conditions.hpp"
#include "common/simt/rewrite/functions.hpp"
#include "common/simt/rewrite/index_parts.hpp"
#include "common/simt/rewrite/outline.hpp"
#include "common/simt/rewrite/tokenizer.hpp"
#include "common/simt/rewrite/variables.hpp"

namespace tilewise::simt {
namespace {

using rewriting::Condition;
using rewriting::Outline;
using rewriting::Part;
using rewriting::Token;
using rewriting::words_of;
using rewriting::WrittenFunction;

/// Reads the accesses of one device function.
class AccessReader {
 public:
  AccessReader(const Outline& outline, const WrittenFunction& function,
               std::vector<SourceAccess>& found)
      : outline_(outline), code_(outline.code()), function_(function), found_(found) {}

  void run() {
    for (const Part& part :
         outline_.parts_between(function_.parameters, *outline_.partner(function_.parameters))) {
      read_parameter(part);
    }
    for (std::size_t i = function_.body + 1; i + 1 < function_.end; ++i) {
      if (!code_[i].is_name()) continue;
      if (code_[i + 1].is("[")) read_brackets(i);
      if (code_[i - 1].is("*") || code_[i - 1].is("const")) read_pointer(i);
      if (made_.contains(code_[i].text) && !of_elements_.contains(code_[i].text)) read_argument(i);
      if (pointers_.contains(code_[i].text) && code_[i + 1].is("+") && !code_[i + 2].is("=") &&
          !code_[i + 2].is("+") && !code_[i - 1].is(".")) {
        read_sum(i);
      }
    }
  }

 private:
  void read_parameter(const Part& part) {
    if (part.end <= part.first + 1 || !code_[part.end - 1].is_name()) return;
    const std::string_view name = code_[part.end - 1].text;
    bool is_pointer = false, is_whole = false;
    for (std::size_t i = part.first; i < part.end; ++i) {
      is_pointer |= code_[i].is("*");
      is_whole |= code_[i].is("int") || code_[i].is("size_t") || code_[i].is("unsigned");
    }
    if (is_pointer) {
      pointers_.insert(name);
    } else if (is_whole) {
      sides_.insert(name);
    }
  }

  std::size_t start_of_statement(std::size_t index) const {
    std::size_t first = index;
    while (first > function_.body + 1) {
      const Token& before = code_[first - 1];
      if (before.is(";") || before.is("{") || before.is("}")) break;
      if (before.is(")")) {
        const std::size_t open = outline_.partner(first - 1).value_or(first - 1);
        const Token& word = code_[open - 1];
        if (word.is("if") || word.is("for") || word.is("while") || word.is("constexpr")) break;
        first = open;
      } else {
        --first;
      }
    }
    return first;
  }

  /// Returns the first token of the declaration that a name with brackets belongs to, as in `float
  /// As[16][16], *next;`; nothing if it is not declared there.
  std::optional<std::size_t> declared_from(std::size_t name) const {
    std::size_t first = start_of_statement(name);
    while (first < name && code_[first].is("(")) ++first;
    if (first >= name || !code_[first].is_name() || code_[first].is("return") ||
        code_[first].is("else")) {
      return std::nullopt;
    }
    bool had_type = false;
    for (std::size_t i = first; i < name; ++i) {
      if (code_[i].is("=") || code_[i].is("+") || code_[i].is("-") || code_[i].is("/") ||
          code_[i].is(".") || code_[i].is("->") || code_[i].is("{")) {
        return std::nullopt;
      }
      if (code_[i].is("<")) i = outline_.template_close(i).value_or(i);
      if (code_[i].is("(") || code_[i].is("[")) {
        if (!had_type && code_[i].is("[")) return std::nullopt;
        i = outline_.partner(i).value_or(i);
        if (i > name) return std::nullopt;
        continue;
      }
      had_type |= code_[i].is_name();
    }
    return had_type ? std::optional(first) : std::nullopt;
  }

  std::size_t after_brackets(std::size_t name) const {
    std::size_t end = name + 1;
    while (end < function_.end && code_[end].is("[")) end = outline_.behind(end);
    return end;
  }

  /// Returns the type of a declaration, "float ", whose first variable may be another one.
  std::string type_from(std::size_t first, std::size_t name) const {
    static constexpr auto no_types =
        std::to_array<std::string_view>({"__shared__", "static", "const", "extern", "volatile"});
    std::size_t end = first;
    for (std::size_t i = first; i <= name && !code_[i].is("[") && !code_[i].is(","); ++i) {
      if (code_[i].is_name() && !outline_.takes_parentheses(i)) end = i;
      if (code_[i].is("<")) i = outline_.template_close(i).value_or(i);
      if (code_[i].is("(")) i = outline_.partner(i).value_or(i);
    }
    std::string type;
    for (std::size_t i = first; i < end; ++i) {
      if (outline_.takes_parentheses(i)) {
        i = outline_.partner(i + 1).value_or(i);
      } else if (std::ranges::find(no_types, code_[i].text) == no_types.end()) {
        type += code_[i].text;
        type += code_[i].is_name() && code_[i + 1].is_name() ? " " : "";
      }
    }
    return type.ends_with(' ') ? type : type + ' ';
  }

  void read_brackets(std::size_t name) {
    const std::size_t end = after_brackets(name);
    if (const auto first = declared_from(name)) {
      bool is_shared = false;
      for (std::size_t i = *first; i < name; ++i) is_shared |= code_[i].is("__shared__");
      const bool is_of_pointers = code_[name - 1].is("*");
      declared_[code_[name].text] = {is_shared        ? SourceAccess::Memory::shared
                                     : is_of_pointers ? SourceAccess::Memory::unknown
                                                      : SourceAccess::Memory::own,
                                     type_from(*first, name) + words_of(code_, {name, end}),
                                     code_[name].line};
      return;
    }
    if (code_[name - 1].is(".") || code_[name - 1].is("->")) return;
    std::vector<Part> brackets;
    for (std::size_t open = name + 1; open < end; open = *outline_.partner(open) + 1) {
      if (!outline_.partner(open)) return;
      brackets.push_back({open + 1, *outline_.partner(open)});
    }
    if (brackets.empty()) return;
    add(name, end, brackets);
    const auto declared = declared_.find(code_[name].text);
    const bool is_of_pointers =
        declared != declared_.end() && declared->second.memory == SourceAccess::Memory::unknown;
    if (is_of_pointers && brackets.size() == 1 && code_[end].is("=") && !code_[end + 1].is("=")) {
      read_element_made(name, end + 1);
    }
  }

  /// Reads `a[i] = A + i * n;` for an array of pointers, unless there is another such statement.
  void read_element_made(std::size_t name, std::size_t first) {
    std::size_t end = first;
    while (end < function_.end && !code_[end].is(";")) end = outline_.behind(end);
    const Part value{first, end};
    const bool is_first = of_elements_.insert(code_[name].text).second;
    if (!is_first) made_.erase(code_[name].text);
    if (is_first) {
      made_[code_[name].text] = {SourceAccess::Memory::unknown, words_of(code_, value),
                                 code_[name].line, value};
    }
  }

  /// Reads `const float* a = A + row * n;`, and `*a`.
  void read_pointer(std::size_t name) {
    const bool is_declared = code_[name + 1].is("=") && !code_[name + 2].is("=");
    std::size_t star = name - 1;
    while (code_[star].is("const") && star > function_.body) --star;
    if (!code_[star].is("*")) return;
    const Token& before = code_[star - 1];
    const bool is_of_type = before.is_name() && !before.is("return");
    // The star in `a++ * b[k]` multiplies.
    const bool is_product = before.is("+") && code_[star - 2].is("+") && code_[star - 3].is_name();
    if (is_declared && is_of_type) {
      std::size_t end = name + 2;
      while (end < function_.end && !code_[end].is(";") && !code_[end].is(",")) {
        end = outline_.behind(end);
      }
      const Part value{name + 2, end};
      made_[code_[name].text] = {SourceAccess::Memory::unknown, words_of(code_, value),
                                 code_[name].line, value};
    } else if (star == name - 1 && !code_[name + 1].is("[") && !is_of_type && !is_product &&
               !before.is(")") && !before.is("]") && before.kind != rewriting::TokenKind::number &&
               (made_.contains(code_[name].text) || pointers_.contains(code_[name].text))) {
      const bool moves = code_[name + 1].is("+") && code_[name + 2].is("+");
      if (moves || !code_[name + 1].is("+")) add(name, name + (moves ? 3 : 1), {});
    }
  }

  /// Reads `load(from)`, where `from` is a pointer that the function declares.
  void read_argument(std::size_t name) {
    const bool is_argument = (code_[name - 1].is("(") || code_[name - 1].is(",")) &&
                             (code_[name + 1].is(")") || code_[name + 1].is(","));
    std::size_t open = name;
    while (is_argument && open > function_.body && !code_[open].is("(")) {
      open = code_[open - 1].is(")") ? outline_.partner(open - 1).value_or(open - 1) : open - 1;
      if (code_[open].is(";") || code_[open].is("{") || code_[open].is("}")) return;
    }
    const Token& callee = code_[open - 1];
    if (!is_argument || (!callee.is_name() && !callee.is(">")) || callee.is("if")) return;
    add(name, name + 1, {});
    found_.back().handed_on = !found_.back().stores;
    if (found_.back().handed_on) found_.back().distance = distance_behind(name, name + 1);
  }

  /// Reads `A + row * n + k`, up to the bracket, comma or semicolon that ends it.
  void read_sum(std::size_t name) {
    std::size_t end = name + 2;
    while (end < function_.end && !code_[end].is(",") && !code_[end].is(";") &&
           !code_[end].is(")") && !code_[end].is("]")) {
      end = outline_.behind(end);
    }
    add(name, end, {{name + 2, end}});
  }

  /// Whether a statement stores to the access: directly, through its address as a vector, or as the
  /// first argument of a function that copies.
  bool is_stored(std::size_t name, std::size_t end) const {
    std::size_t after = end;
    std::size_t before = name;
    while (code_[after].is(".") && code_[after + 1].is_name()) after += 2;
    while (before > function_.body + 1 &&
           (code_[before - 1].is("&") || code_[before - 1].is("("))) {
      if (code_[before - 1].is("(")) {
        const Token& word = code_[before - 2];
        const bool copies = word.is_name() && word.text.find("async") != std::string_view::npos;
        const bool is_first_of = word.is(">") && copies_by_template(before - 2);
        if ((copies || is_first_of) && code_[after].is(",")) return true;
        if (!code_[after].is(")")) break;
        ++after;
      }
      --before;
    }
    if (code_[after].is("[")) after = outline_.behind(after);
    while (code_[after].is(".") && code_[after + 1].is_name()) after += 2;
    if (code_[after].is("=")) return !code_[after + 1].is("=");
    static constexpr auto joint = std::to_array<std::string_view>({"+", "-", "*", "/"});
    return std::ranges::find(joint, code_[after].text) != joint.end() && code_[after + 1].is("=");
  }

  bool copies_by_template(std::size_t close) const {
    const auto open = outline_.template_open(close);
    return open && *open > 0 && code_[*open - 1].text.find("async") != std::string_view::npos;
  }

  void add(std::size_t name, std::size_t end, const std::vector<Part>& brackets) {
    SourceAccess access;
    access.array = code_[name].text;
    access.text = words_of(code_, {name, end});
    const std::size_t first = start_of_statement(name);
    std::size_t last = first;
    while (last < function_.end && !code_[last].is(";") && !code_[last].is("{") &&
           !code_[last].is(")")) {
      last = outline_.behind(last);
    }
    access.statement = words_of(code_, {first, last});
    access.line = code_[name].line;
    access.stores = is_stored(name, end);
    access.handed_on = !access.stores && code_[name - 1].is("&") &&
                       (code_[name - 2].is("(") || code_[name - 2].is(",")) &&
                       (code_[end].is(",") || (code_[end].is(")") && code_[end + 1].is(";")));
    if (access.handed_on) access.distance = distance_behind(name, end);
    access.function = function_.name;
    access.in_kernel = function_.is_kernel;
    if (const auto lambda = rewriting::lambda_around(outline_, name, function_.body)) {
      access.lambda = code_[lambda->name].text;
    }
    const auto declared = declared_.find(code_[name].text);
    access.memory = declared != declared_.end() ? declared->second.memory
                    : function_.is_kernel && pointers_.contains(code_[name].text)
                        ? SourceAccess::Memory::global
                        : SourceAccess::Memory::unknown;
    if (declared != declared_.end()) {
      access.declaration = declared->second.text;
      access.declaration_line = declared->second.line;
    }
    // An array name without brackets is not an element, and another variable of the same name is
    // not the array.
    const bool is_element = of_elements_.contains(access.array) && !brackets.empty();
    const auto made = made_.find(access.array);
    if (made != made_.end() && (is_element || declared == declared_.end())) {
      access.origin = made->second.text;
      access.origin_line = made->second.line;
    }
    for (const Part& bracket : brackets) access.brackets.push_back(words_of(code_, bracket));
    const std::vector<Condition> conditions = conditions_before(outline_, name, function_.body);
    access.conditions = rewriting::in_words(code_, conditions);
    const rewriting::IndexParts index_parts(outline_, function_.body, sides_);
    std::vector<Part> parts = brackets;
    if (brackets.size() == 1 && access.memory != SourceAccess::Memory::own) {
      auto split = index_parts.row_and_column(brackets.front());
      parts = std::move(split.parts);
      access.pitch = std::move(split.pitch);
    }
    for (const Part& part : parts) {
      access.parts.push_back(index_parts.judged(part, conditions));
      add_definitions(part, access.parts.back().made_of, true);
    }
    if (!access.origin.empty()) {
      if (is_element) access.parts.erase(access.parts.begin());
      const Part value = made_.find(access.array)->second.value;
      add_definitions(value, access.made_of);
      add_origin(value, index_parts, conditions, access);
    }
    found_.push_back(std::move(access));
  }

  /// Returns the row distance that is passed to load_matrix_sync() or store_matrix_sync(); "" for
  /// other functions.
  /// @param end the token behind the access, whose address is an argument of the call
  std::string distance_behind(std::size_t name, std::size_t end) const {
    std::size_t open = name - 1;
    while (open > function_.body && !code_[open].is("(")) {
      open = code_[open].is(")") || code_[open].is("]") ? outline_.partner(open).value_or(open) - 1
                                                        : open - 1;
    }
    const std::string_view callee = code_[open - 1].text;
    if (callee != "load_matrix_sync" && callee != "store_matrix_sync") return "";
    const auto end_of_argument = [&](std::size_t at) {
      while (at < function_.end && !code_[at].is(",") && !code_[at].is(")")) {
        at = outline_.behind(at);
      }
      return at;
    };
    std::size_t comma = end;
    if (callee == "store_matrix_sync" && code_[comma].is(",")) comma = end_of_argument(comma + 1);
    return code_[comma].is(",") ? words_of(code_, {comma + 1, end_of_argument(comma + 1)}) : "";
  }

  /// Adds the definitions of the variables in a value, `a_k = t % 2` for a_k, and of those in their
  /// values in turn. A variable that only renames another adds nothing.
  /// @param of_threads  also adds values with a member, such as threadIdx.x
  void add_definitions(Part value, std::vector<QuotedLine>& found, bool of_threads = false,
                       int depth = 0) const {
    constexpr int deepest = 3;
    for (std::size_t i = value.first; i < value.end && depth < deepest; ++i) {
      const auto made = code_[i].is_name() && !code_[i - 1].is(".") && !code_[i - 1].is("::")
                            ? rewriting::definition_of(outline_, i, function_.body)
                            : std::nullopt;
      if (!made || made->first >= i) continue;
      std::string text = std::string(code_[i].text) + " = " + words_of(code_, *made);
      const bool is_sum =
          made->end > made->first + 1 && (of_threads || text.find('.') == std::string::npos);
      const bool is_known = std::ranges::find(found, text, &QuotedLine::text) != found.end();
      if (is_sum && !is_known) found.push_back({code_[made->first].line, std::move(text)});
      add_definitions(*made, found, of_threads, depth + 1);
    }
  }

  /// Adds the parts of `A + row * n` to those by which a pointer made of it is indexed. If that
  /// pointer moves on, the conditions may well test more than these parts.
  void add_origin(Part value, const rewriting::IndexParts& index_parts,
                  const std::vector<Condition>& conditions, SourceAccess& access) const {
    const bool is_sum = value.end > value.first + 2 && code_[value.first + 1].is("+") &&
                        pointers_.contains(code_[value.first].text);
    if (!is_sum) return access.parts.clear();
    access.matrix = code_[value.first].text;
    const auto split = index_parts.row_and_column({value.first + 2, value.end});
    for (const Part& part : split.parts) {
      access.parts.push_back(index_parts.judged(part, conditions));
    }
    for (IndexPart& part : access.parts) {
      if (part.tested == IndexPart::Tested::alike) part.tested = IndexPart::Tested::exactly;
    }
  }

  struct Declared {
    SourceAccess::Memory memory;
    std::string text;
    int line;
    Part value = {};  ///< a pointer's first value
  };

  const Outline& outline_;
  const std::vector<Token>& code_;
  const WrittenFunction& function_;
  std::vector<SourceAccess>& found_;
  std::set<std::string_view> pointers_, sides_;           ///< parameters: pointers, and integers
  std::map<std::string_view, Declared> declared_, made_;  ///< arrays; pointers
  std::set<std::string_view> of_elements_;  ///< arrays of pointers whose elements are in made_
};

}  // namespace

std::vector<SourceAccess> accesses_in(std::string_view source) {
  const rewriting::SourceText text(source);
  std::vector<SourceAccess> found;
  for (const WrittenFunction& function : text.functions) {
    if (function.is_of_device) AccessReader(text.outline, function, found).run();
  }
  return found;
}

}  // namespace tilewise::simt
