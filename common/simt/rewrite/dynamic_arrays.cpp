#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/base/language.hpp"
#include "common/simt/rewrite/passes.hpp"

namespace tilewise::simt::rewriting {
namespace {

/// Types that surely differ, in one spelling each. A name that is not among them may be a
/// template's parameter, or stand for one of these.
constexpr auto known_types = std::to_array<std::pair<std::string_view, std::string_view>>(
    {{"float", "float"},
     {"double", "double"},
     {"int", "int"},
     {"unsigned", "unsigned"},
     {"unsigned int", "unsigned"},
     {"char", "char"},
     {"unsigned char", "unsigned char"},
     {"float2", "float2"},
     {"float4", "float4"},
     {"double2", "double2"},
     {"int4", "int4"},
     {"uint4", "uint4"},
     {"half", "__half"},
     {"__half", "__half"},
     {"half2", "__half2"},
     {"__half2", "__half2"},
     {"__nv_bfloat16", "__nv_bfloat16"}});

std::optional<std::string_view> known_type(std::string_view text) {
  const auto found =
      std::ranges::find(known_types, text, &std::pair<std::string_view, std::string_view>::first);
  return found == known_types.end() ? std::nullopt : std::optional(found->second);
}

/// A declaration such as `extern __shared__ __align__(16) float tiles[];`.
struct DynamicArray {
  std::size_t name;
  std::string type;
};

/// @param word the token `extern`
std::optional<DynamicArray> dynamic_array_at(const Outline& outline, std::size_t word) {
  constexpr std::size_t longest = 32;  // tokens of a declaration
  const std::vector<Token>& code = outline.code();
  bool is_shared = false;
  std::string type;
  std::size_t i = word + 1;
  for (; i + 1 < code.size() && !code[i + 1].is("["); ++i) {
    if (code[i].is(";") || code[i].is("{") || i - word > longest) return std::nullopt;
    is_shared |= code[i].is("__shared__");
    if (code[i].is("__shared__") || code[i].is("const") || code[i].is("volatile")) continue;
    if (code[i + 1].is("(")) {  // an alignment
      i = outline.behind(i + 1) - 1;
      continue;
    }
    type += (type.empty() ? "" : " ") + std::string(code[i].text);
  }
  if (!is_shared || i + 1 >= code.size() || !code[i].is_name()) return std::nullopt;
  return DynamicArray{i, type};
}

/// Returns the { of the namespace around a token, and 0 outside of all.
std::size_t namespace_around(const Outline& outline, std::size_t index) {
  const std::vector<Token>& code = outline.code();
  for (std::size_t i = index; i-- > 0;) {
    if (code[i].is("}")) i = outline.partner(i).value_or(i);
    if (!code[i].is("{") || outline.scope(i) != Scope::file) continue;
    const auto close = outline.partner(i);
    if (!close || *close < index) continue;
    std::size_t begin = i;
    while (begin > 0 && !code[begin - 1].is(";") && !code[begin - 1].is("}") &&
           !code[begin - 1].is("{")) {
      if (code[--begin].is("namespace")) return i;
    }
  }
  return 0;
}

/// Returns where in the source the tokens `extern` begin that are in no conditional.
std::set<std::size_t> unconditional_externs(const std::vector<Token>& tokens) {
  std::set<std::size_t> places;
  int depth = 0;
  for (std::size_t i = 0; i + 1 < tokens.size(); ++i) {
    if (tokens[i].directive != 0 && tokens[i].is("#")) {
      const Token& word = tokens[i + 1];
      if (word.is("if") || word.is("ifdef") || word.is("ifndef")) ++depth;
      if (word.is("endif")) --depth;
    } else if (depth == 0 && tokens[i].is("extern")) {
      places.insert(tokens[i].begin);
    }
  }
  return places;
}

}  // namespace

void check_dynamic_arrays(const std::vector<Token>& tokens, const Outline& outline,
                          std::vector<RewriteError>& errors) {
  constexpr int most = 100;  // no submission may hold the grader up
  int arrays = 0;
  const std::set<std::size_t> externs = unconditional_externs(tokens);
  const std::vector<Token>& code = outline.code();
  struct Known {
    std::string_view type;
    int line;
  };
  std::map<std::pair<std::string_view, std::size_t>, Known> first;  // by name and namespace
  for (std::size_t i = 0; i < code.size(); ++i) {
    const bool is_there = code[i].is("extern") && externs.contains(code[i].begin);
    const auto array = is_there ? dynamic_array_at(outline, i) : std::nullopt;
    const auto type = array ? known_type(array->type) : std::nullopt;
    if (!type) continue;
    if (++arrays > most) return;
    const Token& name = code[array->name];
    const auto [known, is_new] =
        first.try_emplace({name.text, namespace_around(outline, i)}, Known{*type, name.line});
    if (is_new || known->second.type == *type) continue;
    errors.push_back(
        {name.line,
         tr("{0} is extern __shared__ with elements of type {1} here, and of type {2} on line {3}: "
            "one name is one variable in the whole file, and nvcc refuses two types. Give this one "
            "another name",
            name.text, *type, known->second.type, known->second.line)});
  }
}

}  // namespace tilewise::simt::rewriting
