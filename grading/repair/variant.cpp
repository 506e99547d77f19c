#include "grading/repair/variant.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <functional>
#include <map>
#include <utility>

#include "common/base/language.hpp"

namespace tilewise::grading {

using simt::rewriting::TokenKind;

namespace {

/// The `>` that closes a list of template arguments, as in `copy<16>(...)`; nothing if the token
/// opens none: a < behind a variable is a comparison.
std::optional<std::size_t> template_end(const Outline& outline, const Scope& scope,
                                        std::size_t open) {
  const std::vector<Token>& code = outline.code();
  if (!code[open].is("<") || !code[open - 1].is_name() || scope.find(open - 1) != nullptr)
    return {};
  return outline.template_close(open);
}

std::string shortened(std::string text) {
  constexpr std::size_t most = 120;
  return text.size() <= most ? text : text.substr(0, most) + "...";
}

}  // namespace

Place::Place(const SourceText& source, std::string_view text, const WrittenFunction& function)
    : source_(source),
      text_(text),
      function_(function),
      body_(block_at(source.outline, function.body)),
      scope_(source.outline, function, body_),
      is_fixed_(function.end - function.body + 1, 0) {
  static constexpr std::string_view fixing[] = {"__shared__", "constexpr", "static", "extern"};
  for (const Statement* statement : with_inner(body_)) {
    const Part words = statement->words;
    const std::string_view first = code()[words.first].text;
    if (first == "static_assert" || first == "asm" || first == "using" || first == "case")
      fix(words);
    if (first == "if" && code()[words.first + 1].is("constexpr")) {
      fix({words.first, outline().behind(words.first + 2)});
    }
    if (statement->kind != Statement::Kind::declaration) continue;
    for (std::size_t i = words.first; i < words.end; ++i) {
      if (std::ranges::find(fixing, code()[i].text) != std::end(fixing)) fix(words);
    }
  }
  for (const Variable& variable : scope_.variables()) {
    if (variable.declared < function.body) continue;
    fix({variable.type_begin, variable.declared + 1});
    for (std::size_t i = variable.declared + 1; code()[i].is("["); i = outline().behind(i)) {
      fix({i, outline().behind(i)});
    }
  }
  // A lambda's parameter may be `float (&tile)[Rows][Cols]`.
  for (std::size_t i = function.body + 1; i < function.end; ++i) {
    const auto open =
        code()[i].is("[") && code()[i - 1].is(")") ? outline().partner(i - 1) : std::nullopt;
    const bool is_declared = open && (code()[*open + 1].is("&") || code()[*open + 1].is("*")) &&
                             code()[*open + 2].is_name() && *open + 3 == i - 1 &&
                             code()[*open - 1].is_name();
    for (std::size_t k = i; is_declared && code()[k].is("["); k = outline().behind(k)) {
      fix({k, outline().behind(k)});
    }
  }
  for (std::size_t i = function.body + 1; i < function.end; ++i) {
    if (const auto close = template_end(outline(), scope_, i)) fix({i, *close + 1});
    if (code()[i].is("sizeof") || code()[i].is("decltype")) fix({i, outline().behind(i + 1)});
    if (code()[i].is("struct") || code()[i].is("class")) {
      // The members of a local class, whose extents are constants.
      const std::size_t open = i + (code()[i + 1].is_name() ? 2 : 1);
      if (code()[open].is("{")) fix({open, outline().behind(open)});
    }
  }
}

void Place::fix(Part words) {
  for (std::size_t i = words.first; i < std::min(words.end, function_.end); ++i) {
    is_fixed_[i - function_.body] = 1;
  }
}

std::string Place::text_of(Part words) const {
  if (words.first >= words.end) return "";
  const std::size_t begin = code()[words.first].begin;
  return std::string(text_.substr(begin, code()[words.end - 1].end() - begin));
}

std::string Place::words_of(Part words) const {
  return simt::rewriting::joined(std::span(code()).subspan(words.first, words.end - words.first));
}

std::string Place::rewritten(const std::vector<Rewording>& rewordings) const {
  std::map<int, std::vector<Rewording>> by_line;
  for (const Rewording& each : rewordings) by_line[code()[each.words.first].line].push_back(each);
  std::string told;
  for (auto& [line, changes] : by_line) {
    // Quote all tokens on the line, and on the line on which the changed tokens end.
    std::size_t first = changes.front().words.first, end = first + 1;
    for (const Rewording& each : changes) {
      first = std::min(first, each.words.first);
      end = std::max({end, each.words.end, each.words.first + 1});
    }
    while (first > function_.body + 1 && code()[first - 1].line == line) --first;
    const int last_line = code()[end - 1].line;
    while (end < function_.end && code()[end].line == last_line) ++end;
    std::ranges::sort(changes, {}, [](const Rewording& each) { return each.words.first; });
    std::string after;
    std::size_t at = first;
    for (const Rewording& each : changes) {
      if (each.words.first < at) continue;
      after += words_of({at, each.words.first});
      const bool has_gap = each.words.first > at &&
                           code()[each.words.first - 1].end() != code()[each.words.first].begin;
      after += (has_gap ? " " : "") + each.text;
      at = std::max(each.words.first, each.words.end);
      if (each.words.first < each.words.end && at < end &&
          code()[at - 1].end() != code()[at].begin) {
        after += " ";
      }
    }
    after += words_of({at, end});
    told += tr("{}on line {} write '{}' in place of '{}'", told.empty() ? "" : ", ", line,
               shortened(after), shortened(words_of({first, end})));
  }
  return told;
}

std::optional<long> whole_number(const Token& token) {
  long value = 0;
  const char* const end = token.text.data() + token.text.size();
  const auto [rest, error] = std::from_chars(token.text.data(), end, value);
  if (token.kind != TokenKind::number || error != std::errc() || rest != end) return {};
  return value;
}

void Place::add(Variant variant) {
  if (variant.words.empty()) variant.words = rewritten(variant.edits);
  variant.kind = kind_;
  found_.push_back(std::move(variant));
}

std::span<const WrittenFunction> Place::neighbours() const {
  const std::vector<WrittenFunction>& all = source_.functions;
  const auto at = static_cast<std::size_t>(
      std::ranges::find(all, function_.body, &WrittenFunction::body) - all.begin());
  const std::size_t first = at == 0 ? 0 : at - 1;
  return std::span(all).subspan(first, std::min(at + 2, all.size()) - first);
}

bool Place::is_place_wanted(std::size_t first) const {
  const Token &before = code()[first - 1], &left = code()[first - 2];
  const bool is_operator =
      left.is_name() || left.kind == TokenKind::number || left.is(")") || left.is("]");
  return (before.is("&") && !is_operator) || (before.is("+") && left.is("+")) ||
         (before.is("-") && left.is("-"));
}

void Place::add_expression(Part words, const std::string& text, int cost, int daring) {
  if (is_place_wanted(words.first)) return;
  add({.changes = {{Change::Form::expression, words, text}},
       .line = code()[words.first].line,
       .edits = {{words, text}},
       .cost = cost,
       .daring = daring});
}

void Place::add_condition(Part words, const std::string& text, int cost, bool asks_for_more) {
  add({.changes = {{Change::Form::condition, words, text}},
       .line = code()[words.first].line,
       .edits = {{words, text}},
       .cost = cost,
       .asks_for_more = asks_for_more});
}

void Place::add_paths(Part condition) {
  conditions_.push_back(condition);
  const int line = code()[condition.first].line;
  const std::string words = words_of(condition);
  for (const bool holds : {true, false}) {
    // The words name the path that no longer runs.
    add({.changes = {{Change::Form::condition, condition, holds ? "true" : "false"}},
         .line = line,
         .edits = {{condition, holds ? "true" : "false"}},
         .words = holds ? tr("where '{}' on line {} does not hold", words, line)
                        : tr("where '{}' on line {} holds", words, line),
         .cost = 0,
         .condition = condition.first,
         .takes_one_path = true});
  }
}

std::vector<Variant> Place::found() const {
  // A condition is decided by its own tokens and by the initial value of each bool in it.
  std::vector<std::pair<Part, std::size_t>> deciding;
  for (const Part condition : conditions_) {
    deciding.emplace_back(condition, condition.first);
    for (std::size_t i = condition.first; i < condition.end; ++i) {
      const Variable* variable = scope_.find(i);
      if (variable == nullptr || variable->base != "bool ") continue;
      deciding.emplace_back(variable->value, condition.first);
    }
  }
  std::vector<Variant> all = found_;
  for (Variant& variant : all) {
    for (const auto& [words, condition] : deciding) {
      const bool is_in_it = std::ranges::all_of(variant.changes, [&](const Change& change) {
        return change.words.first >= words.first && change.words.end <= words.end;
      });
      if (is_in_it) variant.condition = condition;
    }
  }
  return all;
}

bool is_constant(const std::vector<Token>& code, const WrittenFunction& function) {
  for (std::size_t i = function.parameters; i-- > 0;) {
    if (code[i].is(";") || code[i].is("{") || code[i].is("}")) return false;
    if (code[i].is("constexpr") || code[i].is("consteval")) return true;
  }
  return false;
}

namespace {

bool is_function(const SourceText& source, std::string_view name) {
  return std::ranges::find(source.functions, name, &WrittenFunction::name) !=
         source.functions.end();
}

/// The functions that are used as values outside of all functions, as in a table of kernels.
std::set<std::string, std::less<>> named_in_tables(const SourceText& source) {
  const std::vector<Token>& code = source.outline.code();
  std::set<std::string, std::less<>> found;
  std::size_t i = 0;
  const auto look_until = [&](std::size_t end) {
    for (; i < end; ++i) {
      const bool is_declared = i + 1 < code.size() && code[i + 1].is("(");
      if (!is_declared && is_function(source, code[i].text)) found.emplace(code[i].text);
    }
  };
  for (const WrittenFunction& function : source.functions) {
    look_until(function.body);
    i = std::max(i, function.end);
  }
  look_until(code.size());
  return found;
}

}  // namespace

std::set<std::string, std::less<>> functions_reached(const SourceText& source,
                                                     std::set<std::string, std::less<>> functions) {
  for (bool grows = true; grows;) {
    grows = false;
    for (const WrittenFunction& function : source.functions) {
      if (!functions.contains(function.name)) continue;
      for (std::size_t i = function.body; i < function.end; ++i) {
        const std::string_view name = source.outline.code()[i].text;
        if (is_function(source, name)) grows |= functions.emplace(name).second;
      }
    }
  }
  return functions;
}

namespace {

/// Looks for variants in functions, and in those that they lead to.
/// @param look adds variants; its second argument says whether the compiler may run the function
std::vector<Variant> found_in(const SourceText& source, std::string_view text,
                              std::set<std::string, std::less<>> functions,
                              const std::function<void(Place&, bool is_constant)>& look) {
  const bool all = functions.empty();
  functions.merge(named_in_tables(source));
  functions = functions_reached(source, std::move(functions));
  std::vector<Variant> variants;
  for (const WrittenFunction& function : source.functions) {
    if (!all && !functions.contains(function.name)) continue;
    Place place(source, text, function);
    look(place, is_constant(source.outline.code(), function));
    std::ranges::move(place.found(), std::back_inserter(variants));
  }
  return variants;
}

void vary_all(Place& place) {
  static constexpr auto kinds = std::to_array({
      vary_operators,       vary_bounds,          vary_quotients,  vary_builtins,
      vary_alike_names,     vary_other_names,     vary_pairs,      vary_both_sides,
      vary_elements,        vary_alike,           vary_constants,  vary_products,
      vary_factors,         vary_numbers,         vary_subscripts, vary_arguments,
      vary_bytes_of_copies, vary_limited_indices, vary_rounding,   vary_functions,
      vary_conditions,      vary_fast_paths,      vary_guards,     vary_left_values,
      vary_assignments,     vary_initial_values,  vary_starts,     vary_loops,
      vary_cases,           vary_barriers,        vary_turns,      vary_jumps,
      vary_order,
  });
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    place.begin_kind(i);
    kinds[i](place);
  }
}

}  // namespace

std::vector<Variant> variants_of(const SourceText& source, std::string_view text,
                                 std::set<std::string, std::less<>> functions) {
  return found_in(source, text, std::move(functions), [](Place& place, bool is_constant) {
    if (!is_constant) vary_all(place);
  });
}

std::vector<Variant> fixed_variants_of(const SourceText& source, std::string_view text,
                                       std::set<std::string, std::less<>> functions) {
  std::vector<Variant> variants =
      found_in(source, text, std::move(functions), [](Place& place, bool is_constant) {
        // A function that the compiler runs cannot read a run-time variable.
        if (is_constant) vary_all(place);
        place.begin_kind(0);
        vary_fixed(place);
      });
  for (Variant& variant : variants) variant.changes.clear();
  std::ranges::move(variants_of_outer_constants(source), std::back_inserter(variants));
  return variants;
}

}  // namespace tilewise::grading
