#include "grading/builder/host_lines.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "common/simt/rewrite/outline.hpp"
#include "common/simt/rewrite/tokenizer.hpp"

namespace tilewise::grading {
namespace {

using simt::rewriting::Outline;
using simt::rewriting::Token;

void add_lines(std::set<int>& lines, int first, int last) {
  for (int line = first; line <= last; ++line) lines.insert(line);
}

std::set<int> lines_asking(const std::vector<Token>& tokens) {
  struct Conditional {
    int line;
    bool asks;
  };
  std::set<int> lines;
  std::vector<Conditional> open;
  for (std::size_t i = 0; i + 1 < tokens.size(); ++i) {
    const Token& token = tokens[i];
    if (token.directive == 0) continue;
    if (token.is("__CUDA_ARCH__") && !open.empty()) open.back().asks = true;
    if (!token.is("#")) continue;
    if (tokens[i + 1].text.starts_with("if")) open.push_back({token.line, false});
    if (!tokens[i + 1].is("endif") || open.empty()) continue;
    if (open.back().asks) add_lines(lines, open.back().line, token.line);
    open.pop_back();
  }
  return lines;
}

/// Knows which tokens stand for `__host__` or `__device__`, by themselves or as macros.
class Qualifiers {
 public:
  explicit Qualifiers(const std::vector<Token>& tokens) {
    for (std::size_t i = 2; i < tokens.size(); ++i) {
      if (!tokens[i - 2].is("#") || !tokens[i - 1].is("define")) continue;
      for (std::size_t k = i + 1; k < tokens.size() && tokens[k].directive == tokens[i].directive;
           ++k) {
        if (says_host(tokens[k])) host_.insert(tokens[i].text);
        if (says_device(tokens[k])) device_.insert(tokens[i].text);
      }
    }
  }
  bool says_host(const Token& token) const {
    return token.is("__host__") || host_.contains(token.text);
  }
  bool says_device(const Token& token) const {
    return token.is("__device__") || device_.contains(token.text);
  }

 private:
  std::set<std::string_view> host_, device_;
};

std::set<int> lines_of_both(const std::vector<Token>& tokens) {
  const Qualifiers qualifiers(tokens);
  const Outline outline(tokens);
  const std::vector<Token>& code = outline.code();
  std::set<int> lines;
  bool on_host = false, on_device = false;
  for (std::size_t i = 0; i < code.size(); ++i) {
    on_host = on_host || qualifiers.says_host(code[i]);
    on_device = on_device || qualifiers.says_device(code[i]);
    if (!code[i].is(";") && !code[i].is("{") && !code[i].is("}")) continue;
    const auto end = code[i].is("{") ? outline.partner(i) : std::nullopt;
    if (on_host && on_device && end) add_lines(lines, code[i].line, code[*end].line);
    on_host = on_device = false;
  }
  return lines;
}

}  // namespace

HostLines host_lines(std::string_view source) {
  const std::vector<Token> tokens = simt::rewriting::tokenize(source);
  return {lines_asking(tokens), lines_of_both(tokens)};
}

namespace {

using simt::rewriting::Token;

/// A directive that begins, changes or ends a conditional part: [begin, end) in the source.
struct Conditional {
  std::size_t begin, end;
  std::string_view name;
  bool opens() const { return name.starts_with("if"); }
  bool closes() const { return name == "endif"; }
};

/// Returns the end of a directive's line: the line break that is neither spliced nor in a comment.
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
      // In a line comment only a spliced line matters.
      while (at < source.size() && source[at] != '\n' && source[at] != '\\') ++at;
    } else {
      ++at;
    }
  }
  return at;
}

/// Whether a directive begins here; `%:` is another spelling of `#`.
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

/// Replaces a part of a text by blanks, except for its line breaks.
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
  std::vector<bool> is_taken = {true};  // for the parts around this place, from the outermost
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
