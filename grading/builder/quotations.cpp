#include "grading/builder/quotations.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "grading/builder/source_file.hpp"

namespace tilewise::grading {
namespace {

/// Returns the line without blanks, because clang expands tabs.
std::string key_of(std::string_view line) {
  std::string key;
  std::ranges::copy_if(line, std::back_inserter(key),
                       [](char c) { return c != ' ' && c != '\t' && c != '\r'; });
  return key;
}

bool is_caret(std::string_view line) { return line.find_first_not_of(" ^~") == line.npos; }

}  // namespace

void Quotations::add(std::string_view own, std::string_view compiled) {
  take_line(compiled);
  while (!own.empty()) {
    const std::string_view own_line = take_line(own);
    const std::string_view compiled_line = take_line(compiled);
    std::string key = key_of(compiled_line);
    // A line that became empty is never quoted, but messages have blank lines.
    if (own_line != compiled_line && !key.empty()) own_lines_.emplace(std::move(key), own_line);
  }
}

std::string Quotations::restore(std::string_view message) const {
  std::string restored;
  while (!message.empty()) {
    const std::string_view line = take_line(message);
    const auto quoted = own_lines_.find(key_of(line));
    restored += quoted == own_lines_.end() ? line : std::string_view(quoted->second);
    restored += '\n';
    if (quoted == own_lines_.end()) continue;
    std::string_view rest = message;
    if (is_caret(take_line(rest))) message = rest;
  }
  return restored;
}

}  // namespace tilewise::grading
