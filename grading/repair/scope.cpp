#include "grading/repair/scope.hpp"

#include <algorithm>
#include <array>

#include "common/simt/rewrite/variables.hpp"

namespace tilewise::grading {

bool names_integers(const Token& token) {
  static constexpr auto types =
      std::to_array<std::string_view>({"int", "unsigned", "size_t", "long", "short", "uint32_t",
                                       "int32_t", "uint64_t", "int64_t", "ptrdiff_t", "char"});
  return std::ranges::find(types, token.text) != types.end();
}

namespace {

/// The type that tokens in front of a variable's name spell.
Variable::Type type_of(const std::vector<Token>& code, Part words, std::string& base) {
  static constexpr auto reals =
      std::to_array<std::string_view>({"float", "double", "__half", "half"});
  static constexpr auto qualifiers = std::to_array<std::string_view>(
      {"const", "__restrict__", "volatile", "__shared__", "extern", "static", "&"});
  Variable::Type type = Variable::Type::other;
  bool is_pointer = false;
  for (std::size_t i = words.first; i < words.end; ++i) {
    const std::string_view word = code[i].text;
    is_pointer |= word == "*";
    if (std::ranges::find(reals, word) != reals.end()) type = Variable::Type::real;
    if (names_integers(code[i]) || word == "auto") type = Variable::Type::integer;
    if (std::ranges::find(qualifiers, word) == qualifiers.end()) base += std::string(word) + " ";
  }
  if (is_pointer) base.erase(base.find('*'));
  return is_pointer ? Variable::Type::pointer : type;
}

}  // namespace

Scope::Scope(const Outline& outline, const WrittenFunction& function, const Statement& body)
    : outline_(outline), code_(outline.code()) {
  add_parameters(function);
  for (const Statement& each : body.inner) add_declared(each, body.words.end);
}

void Scope::add_parameters(const WrittenFunction& function) {
  const auto close = outline_.partner(function.parameters);
  if (!close) return;
  for (const Part& part : outline_.parts_between(function.parameters, *close)) {
    add_declaration(part, function.end + 1);
    if (!variables_.empty() && variables_.back().declared >= part.first) {
      variables_.back().is_parameter = true;
      variables_.back().seen.first = function.body;
    }
  }
}

void Scope::add_declared(const Statement& statement, std::size_t end) {
  const Part words = statement.words;
  if (statement.kind == Statement::Kind::declaration) add_declaration(words, end);
  if (code_[words.first].is("for") && code_[words.first + 1].is("(")) {
    std::size_t end_of_first = words.first + 2;
    while (end_of_first < words.end && !code_[end_of_first].is(";") &&
           !code_[end_of_first].is(":")) {
      end_of_first = outline_.behind(end_of_first);
    }
    const Part first{words.first + 2, end_of_first + 1};
    if (first.first < end_of_first && declares(outline_, first)) {
      add_declaration({first.first, end_of_first}, words.end);
      const bool is_of_range = code_[end_of_first].is(":");
      if (is_of_range) variables_.back().seen.first = outline_.behind(words.first + 1);
    }
  }
  if (code_[words.first].is("{") && simt::rewriting::opens_lambda(outline_, words.first)) {
    const std::size_t close = words.first - 1;
    const auto open = code_[close].is(")") ? outline_.partner(close) : std::nullopt;
    const std::size_t behind_captures = open.value_or(words.first);
    if (code_[behind_captures - 2].is("[")) {
      without_captures_.push_back({behind_captures - 2, words.end});
    }
    if (open) {
      for (const Part& part : outline_.parts_between(*open, close)) {
        add_declaration(part, words.end);
      }
    }
  }
  for (const Statement& each : statement.inner) add_declared(each, words.end);
}

void Scope::add_declaration(Part words, std::size_t end) {
  std::size_t type_begin = words.first, at = words.first;
  std::string base;
  Variable::Type type = Variable::Type::other;
  bool is_first = true;
  const bool is_evaluated =
      std::any_of(code_.begin() + std::ptrdiff_t(words.first),
                  code_.begin() + std::ptrdiff_t(std::min(words.first + 2, words.end)),
                  [](const Token& token) { return token.is("constexpr"); });
  const bool is_constant = is_evaluated || code_[words.first].is("const");
  while (at < words.end) {
    // The name is the last name before a value, an extent, a comma or the end.
    std::size_t name = words.end;
    for (; at < words.end; ++at) {
      const Token& token = code_[at];
      if (token.is("<")) {
        const auto close = outline_.template_close(at);
        if (close) at = *close;
        continue;
      }
      if (token.is("(") && outline_.takes_parentheses(at - 1)) {
        at = outline_.behind(at) - 1;
        continue;
      }
      if (token.is("=") || token.is(";") || token.is(",") || token.is("[") || token.is("(") ||
          token.is("{") || token.is(":")) {
        break;
      }
      if (token.is_name() && !outline_.takes_parentheses(at)) name = at;
    }
    if (name >= words.end) return;
    if (is_first) type = type_of(code_, {type_begin, name}, base);
    is_first = false;
    Variable variable{code_[name].text, type, base, type_begin, name, {name + 1, end}};
    variable.is_constant = is_constant;
    variable.is_evaluated = is_evaluated;
    if (at < words.end && code_[at].is("[")) {
      if (variable.type == Variable::Type::pointer) variable.base += "*";
      variable.type = Variable::Type::array;
    }
    const std::size_t value = at + 1;
    const bool has_value = at < words.end && code_[at].is("=");
    while (at < words.end && !code_[at].is(",") && !code_[at].is(";")) at = outline_.behind(at);
    if (has_value) variable.value = {value, at};
    if (has_value && code_[value].is("[")) variable.type = Variable::Type::other;  // it is a lambda
    variables_.push_back(std::move(variable));
    ++at;
    type_begin = at;
  }
}

const Variable* Scope::find(std::size_t token) const {
  const Variable* found = nullptr;
  for (const Variable& each : variables_) {
    const bool is_seen = token >= each.seen.first && token < each.seen.end;
    if (is_seen && each.name == code_[token].text) found = &each;
  }
  return found;
}

bool Scope::is_shut_out(const Variable& variable, std::size_t token) const {
  return !variable.is_evaluated && std::ranges::any_of(without_captures_, [&](Part lambda) {
    const auto is_within = [&](std::size_t i) { return i >= lambda.first && i < lambda.end; };
    return is_within(token) && !is_within(variable.declared);
  });
}

std::vector<const Variable*> Scope::seen_at(std::size_t token) const {
  std::vector<const Variable*> found;
  for (auto each = variables_.rbegin(); each != variables_.rend(); ++each) {
    // A variable cannot stand in its own initial value.
    const bool is_declared =
        each->value.end == 0 || token >= each->value.end || token < each->value.first;
    const bool is_seen = token >= each->seen.first && token < each->seen.end;
    if (is_seen && is_declared && !is_shut_out(*each, token)) found.push_back(&*each);
  }
  return found;
}

}  // namespace tilewise::grading
