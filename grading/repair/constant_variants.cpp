// Variants of constants: parameters of templates, constexpr names, members of traits, extents of
// arrays.
#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <ranges>
#include <set>

#include "common/base/language.hpp"
#include "common/simt/rewrite/variables.hpp"
#include "grading/repair/variant.hpp"

namespace tilewise::grading {

namespace {

/// Constants of a function, by what could stand for one another: those without a qualifier under
/// "", members of a class, as in `Shape::rows`, under its name.
class Constants {
 public:
  explicit Constants(const Place& place) : place_(place), code_(place.code()) {
    add_parameters_of_template();
    for (std::size_t i = 0; i < place.function().end; ++i) {
      const bool is_seen =
          i >= place.function().body || place.outline().scope(i) == simt::rewriting::Scope::file;
      if (is_seen && code_[i].is("constexpr")) add_declared(i);
    }
    for (std::size_t i = place.function().body; i < place.function().end; ++i) {
      if (is_member(i)) groups_[code_[i].text].insert(code_[i + 2].text);
    }
  }

  /// The constant that begins at a token; empty where none does.
  Part at(std::size_t i) const {
    if (is_member(i)) return {i, i + 3};
    const Token &before = code_[i - 1], &behind = code_[i + 1];
    const bool is_whole = !before.is("::") && !before.is(".") && !before.is("->") &&
                          !behind.is("::") && !behind.is("(") && !behind.is("<");
    const auto own = groups_.find("");
    const bool is_one = own != groups_.end() && own->second.contains(code_[i].text) && is_whole;
    const Variable* const hides = place_.scope().find(i);
    return {i, is_one && (hides == nullptr || hides->is_constant) ? i + 1 : i};
  }

  /// Names of those without a qualifier.
  std::vector<std::string> names() const {
    const auto own = groups_.find("");
    if (own == groups_.end()) return {};
    return {own->second.begin(), own->second.end()};
  }

  /// What could stand there in its place.
  std::vector<std::string> others(Part constant) const {
    constexpr std::size_t most = 6;
    const bool is_qualified = constant.end - constant.first == 3;
    const auto group = groups_.find(is_qualified ? code_[constant.first].text : "");
    std::vector<std::string> found;
    if (group == groups_.end()) return found;
    const std::string prefix = is_qualified ? std::string(group->first) + "::" : "";
    for (const std::string_view name : group->second) {
      if (name == code_[constant.end - 1].text || found.size() == most) continue;
      found.push_back(prefix + std::string(name));
    }
    return found;
  }

 private:
  bool is_member(std::size_t i) const {
    if (!code_[i].is_name() || !code_[i + 1].is("::") || !code_[i + 2].is_name()) return false;
    if (code_[i].is("std")) return false;
    // A type is followed by what it is the type of, a function by what it is called with.
    const Token &before = code_[i - 1], &behind = code_[i + 3];
    const bool begins = before.is(";") || before.is("{") || before.is("}") || before.is("const");
    const bool is_type =
        behind.is_name() || behind.is("::") || ((behind.is("*") || behind.is("&")) && begins);
    const bool is_called = behind.is("(") || behind.is("<") || behind.is("{");
    return !is_type && !is_called && !before.is("::") && !before.is("typename") &&
           !before.is("using");
  }

