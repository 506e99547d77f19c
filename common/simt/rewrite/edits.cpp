#include "common/simt/rewrite/edits.hpp"

#include <algorithm>
#include <utility>

namespace tilewise::simt::rewriting {

void Edits::insert_before(const Token& token, std::string text) {
  edits_.push_back({token.begin, 0, std::move(text)});
}

void Edits::insert_after(const Token& token, std::string text) {
  edits_.push_back({token.end(), 0, std::move(text)});
}

void Edits::replace(const Token& token, std::string text) {
  edits_.push_back({token.begin, token.text.size(), std::move(text)});
}

void Edits::erase(const Token& token) { replace(token, ""); }

std::string Edits::apply_to(std::string_view source) const {
  auto edits = edits_;
  std::stable_sort(edits.begin(), edits.end(),
                   [](const Edit& a, const Edit& b) { return a.begin < b.begin; });
  std::string result;
  std::size_t copied = 0;
  for (const auto& edit : edits) {
    if (edit.begin < copied) continue;
    result += source.substr(copied, edit.begin - copied);
    result += edit.text;
    copied = edit.begin + edit.length;
    const auto replaced = source.substr(edit.begin, edit.length);
    result.append(static_cast<std::size_t>(std::count(replaced.begin(), replaced.end(), '\n')),
                  '\n');
  }
  result += source.substr(copied);
  return result;
}

}  // namespace tilewise::simt::rewriting

namespace tilewise::simt::rewriting {

std::string quoted(std::string_view text) {
  std::string literal = "\"";
  for (const char c : text) {
    if (c == '\n') {
      literal += "\\n";
      continue;
    }
    if (c == '"' || c == '\\') literal += '\\';
    literal += c;
  }
  return literal + '"';
}

std::string joined(std::span<const Token> tokens) {
  std::string text;
  std::size_t end = tokens.empty() ? 0 : tokens.front().begin;
  for (const auto& token : tokens) {
    if (token.begin != end) text += ' ';
    text += token.text;
    end = token.end();
  }
  return text;
}

}  // namespace tilewise::simt::rewriting
