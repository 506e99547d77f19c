// Finds parameters of templates, constexpr names, members of traits, and sizes of types.
#include "grading/repair/constants.hpp"

#include <algorithm>

namespace tilewise::grading {

namespace {

bool is_constant(const Variable& variable) {
  return variable.is_evaluated && variable.type == Variable::Type::integer;
}

}  // namespace

Constants::Constants(const Place& place) : place_(place), code_(place.code()) {
  add_parameters_of_template();
  for (const OuterConstant& constant : outer_constants(place.outline())) {
    const std::size_t begin = constant.begin_of_class, body = place.function().body;
    const bool is_around = begin < body && place.outline().behind(begin) > body;
    const bool is_above = begin == 0 && constant.definition.first < body;
    if (is_above || (begin != 0 && is_around)) groups_[""].insert(constant.name);
  }
  for (std::size_t i = place.function().body; i < place.function().end; ++i) {
    if (is_member(i)) groups_[code_[i].text].insert(code_[i + 2].text);
  }
}

Part Constants::at(std::size_t i) const {
  if (is_member(i)) return {i, i + 3};
  const Token &before = code_[i - 1], &behind = code_[i + 1];
  const bool is_whole = !before.is("::") && !before.is(".") && !before.is("->") &&
                        !behind.is("::") && !behind.is("(") && !behind.is("<");
  const auto outer = groups_.find("");
  const Variable* const own = place_.scope().find(i);
  const bool is_one = own != nullptr
                          ? is_constant(*own)
                          : outer != groups_.end() && outer->second.contains(code_[i].text);
  return {i, is_one && is_whole ? i + 1 : i};
}

std::vector<std::string> Constants::names_at(std::size_t token) const {
  std::set<std::string_view> names;
  if (const auto outer = groups_.find(""); outer != groups_.end()) names = outer->second;
  for (const Variable* variable : place_.scope().seen_at(token)) {
    if (is_constant(*variable)) names.insert(variable->name);
  }
  std::vector<std::string> found(names.begin(), names.end());
  sort_by_nearness(found, token);
  return found;
}

void Constants::sort_by_nearness(std::vector<std::string>& names, std::size_t token) const {
  std::map<std::string_view, std::size_t> tokens_apart;
  for (std::size_t i = 0; i < code_.size(); ++i) {
    const std::size_t apart = i < token ? token - i : i - token;
    const auto known = tokens_apart.try_emplace(code_[i].text, apart).first;
    known->second = std::min(known->second, apart);
  }
  std::ranges::stable_sort(names, {}, [&](std::string_view name) {
    const std::size_t colons = name.rfind(':');
    return tokens_apart[colons == name.npos ? name : name.substr(colons + 1)];
  });
}

std::vector<std::string> Constants::others(Part constant) const {
  constexpr std::size_t most = 6;
  const bool is_qualified = constant.end - constant.first == 3;
  std::vector<std::string> found;
  if (is_qualified) {
    const std::string_view of = code_[constant.first].text;
    for (const std::string_view name : groups_.at(of)) {
      found.push_back(std::string(of) + "::" + std::string(name));
    }
    sort_by_nearness(found, constant.first);
  } else {
    found = names_at(constant.first);
  }
  std::erase(found, place_.words_of(constant));
  if (found.size() > most) found.resize(most);
  return found;
}

bool Constants::is_member(std::size_t i) const {
  if (!code_[i].is_name() || !code_[i + 1].is("::") || !code_[i + 2].is_name()) return false;
  if (code_[i].is("std")) return false;
  // A type is followed by the name that it declares, a function by its arguments.
  const Token &before = code_[i - 1], &behind = code_[i + 3];
  const bool begins = before.is(";") || before.is("{") || before.is("}") || before.is("const");
  const bool is_type =
      behind.is_name() || behind.is("::") || ((behind.is("*") || behind.is("&")) && begins);
  const bool is_called = behind.is("(") || behind.is("<") || behind.is("{");
  return !is_type && !is_called && !before.is("::") && !before.is("typename") &&
         !before.is("using");
}

void Constants::add_parameters_of_template() {
  for (std::size_t i = place_.function().parameters; i-- > 0;) {
    if (code_[i].is(";") || code_[i].is("}")) return;
    if (!code_[i].is("template")) continue;
    const auto close = place_.outline().template_close(i + 1);
    if (!close) return;
    for (std::size_t k = i + 2; k < *close; ++k) {
      const bool ends = code_[k + 1].is(",") || code_[k + 1].is("=") || k + 1 == *close;
      if (ends && code_[k].is_name() && names_integers(code_[k - 1])) {
        groups_[""].insert(code_[k].text);
      }
    }
    return;
  }
}

std::vector<std::string> other_sizes(const Place& place, Part given) {
  static const std::set<std::string> reals = {"float", "double", "__half", "half"};
  const std::string type = place.words_of({given.first + 2, given.end - 1});
  std::set<std::string> sizes;
  for (const Variable& variable : place.scope().variables()) {
    const bool leads_on =
        variable.type == Variable::Type::pointer || variable.type == Variable::Type::array;
    const std::string base = variable.base.substr(0, variable.base.find(' '));
    if (leads_on && reals.contains(type) && reals.contains(base) && base != type) {
      sizes.insert("sizeof(" + base + ")");
    }
  }
  return {sizes.begin(), sizes.end()};
}

namespace {

bool is_of_template(const std::vector<Token>& code, std::size_t constexpr_word) {
  std::size_t first = constexpr_word;
  while (first > 0 && (code[first - 1].is("static") || code[first - 1].is("inline"))) --first;
  return first > 0 && code[first - 1].is(">");
}

/// The token behind the integer type that begins at `type`; `type` itself if none does.
std::size_t behind_integers(const std::vector<Token>& code, std::size_t type) {
  std::size_t end = type;
  if (code[end].is("std") && code[end + 1].is("::")) end += 2;
  while (end + 2 < code.size() && names_integers(code[end])) ++end;
  return end;
}

}  // namespace

std::vector<OuterConstant> outer_constants(const Outline& outline) {
  const std::vector<Token>& code = outline.code();
  std::vector<OuterConstant> found;
  std::vector<std::size_t> classes = {0};
  for (std::size_t i = 0; i + 1 < code.size(); ++i) {
    const auto scope = outline.scope(i);
    if (scope == simt::rewriting::Scope::block) continue;
    while (classes.size() > 1 && outline.behind(classes.back()) <= i) classes.pop_back();
    if (code[i].is("{")) classes.push_back(i);
    if (!code[i].is("constexpr") || is_of_template(code, i)) continue;
    const std::size_t first = behind_integers(code, i + 1);
    for (std::size_t name = first; name > i + 1 && name + 2 < code.size();) {
      if (!code[name].is_name() || !code[name + 1].is("=")) break;
      std::size_t end = name + 2;
      while (end < code.size() && !code[end].is(";") && !code[end].is(",")) {
        end = outline.behind(end);
      }
      found.push_back({code[name].text, {name, end}, {name + 2, end}, classes.back()});
      if (end >= code.size() || code[end].is(";")) break;
      name = end + 1;
    }
  }
  return found;
}

Part size_at(const Place& place, std::size_t i) {
  const bool is_one = place.code()[i].is("sizeof") && place.code()[i + 1].is("(");
  return {i, is_one ? place.outline().behind(i + 1) : i};
}

std::vector<std::string> constants_like(const Place& place, Part words) {
  const Constants constants(place);
  const Part constant = constants.at(words.first);
  const bool is_one = constant.first < constant.end && constant.end == words.end;
  return is_one ? constants.others(constant) : std::vector<std::string>();
}

std::vector<std::string> constants_seen_at(const Place& place, std::size_t token) {
  constexpr std::size_t most = 6;
  std::vector<std::string> names = Constants(place).names_at(token);
  if (names.size() > most) names.resize(most);
  return names;
}

}  // namespace tilewise::grading
