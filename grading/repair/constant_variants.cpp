// Variants of constants that a variable may replace, and of factors.
#include <algorithm>
#include <array>
#include <iterator>
#include <ranges>
#include <set>

#include "grading/repair/constants.hpp"

namespace tilewise::grading {

namespace {

/// The numbers by which a function, or the one before or behind it, multiplies, divides or steps.
/// Neighbouring functions are often alike, such as those for the first row and the first column.
std::set<std::string> numbers_to_multiply_by(const Place& place) {
  constexpr long largest = 1024;  // the most threads in a block
  const std::vector<Token>& code = place.code();
  std::set<std::string> found;
  const auto look_at = [&](const WrittenFunction& function) {
    for (std::size_t i = function.body + 2; i + 1 < function.end; ++i) {
      const auto number = whole_number(code[i]);
      if (!number || *number < 2 || *number > largest) continue;
      const Token &before = code[i - 1], &behind = code[i + 1];
      const bool goes_on = before.is("=") && code[i - 2].is("+");
      const bool is_factor =
          before.is("*") || before.is("/") || before.is("%") || behind.is("*") || goes_on;
      if (is_factor) found.insert(std::to_string(*number));
    }
  };
  for (const WrittenFunction& function : place.neighbours()) look_at(function);
  return found;
}

}  // namespace

void vary_constants(Place& place) {
  constexpr std::size_t most_variables = 6;
  const Constants constants(place);
  const std::set<std::string> numbers = numbers_to_multiply_by(place);
  for (std::size_t i = place.function().body + 1; i < place.function().end; ++i) {
    const Part constant = constants.at(i), size = size_at(place, i);
    if (constant.first < constant.end && place.may_vary(i)) {
      for (const std::string& other : constants.others(constant)) {
        place.add_expression(constant, other, 1, 1);
      }
      // A variable that is known only at run time may be meant, most likely a size of a matrix.
      std::vector<const Variable*> others = place.scope().seen_at(i);
      std::erase_if(others,
                    [](const Variable* other) { return other->type != Variable::Type::integer; });
      std::ranges::stable_partition(others, &Variable::is_parameter);
      const bool is_factor = place.code()[i - 1].is("*") || place.code()[constant.end].is("*");
      if (is_factor) {
        for (const std::string& number : numbers) place.add_expression(constant, number, 2);
      }
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

/// Whether a value is a whole argument of a call.
bool is_argument(const std::vector<Token>& code, Part value) {
  const Token &before = code[value.first - 1], &behind = code[value.end];
  const bool is_first = before.is("(") && code[value.first - 2].is_name() &&
                        !code[value.first - 2].is("if") && !code[value.first - 2].is("while");
  return (is_first || before.is(",")) && (behind.is(",") || behind.is(")"));
}

/// The single name, or member of a built-in variable, at a token, if it is a whole initial value,
/// bound, step or argument; a built-in variable's member may also be a term of a sum. Empty
/// otherwise.
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
  const bool is_index = is_builtin(code[i]) && code[i + 1].is(".");
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

/// Writes `4 * run` for `run` where the same statement has the product, too: of bytes and elements,
/// one was meant to be the other.
void take_over_products(Place& place, Part statement) {
  const std::vector<Token>& code = place.code();
  for (std::size_t i = statement.first; i + 2 < statement.end; ++i) {
    const bool is_product = whole_number(code[i]) && code[i + 1].is("*") && code[i + 2].is_name();
    if (!is_product || code[i + 3].is(".") || code[i + 3].is("::")) continue;
    for (std::size_t k = statement.first; k < statement.end; ++k) {
      const auto joins = [](const Token& token) {
        return token.is("*") || token.is("/") || token.is("%") || token.is(".") || token.is("::");
      };
      const bool is_alone = !joins(code[k - 1]) && !joins(code[k + 1]) && !code[k + 1].is("(");
      if (!code[k].is(code[i + 2].text) || !is_alone || !place.may_vary(k)) continue;
      place.add_expression({k, k + 1}, place.words_of({i, i + 3}));
    }
  }
}

}  // namespace

void vary_products(Place& place) {
  for (const Statement* statement : with_inner(place.body())) {
    if (statement->inner.empty()) take_over_products(place, statement->words);
  }
}

void vary_factors(Place& place) {
  constexpr std::size_t most_numbers = 4;
  const Constants constants(place);
  const std::set<std::string> numbers = numbers_to_multiply_by(place);
  for (std::size_t i = place.function().body + 2; i < place.function().end; ++i) {
    const Part value = lone_value_at(place, constants, i);
    if (value.first == value.end) continue;
    const std::string words = place.words_of(value);
    const bool is_block = place.code()[i].is("blockIdx") || place.code()[i].is("gridDim");
    if (place.code()[i].is("blockDim")) {
      // The step from one share of a thread to its next may be all threads of a block, or of a row
      // of the grid.
      for (const char* other : {"blockDim.x", "blockDim.y", "gridDim.x"}) {
        if (other != words) place.add_expression(value, words + " * " + other, 2);
      }
      continue;
    }
    if (is_block) {
      place.add_expression(value, words + " * blockDim." + words.substr(words.size() - 1), 2);
    }
    std::vector<std::string> factors = constants_seen_at(place, i);
    std::ranges::copy(numbers | std::views::take(most_numbers), std::back_inserter(factors));
    for (const std::string& factor : factors) {
      if (factor != words) place.add_expression(value, words + " * " + factor, is_block ? 2 : 3, 1);
    }
  }
}

}  // namespace tilewise::grading
