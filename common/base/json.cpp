#include "common/base/json.hpp"

#include <cmath>
#include <stdexcept>

#include "common/base/finding.hpp"

namespace tilewise::core {
namespace strict {

const Json& member(const Json& object, const char* name) {
  const auto found = object.find(name);
  if (found == object.end()) throw std::runtime_error(std::string("it has no field ") + name);
  return *found;
}

[[noreturn]] void wrong_value(const char* name) {
  throw std::runtime_error(std::string("field ") + name + " has an impossible value");
}

std::int64_t in_range(const Json& value, const char* name, std::int64_t low, std::int64_t high) {
  if (!value.is_number_integer()) wrong_value(name);
  if (value.is_number_unsigned() &&
      value.get<std::uint64_t>() > std::numeric_limits<std::int64_t>::max()) {
    wrong_value(name);
  }
  const auto number = value.get<std::int64_t>();
  if (number < low || number > high) wrong_value(name);
  return number;
}

std::int64_t integer(const Json& object, const char* name, std::int64_t low, std::int64_t high) {
  return in_range(member(object, name), name, low, high);
}

int small_integer(const Json& object, const char* name) {
  return static_cast<int>(integer(object, name, 0, std::numeric_limits<int>::max()));
}

std::size_t size(const Json& object, const char* name) {
  return static_cast<std::size_t>(
      integer(object, name, 0, std::numeric_limits<std::int64_t>::max()));
}

std::string text(const Json& object, const char* name) {
  const Json& value = member(object, name);
  if (!value.is_string()) wrong_value(name);
  return value.get<std::string>();
}

double non_negative(const Json& value, const char* name) {
  if (!value.is_number()) wrong_value(name);
  const double number = value.get<double>();
  if (!std::isfinite(number) || number < 0) wrong_value(name);
  return number;
}

const Json& list(const Json& object, const char* name, std::size_t longest) {
  const Json& value = member(object, name);
  if (!value.is_array() || value.size() > longest) wrong_value(name);
  return value;
}

std::array<unsigned, 3> extents(const Json& object, const char* name) {
  const Json& value = list(object, name, 3);
  if (value.size() != 3) wrong_value(name);
  std::array<unsigned, 3> result;
  for (std::size_t i = 0; i < 3; ++i) {
    if (!value[i].is_number_unsigned()) wrong_value(name);
    const auto extent = value[i].get<std::uint64_t>();
    if (extent > std::numeric_limits<unsigned>::max()) wrong_value(name);
    result[i] = static_cast<unsigned>(extent);
  }
  return result;
}

}  // namespace strict

void to_json(nlohmann::json& document, const Finding& finding) {
  document = {{"kind", finding.kind},
              {"message", finding.message},
              {"file", finding.file},
              {"line", finding.line},
              {"other_file", finding.other_file},
              {"other_line", finding.other_line}};
  if (finding.place) {
    document["block"] = finding.place->block;
    document["thread"] = finding.place->thread;
  }
  if (!finding.hint.empty()) document["hint"] = finding.hint;
  if (!finding.call.empty()) document["call"] = finding.call;
  if (!finding.array.empty()) {
    document["array"] = finding.array;
    document["bracket"] = finding.bracket;
  }
  if (finding.matrix.empty()) return;
  document["matrix"] = finding.matrix;
  document["row"] = finding.row;
  document["col"] = finding.col;
}

void from_json(const nlohmann::json& document, Finding& finding) {
  using namespace strict;
  finding = {.kind = text(document, "kind"),
             .message = text(document, "message"),
             .file = text(document, "file"),
             .line = small_integer(document, "line"),
             .other_file = text(document, "other_file"),
             .other_line = small_integer(document, "other_line")};
  if (document.contains("block")) {
    finding.place = ThreadOfGrid{extents(document, "block"), extents(document, "thread")};
  }
  if (document.contains("hint")) finding.hint = text(document, "hint");
  if (document.contains("call")) finding.call = text(document, "call");
  if (document.contains("array")) {
    finding.array = text(document, "array");
    finding.bracket = small_integer(document, "bracket");
  }
  if (!document.contains("matrix")) return;
  finding.matrix = text(document, "matrix");
  finding.row = small_integer(document, "row");
  finding.col = small_integer(document, "col");
}

}  // namespace tilewise::core
