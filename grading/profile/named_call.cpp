#include "grading/profile/named_call.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <climits>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <optional>
#include <stdexcept>
#include <utility>

#include "common/base/language.hpp"
#include "grading/profile/numbers.hpp"

namespace tilewise::grading {
namespace {

using Words = std::map<std::string, std::string, std::less<>>;

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view blanks = " \t\r\n";
  const std::size_t begin = text.find_first_not_of(blanks);
  if (begin == text.npos) return {};
  return text.substr(begin, text.find_last_not_of(blanks) + 1 - begin);
}

/// The words of a call: the function, and the name and value of each argument.
struct Spelled {
  std::string function;
  Words arguments;
};

Spelled spell(std::string_view text) {
  text = trimmed(text);
  const std::size_t open = text.find('(');
  if (open == text.npos || !text.ends_with(')')) {
    throw BadCall(tr("'{}' is no call; write it as NAME(argument=value, argument=value)", text));
  }
  Spelled spelled;
  spelled.function = trimmed(text.substr(0, open));
  std::string_view rest = trimmed(text.substr(open + 1, text.size() - open - 2));
  while (!rest.empty()) {
    const std::size_t comma = std::min(rest.find(','), rest.size());
    const std::string_view argument = trimmed(rest.substr(0, comma));
    rest.remove_prefix(std::min(comma + 1, rest.size()));
    const std::size_t equals = argument.find('=');
    if (equals == argument.npos) {
      throw BadCall(tr("the argument '{}' has no name; write it as name=value", argument));
    }
    const std::string name(trimmed(argument.substr(0, equals)));
    const std::string value(trimmed(argument.substr(equals + 1)));
    if (!spelled.arguments.emplace(name, value).second) {
      throw BadCall(tr("the argument {} is given twice", name));
    }
  }
  return spelled;
}

/// Reads a number, which must fill the text: "2", "-0.5" or "1e-3".
std::optional<double> real_in(const std::string& text) {
  char* rest = nullptr;
  // Not every <charconv> reads floating-point numbers.
  const double number = std::strtod(text.c_str(), &rest);
  if (text.empty() || *rest != '\0') return std::nullopt;
  return number;
}

/// Returns how to call a function: "matmul_grid(n=NUMBER, block=128x1)". Optional arguments are in
/// brackets, with their default values.
std::string example_of(const ContractInfo& function) {
  std::vector<std::string> arguments;
  for (const ParameterInfo& parameter : function.parameters) {
    if (parameter.kind == ParameterKind::matrix) continue;
    if (!parameter.default_value.empty()) {
      arguments.push_back(fmt::format("[{}={}]", parameter.name, parameter.default_value));
    } else {
      const char* value = parameter.kind == ParameterKind::extent ? "128x1" : "NUMBER";
      arguments.push_back(fmt::format("{}={}", parameter.name, value));
    }
  }
  return fmt::format("{}({})", function.function, fmt::join(arguments, ", "));
}

const ContractInfo& find_function(const std::string& name,
                                  const std::vector<ContractInfo>& functions) {
  const auto found = std::ranges::find(functions, name, &ContractInfo::function);
  if (found != functions.end()) return *found;
  std::vector<std::string> examples;
  std::ranges::transform(functions, std::back_inserter(examples), example_of);
  throw BadCall(tr("this stage has no function '{}'; it has {}", name, fmt::join(examples, ", ")));
}

/// Reads the value of an argument that is not a matrix.
CallArgument read_argument(const ParameterInfo& parameter, const std::string& value) {
  if (parameter.kind == ParameterKind::integer) {
    if (const auto number = number_in<std::int64_t>(value)) return *number;
    throw BadCall(tr("{}='{}' is no whole number", parameter.name, value));
  }
  if (parameter.kind == ParameterKind::real) {
    if (const auto number = real_in(value)) return *number;
    throw BadCall(tr("{}='{}' is no number", parameter.name, value));
  }
  if (const auto extent = extent_in(value)) return *extent;
  throw BadCall(tr("{}='{}' is no extent; write it as 128x1", parameter.name, value));
}

/// Returns the argument that was given, or the contract's default.
/// @param integers the arguments before this one
CallArgument find_argument(const ParameterInfo& parameter, Words& given, const Integers& integers,
                           const ContractInfo& function) {
  if (const auto word = given.extract(parameter.name)) {
    return read_argument(parameter, word.mapped());
  }
  if (parameter.default_value.empty()) {
    throw BadCall(tr("the argument {} is missing: {}", parameter.name, example_of(function)));
  }
  const auto earlier = integers.find(parameter.default_value);
  if (earlier != integers.end()) return earlier->second;
  return read_argument(parameter, parameter.default_value);
}

/// Returns the value of a word in a contract: a number such as "32", or the name of an integer
/// argument.
std::int64_t value_of(std::string_view word, const Integers& integers,
                      const ContractInfo& function) {
  if (const auto found = integers.find(word); found != integers.end()) return found->second;
  if (const auto number = number_in<std::int64_t>(std::string(word))) return *number;
  throw std::runtime_error(
      fmt::format("the contract of {} in its stage.json has '{}', which is neither a number nor an "
                  "integer parameter",
                  function.function, word));
}

/// Returns the values in a text that are separated by a mark, such as "m, k, lda" by commas.
std::vector<std::int64_t> values_in(std::string_view text, char mark, const Integers& integers,
                                    const ContractInfo& function) {
  std::vector<std::int64_t> values;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(mark), text.size());
    values.push_back(value_of(trimmed(text.substr(0, end)), integers, function));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return values;
}

