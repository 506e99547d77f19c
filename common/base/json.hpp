#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>

namespace tilewise::core {

/// The text of a JSON document. Bytes that are not UTF-8 become U+FFFD instead of an error, because
/// a student's code influences many texts.
/// @param indent spaces a level; -1: all on one line
template <class Json>
std::string json_text(const Json& document, int indent = -1) {
  return document.dump(indent, ' ', false, Json::error_handler_t::replace);
}

/// Readers for JSON that may be hostile. Each throws std::runtime_error naming the field that is
/// missing or has a wrong type or range.
namespace strict {

using Json = nlohmann::json;

[[noreturn]] void wrong_value(const char* name);

const Json& member(const Json& object, const char* name);
std::int64_t in_range(const Json& value, const char* name, std::int64_t low, std::int64_t high);
std::int64_t integer(const Json& object, const char* name, std::int64_t low, std::int64_t high);
int small_integer(const Json& object, const char* name);  ///< not negative
std::size_t size(const Json& object, const char* name);
std::string text(const Json& object, const char* name);
double non_negative(const Json& value, const char* name);
const Json& list(const Json& object, const char* name,
                 std::size_t longest = std::numeric_limits<std::size_t>::max());
std::array<unsigned, 3> extents(const Json& object, const char* name);

}  // namespace strict
}  // namespace tilewise::core
