#include "grading/repair/small_call.hpp"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <set>

#include "grading/bench/bench_cases.hpp"

namespace tilewise::grading {
namespace {

/// The integers of a call, by name.
using Numbers = std::map<std::string, long>;

Numbers numbers_of(const std::string& text) {
  Numbers numbers;
  for (std::size_t at = text.find('='); at != text.npos; at = text.find('=', at + 1)) {
    const std::size_t begin = text.find_last_of("(, ", at) + 1;
    char* end = nullptr;
    const long value = std::strtol(text.c_str() + at + 1, &end, 10);
    if (*end == ',' || *end == ')') numbers[text.substr(begin, at - begin)] = value;
  }
  return numbers;
}

std::string with_number(std::string text, const std::string& name, long value) {
  for (const char before : {'(', ' '}) {
    const std::size_t at = text.find(before + name + "=");
    if (at == text.npos) continue;
    const std::size_t begin = at + name.size() + 2;
    return text.replace(begin, text.find_first_of(",)", begin) - begin, std::to_string(value));
  }
  return text;
}

std::optional<NamedCall> read(const std::string& text, const std::vector<ContractInfo>& functions) {
  try {
    return read_call(text, functions);
  } catch (const BadCall&) {
    return std::nullopt;
  }
}

double work_of(const NamedCall& call) {
  return std::max(call.operations, double(bytes_in_memory(call)));
}

/// The integers of a call on which the sizes of its matrices depend.
Numbers sizes_of(const NamedCall& call, const std::vector<ContractInfo>& functions) {
  const auto is_as_large = [](const MatrixShape& a, const MatrixShape& b) {
    return a.rows == b.rows && a.cols == b.cols && a.leading_dimension == b.leading_dimension;
  };
  Numbers sizes = numbers_of(call.text);
  std::erase_if(sizes, [&](const auto& number) {
    for (const long step : {1, -1}) {
      const auto other =
          read(with_number(call.text, number.first, number.second + step), functions);
      if (other) return std::ranges::equal(other->matrices, call.matrices, is_as_large);
    }
    return true;
  });
  return sizes;
}

}  // namespace

std::vector<std::string> calls_of_one_size(const NamedCall& call,
                                           const std::vector<ContractInfo>& functions) {
  const Numbers sizes = sizes_of(call, functions);
  std::set<long> all;
  for (const auto& [name, size] : sizes) all.insert(size);
  std::vector<std::string> calls;
  const bool are_equal = all.size() == 1;
  constexpr long whole = 128;  // all sides of tiles divide it
  const long given = are_equal ? *all.begin() : 0;
  if (!all.empty()) all.insert(whole);
  for (const long one : all) {
    if (one == given) continue;
    std::string text = call.text;
    for (const auto& [name, size] : sizes) text = with_number(text, name, one);
    calls.push_back(text);
  }
  return calls;
}

std::optional<NamedCall> small_call(const std::string& text,
                                    const std::vector<ContractInfo>& functions, double most) {
  auto call = read(text, functions);
  if (!call || work_of(*call) <= most) return call;
  const Numbers sizes = sizes_of(*call, functions);
  constexpr long period = 32;  // all sides of tiles divide it
  for (int percent = 95; percent > 0; percent -= 5) {
    std::string smaller = call->text;
    for (const auto& [name, size] : sizes) {
      const long rest = size % period;
      smaller = with_number(smaller, name, (size - rest) * percent / 100 / period * period + rest);
    }
    const auto fits = read(smaller, functions);
    if (fits && work_of(*fits) <= most) return fits;
  }
  return std::nullopt;
}

}  // namespace tilewise::grading