MatrixShape shape_of(const ParameterInfo& matrix, const Integers& integers,
                     const ContractInfo& function) {
  const auto extents = values_in(matrix.shape, ',', integers, function);
  if (extents.size() == 2) return {extents[0], extents[1]};
  if (extents.size() == 3) return {extents[0], extents[1], extents[2]};
  throw std::runtime_error(fmt::format(
      "the contract of {} in its stage.json has the matrix {}({}); write it as {}(rows, "
      "cols), or with its leading dimension",
      function.function, matrix.name, matrix.shape, matrix.name));
}

double flop_of(const ContractInfo& function, const Integers& integers) {
  if (function.flop.empty()) return 0;
  double flop = 1;
  for (const std::int64_t factor : values_in(function.flop, '*', integers, function)) {
    flop *= static_cast<double>(factor);
  }
  return flop;
}

/// Returns the bytes of a matrix.
std::size_t size_of(const ParameterInfo& parameter, const MatrixShape& shape) {
  const std::int64_t row = shape.leading_dimension;
  if (shape.rows < 0 || shape.cols < 0 || row < 0) {
    throw BadCall(tr("the matrix {} would have {} rows and {} columns", parameter.name, shape.rows,
                     std::min(shape.cols, row)));
  }
  // The limit on elements is far more than any GPU has. A vector may have as many elements as an
  // int can count.
  constexpr std::int64_t most_elements = std::int64_t{1} << 48, longest_side = INT_MAX;
  const bool too_long =
      shape.rows > longest_side || shape.cols > longest_side || row > longest_side;
  if (too_long || shape.rows * row > most_elements) {
    throw BadCall(tr("the matrix {} would have {} rows and {} columns; no GPU holds it",
                     parameter.name, shape.rows, std::max(shape.cols, row)));
  }
  return static_cast<std::size_t>(shape.rows * row) * parameter.element_bytes;
}

BufferArgument matrix_argument(const ParameterInfo& parameter, const MatrixShape& shape) {
  BufferArgument matrix;
  matrix.image_bytes = matrix.payload_bytes = size_of(parameter, shape);
  matrix.name = parameter.name;
  matrix.read_only = parameter.read_only;
  matrix.element_bytes = parameter.element_bytes;
  matrix.row_elements = static_cast<std::size_t>(shape.leading_dimension);
  matrix.device_only = true;
  return matrix;
}

}  // namespace

NamedCall read_call(std::string_view text, const std::vector<ContractInfo>& functions) {
  Spelled spelled = spell(text);
  const ContractInfo& function = find_function(spelled.function, functions);

  NamedCall call{function.function, function.function + "(", {}, {}, 0, false};
  Integers integers;
  std::vector<std::optional<CallArgument>> numbers;  // one per parameter; empty for a matrix
  for (const ParameterInfo& parameter : function.parameters) {
    auto& number = numbers.emplace_back();
    if (parameter.kind == ParameterKind::matrix) continue;
    number = find_argument(parameter, spelled.arguments, integers, function);
    if (const auto* integer = std::get_if<std::int64_t>(&*number)) {
      integers[parameter.name] = *integer;
    }
    append_argument(call.text, parameter.name, *number);
  }
  call.text += ")";
  if (!spelled.arguments.empty()) {
    throw BadCall(
        tr("there is no argument {}: {}", spelled.arguments.begin()->first, example_of(function)));
  }

  for (std::size_t i = 0; i < numbers.size(); ++i) {
    if (!numbers[i]) {
      const ParameterInfo& matrix = function.parameters[i];
      call.matrices.push_back(shape_of(matrix, integers, function));
      call.arguments.emplace_back(matrix_argument(matrix, call.matrices.back()));
      call.double_precision |= matrix.element_bytes == sizeof(double);
    } else if (const auto* integer = std::get_if<std::int64_t>(&*numbers[i])) {
      call.arguments.emplace_back(*integer);
    } else if (const auto* real = std::get_if<double>(&*numbers[i])) {
      call.arguments.emplace_back(*real);
    } else {
      call.arguments.emplace_back(std::get<std::array<unsigned, 3>>(*numbers[i]));
    }
  }
  call.operations = flop_of(function, integers);
  return call;
}

}  // namespace tilewise::grading