  void add_parameters_of_template() {
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

  void add_declared(std::size_t constexpr_word) {
    std::size_t first = constexpr_word;
    while (first > 0 && (code_[first - 1].is("static") || code_[first - 1].is("inline"))) --first;
    if (first > 0 && code_[first - 1].is(">")) return;  // of a template
    for (std::size_t i = constexpr_word + 1; i < constexpr_word + 6 && i + 1 < code_.size(); ++i) {
      if (code_[i].is("(") || code_[i].is(";") || code_[i].is("[")) return;
      const bool has_value = code_[i + 1].is("=") || code_[i + 1].is("{");
      if (has_value && code_[i].is_name() && names_integers(code_[i - 1])) {
        groups_[""].insert(code_[i].text);
      }
    }
  }

  const Place& place_;
  const std::vector<Token>& code_;
  std::map<std::string_view, std::set<std::string_view>> groups_;
};

/// What could stand in the place of `sizeof(float)`: the size of what matrices have in this
/// function.
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

/// The `sizeof(float)` that begins at a token; empty where none does.
Part size_at(const Place& place, std::size_t i) {
  const bool is_one = place.code()[i].is("sizeof") && place.code()[i + 1].is("(");
  return {i, is_one ? place.outline().behind(i + 1) : i};
}

}  // namespace

std::vector<std::string> constants_like(const Place& place, Part words) {
  const Constants constants(place);
  const Part constant = constants.at(words.first);
  const bool is_one = constant.first < constant.end && constant.end == words.end;
  return is_one ? constants.others(constant) : std::vector<std::string>();
}

std::vector<std::string> constants_seen_by(const Place& place) {
  constexpr std::size_t most = 6;
  std::vector<std::string> names = Constants(place).names();
  if (names.size() > most) names.resize(most);
  return names;
}

void vary_constants(Place& place) {
  constexpr std::size_t most_variables = 6;
  const Constants constants(place);
  for (std::size_t i = place.function().body + 1; i < place.function().end; ++i) {
    const Part constant = constants.at(i), size = size_at(place, i);
    if (constant.first < constant.end && place.may_vary(i)) {
      for (const std::string& other : constants.others(constant)) {
        place.add_expression(constant, other, 1, 1);
      }
      // What is known only when the program runs may have been meant, a size of a matrix above all.
      std::vector<const Variable*> others = place.scope().seen_at(i);
      std::erase_if(others,
                    [](const Variable* other) { return other->type != Variable::Type::integer; });
      std::ranges::stable_partition(others, &Variable::is_parameter);
      if (others.size() > most_variables) others.resize(most_variables);
      for (const Variable* other : others) {
        place.add_expression(constant, std::string(other->name), 2, 1);
      }
      i = constant.end - 1;
    } else if (size.first < size.end && place.may_vary(i - 1)) {
      for (const std::string& other : other_sizes(place, size)) place.add_expression(size, other);
    }
  }
}

namespace {

/// Numbers that a function multiplies, divides or goes on by.
std::set<std::string> numbers_to_multiply_by(const Place& place) {
  constexpr long largest = 1024;  // threads of a block
  const std::vector<Token>& code = place.code();
  std::set<std::string> found;
  for (std::size_t i = place.function().body + 2; i + 1 < place.function().end; ++i) {
    const auto number = whole_number(code[i]);
    if (!number || *number < 2 || *number > largest) continue;
    const Token &before = code[i - 1], &behind = code[i + 1];
    const bool goes_on = before.is("=") && code[i - 2].is("+");
    const bool is_factor =
        before.is("*") || before.is("/") || before.is("%") || behind.is("*") || goes_on;
    if (is_factor) found.insert(std::to_string(*number));
  }
  return found;
}

/// Whether a value is a whole argument of a call.
bool is_argument(const std::vector<Token>& code, Part value) {
  const Token &before = code[value.first - 1], &behind = code[value.end];
  const bool is_first = before.is("(") && code[value.first - 2].is_name() &&
                        !code[value.first - 2].is("if") && !code[value.first - 2].is("while");
  return (is_first || before.is(",")) && (behind.is(",") || behind.is(")"));
}

/// The value that begins at a token, if it is one word, or a built-in variable's part, and all that
/// begins, bounds or steps something, or is handed on, or an index of a block or thread in a sum;
/// empty otherwise.
Part lone_value_at(const Place& place, const Constants& constants, std::size_t i) {
  static constexpr auto firsts =
      std::to_array<std::string_view>({"=", "<", "<=", ">", ">=", "?", ":"});
  static constexpr auto lasts =
      std::to_array<std::string_view>({";", ",", ")", "&&", "||", "?", ":"});
  static constexpr auto sums = std::to_array<std::string_view>({"+", "-", "[", "]", "("});
  const std::vector<Token>& code = place.code();
  const auto is_among = [](const auto& words, const Token& token) {
    return std::ranges::find(words, token.text) != std::end(words);
  };
  const bool is_index =
      (code[i].is("blockIdx") || code[i].is("threadIdx") || code[i].is("blockDim")) &&
      code[i + 1].is(".");
  const Variable* const variable = place.scope().find(i);
  const bool is_one = is_index || (variable != nullptr ? variable->type == Variable::Type::integer
                                                       : constants.at(i).end == i + 1);
  const Part value{i, is_index ? i + 3 : i + 1};
  const Token &before = code[i - 1], &behind = code[value.end];
  const bool is_term = (is_among(firsts, before) || (is_index && is_among(sums, before))) &&
                       (is_among(lasts, behind) || (is_index && is_among(sums, behind)));
  const bool is_lone = is_term || is_argument(code, value);
  return {i, is_one && is_lone && place.may_vary(i) ? value.end : i};
}

}  // namespace

void vary_factors(Place& place) {
  constexpr std::size_t most_numbers = 4;
  const Constants constants(place);
  std::vector<std::string> factors = constants_seen_by(place);
  const std::set<std::string> numbers = numbers_to_multiply_by(place);
  std::ranges::copy(numbers | std::views::take(most_numbers), std::back_inserter(factors));
  for (std::size_t i = place.function().body + 2; i < place.function().end; ++i) {
    const Part value = lone_value_at(place, constants, i);
    if (value.first == value.end) continue;
    const std::string words = place.words_of(value);
    const bool is_block = place.code()[i].is("blockIdx");
    if (place.code()[i].is("blockDim")) {
      // From one thread's share to its next: all threads of a block, or of a grid's row.
      for (const char* other : {"blockDim.x", "blockDim.y", "gridDim.x"}) {
        if (other != words) place.add_expression(value, words + " * " + other, 2);
      }
      continue;
    }
    if (is_block) {
      place.add_expression(value, words + " * blockDim." + words.substr(words.size() - 1), 2);
    }
    for (const std::string& factor : factors) {
      if (factor != words) place.add_expression(value, words + " * " + factor, is_block ? 2 : 3, 1);
    }
  }
}

namespace {

/// What is compiled by itself: words in place of others.
void add_fixed(Place& place, std::vector<Rewording> edits, int cost) {
  const int line = place.code()[edits.front().words.first].line;
  place.add({.changes = {}, .line = line, .edits = std::move(edits), .cost = cost});
}

/// Exchanges neighbours among extents of an array, or arguments of a template.
void exchange_neighbours(Place& place, const std::vector<Part>& parts) {
  for (std::size_t i = 0; i + 1 < parts.size(); ++i) {
    const std::string a = place.text_of(parts[i]), b = place.text_of(parts[i + 1]);
    if (!a.empty() && !b.empty() && a != b) {
      add_fixed(place, {{parts[i], b}, {parts[i + 1], a}}, 1);
    }
  }
}

/// Other constants, sizes and numbers in some words.
void vary_fixed_words(Place& place, const Constants& constants, Part words) {
  const std::vector<Token>& code = place.code();
  for (std::size_t i = words.first; i < words.end; ++i) {
    const Part constant = constants.at(i), size = size_at(place, i);
    if (constant.first < constant.end) {
      for (const std::string& other : constants.others(constant)) {
        add_fixed(place, {{constant, other}}, 1);
      }
      i = constant.end - 1;
    } else if (size.first < size.end) {
      for (const std::string& other : other_sizes(place, size)) {
        add_fixed(place, {{size, other}}, 1);
      }
    } else if (const auto number = whole_number(code[i])) {
      for (const long other : std::set{*number + 1, *number - 1, *number * 2, *number / 2}) {
        if (other < 1 || other == *number) continue;
        add_fixed(place, {{{i, i + 1}, std::to_string(other)}}, 3);
      }
    }
  }
}

/// `(size + Threads - 1) / Threads` for `size / Threads`, all that a constant is.
void round_up(Place& place, Part value) {
  const std::vector<Token>& code = place.code();
  std::size_t sign = value.first;
  while (sign < value.end && !code[sign].is("/")) sign = place.outline().behind(sign);
  if (sign == value.first || sign >= value.end) return;
  const std::string by = place.words_of({sign + 1, value.end});
  if (by.find(' ') != by.npos) return;
  add_fixed(place,
            {{value, "(" + place.words_of({value.first, sign}) + " + " + by + " - 1) / " + by}}, 0);
}

/// Whether words are of values: numbers, constants and what stands between them.
bool are_values(const Place& place, const Constants& constants, Part words) {
  for (std::size_t i = words.first; i < words.end; ++i) {
    if (!place.code()[i].is_name()) continue;
    const Part constant = constants.at(i);
    if (constant.first == constant.end) return false;
    i = constant.end - 1;
  }
  return words.first < words.end;
}

/// Parameters of a function that it stores in, all as references.
void vary_copies(Place& place) {
  if (place.function().is_kernel) return;
  Variant variant{.changes = {}, .line = 0, .edits = {}};
  std::string parameters;
  for (const Variable& variable : place.scope().variables()) {
    const bool is_number =
        variable.type == Variable::Type::real || variable.type == Variable::Type::integer;
    const bool is_reference = place.code()[variable.declared - 1].is("&");
    if (!variable.is_parameter || variable.is_constant || is_reference || !is_number) continue;
    bool is_changed = false;
    for (std::size_t i = variable.seen.first; i < variable.seen.end; ++i) {
      is_changed = is_changed || (place.scope().find(i) == &variable &&
                                  simt::rewriting::is_changed_at(place.outline(), i));
    }
    if (!is_changed) continue;
    variant.line = place.code()[variable.declared].line;
    const std::string name(variable.name);
    variant.edits.push_back({{variable.declared, variable.declared + 1}, "& " + name});
    parameters += (parameters.empty() ? "" : ", ") +
                  place.words_of({variable.type_begin, variable.declared}) + "& " + name;
  }
  if (variant.edits.empty()) return;
  variant.words =
      tr("on line {} take what is stored in as references: '{}'", variant.line, parameters);
  place.add(std::move(variant));
}

}  // namespace

void vary_fixed(Place& place) {
  vary_copies(place);
  const std::vector<Token>& code = place.code();
  const Outline& outline = place.outline();
  const Constants constants(place);
  for (const Variable& variable : place.scope().variables()) {
    if (variable.declared < place.function().body) continue;
    std::vector<Part> extents;
    for (std::size_t i = variable.declared + 1; code[i].is("["); i = outline.behind(i)) {
      extents.push_back({i + 1, outline.behind(i) - 1});
    }
    exchange_neighbours(place, extents);
    // A thread's own arrays are as long as its work, which is no matter of one number.
    const auto is_shared = [](const Token& token) { return token.is("__shared__"); };
    if (std::any_of(code.begin() + std::ptrdiff_t(variable.type_begin),
                    code.begin() + std::ptrdiff_t(variable.declared), is_shared)) {
      for (const Part extent : extents) vary_fixed_words(place, constants, extent);
    }
    if (variable.is_constant && !place.may_vary(variable.declared)) {
      const bool is_evaluated = code[variable.type_begin].is("constexpr");
      if (is_evaluated) vary_fixed_words(place, constants, variable.value);
      if (is_evaluated) round_up(place, variable.value);
    }
  }
  for (std::size_t i = place.function().body + 1; i < place.function().end; ++i) {
    if (!code[i].is("<") || !code[i - 1].is_name() || place.may_vary(i)) continue;
    const auto close = outline.template_close(i);
    if (!close) continue;
    std::vector<Part> values;
    for (const Part part : outline.parts_between(i, *close)) {
      if (!are_values(place, constants, part)) continue;
      values.push_back(part);
      vary_fixed_words(place, constants, part);
    }
    exchange_neighbours(place, values);
  }
}

}  // namespace tilewise::grading
