#include "grading/builder/host_lines.hpp"

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

/// Which of the words a token says, itself or as a macro that stands for them.
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

}  // namespace tilewise::grading
