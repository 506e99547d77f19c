#include "common/simt/program/allocation_name.hpp"

#include <algorithm>
#include <cctype>

namespace tilewise::program {
namespace {

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(" \t\n");
  if (first == text.npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\n") - first + 1);
}

/// Returns the position behind the bracket that closes the one at the start of the text; the text's
/// size if there is none.
std::size_t behind_brackets(std::string_view text) {
  int depth = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '(' || text[i] == '[' || text[i] == '{') ++depth;
    if ((text[i] == ')' || text[i] == ']' || text[i] == '}') && --depth == 0) return i + 1;
  }
  return text.size();
}

std::string_view first_argument(std::string_view words) {
  // The arguments of a template may have commas, too: reinterpret_cast<pair<a, b>**>(&p).
  int depth = 0, angles = 0;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const char c = words[i];
    if (c == '(' || c == '[' || c == '{') ++depth;
    if (c == ')' || c == ']' || c == '}') --depth;
    if (c == '<') ++angles;
    if (c == '>' && angles > 0 && (i == 0 || words[i - 1] != '-')) --angles;
    if (c == ',' && depth == 0 && angles == 0) return trimmed(words.substr(0, i));
  }
  return trimmed(words);
}

/// Whether brackets hold a type, as in (void**) or (T **).
bool is_cast(std::string_view brackets) {
  const std::string_view inside = trimmed(brackets.substr(1, brackets.size() - 2));
  return inside.ends_with('*') && inside.front() != '&' && inside.front() != '*';
}

/// Returns the text without the casts around it.
std::string_view uncast(std::string_view text) {
  for (;;) {
    text = trimmed(text);
    if (text.starts_with('(')) {
      const std::size_t end = behind_brackets(text);
      if (end < text.size() && is_cast(text.substr(0, end))) {
        text.remove_prefix(end);
        continue;
      }
      if (end == text.size() && end > 2) {
        text = text.substr(1, end - 2);
        continue;
      }
      return text;
    }
    if (text.starts_with("reinterpret_cast") || text.starts_with("static_cast")) {
      const std::size_t open = text.find(">(");
      const std::size_t spaced = text.find("> (");
      const std::size_t at = std::min(open, spaced);
      if (at == text.npos) return text;
      text.remove_prefix(text.find('(', at));
      continue;
    }
    return text;
  }
}

/// Whether a text names a variable, or a member or element of one.
bool stands_for_a_variable(std::string_view text) {
  if (text.empty()) return false;
  const auto first = static_cast<unsigned char>(text.front());
  if (std::isalpha(first) == 0 && first != '_' && first != '*' && first != ':') return false;
  return std::ranges::none_of(text, [](char c) { return c == '"' || c == '?' || c == ';'; });
}

}  // namespace

std::string allocation_name(std::string_view words) {
  const std::string_view argument = uncast(first_argument(words));
  const bool has_address = argument.starts_with('&');
  const std::string_view variable = has_address ? uncast(argument.substr(1)) : argument;
  if (!stands_for_a_variable(variable)) return "";
  return (has_address ? "" : "*") + std::string(variable);
}

}  // namespace tilewise::program
