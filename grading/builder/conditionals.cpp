#include "grading/builder/conditionals.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "common/simt/rewrite/tokenizer.hpp"

namespace tilewise::grading {
namespace {

using simt::rewriting::Token;

/// A directive that begins, changes or ends a conditional part: [begin, end) of the source.
struct Conditional {
  std::size_t begin, end;
  std::string_view name;
  bool opens() const { return name.starts_with("if"); }
  bool closes() const { return name == "endif"; }
};

/// The end of a directive's line: the line break that is neither joined nor in a comment.
std::size_t end_of_line(std::string_view source, std::size_t at) {
  const auto starts_with = [&](std::string_view text) {
    return source.substr(at, text.size()) == text;
  };
  while (at < source.size() && source[at] != '\n') {
    if (starts_with("/*")) {
      at = std::min(source.find("*/", at + 2), source.size() - 2) + 2;
    } else if (source[at] == '\\') {
      const std::size_t next = source.find_first_not_of(" \t\r\v\f", at + 1);
      at = next != source.npos && source[next] == '\n' ? next + 1 : at + 1;
    } else if (starts_with("//")) {
      // Nothing in it but a joined line matters.
      while (at < source.size() && source[at] != '\n' && source[at] != '\\') ++at;
    } else {
      ++at;
    }
  }
  return at;
}

/// `%:` is another spelling of `#`.
bool begins_directive(const std::vector<Token>& tokens, std::size_t i, std::size_t& name) {
  name = i + 1;
  if (tokens[i].is("#")) return tokens[i].directive != 0;
  if (!tokens[i].is("%") || i + 1 >= tokens.size() || !tokens[i + 1].is(":")) return false;
  name = i + 2;
  return tokens[i + 1].begin == tokens[i].end() && (i == 0 || tokens[i - 1].line != tokens[i].line);
}

std::vector<Conditional> conditionals_in(std::string_view source) {
  const std::vector<Token> tokens = simt::rewriting::tokenize(source);
  std::vector<Conditional> found;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    std::size_t name = 0;
    if (!begins_directive(tokens, i, name) || name >= tokens.size()) continue;
    static constexpr std::string_view names[] = {"if",      "ifdef",    "ifndef", "elif",
                                                 "elifdef", "elifndef", "else",   "endif"};
    if (std::ranges::find(names, tokens[name].text) == std::end(names)) continue;
    found.push_back({tokens[i].begin, end_of_line(source, tokens[name].end()), tokens[name].text});
  }
  return found;
}

std::string numbered(const std::string& mark, std::size_t number) {
  return fmt::format("{}_{}_", mark, number);
}

/// Leaves of a text its line breaks.
void blank(std::string& text, std::size_t begin, std::size_t end) {
  for (std::size_t i = begin; i < end; ++i) {
    if (text[i] != '\n') text[i] = ' ';
  }
}

}  // namespace

std::string with_marks(std::string_view source, const std::string& mark) {
  std::string marked;
  std::size_t at = 0;
  const std::vector<Conditional> conditionals = conditionals_in(source);
  for (std::size_t i = 0; i < conditionals.size(); ++i) {
    marked += source.substr(at, conditionals[i].end - at);
    at = conditionals[i].end;
    if (!conditionals[i].closes()) marked += "\n" + numbered(mark, i);
  }
  marked += source.substr(at);
  return marked;
}

std::string without_conditionals(std::string_view source, const std::string& mark,
                                 std::string_view left) {
  std::string text(source);
  const std::vector<Conditional> conditionals = conditionals_in(source);
  std::vector<bool> is_taken = {true};  // of the parts around here, from the outermost
  std::size_t at = 0;
  for (std::size_t i = 0; i < conditionals.size(); ++i) {
    const Conditional& conditional = conditionals[i];
    if (!is_taken.back()) blank(text, at, conditional.begin);
    blank(text, conditional.begin, conditional.end);
    at = conditional.end;
    if (!conditional.opens() && is_taken.size() > 1) is_taken.pop_back();
    if (!conditional.closes()) is_taken.push_back(left.find(numbered(mark, i)) != left.npos);
  }
  return text;
}

}  // namespace tilewise::grading
