#pragma once

#include <string>

namespace tilewise::core {

/// Text of a JSON document. Bytes that are not UTF-8 (a student's code has a hand in many texts)
/// become U+FFFD rather than an error. @param indent spaces a level; -1: all on one line
template <class Json>
std::string json_text(const Json& document, int indent = -1) {
  return document.dump(indent, ' ', false, Json::error_handler_t::replace);
}

}  // namespace tilewise::core
