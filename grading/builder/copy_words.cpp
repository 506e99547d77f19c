#include <algorithm>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/language.hpp"
#include "common/simt/rewrite/functions.hpp"
#include "grading/builder/kinds_of_accounts.hpp"

namespace tilewise::grading {
namespace {

using simt::rewriting::Part;
using simt::rewriting::SourceText;
using simt::rewriting::Token;

/// Returns the direction of a refused copy, "cudaMemcpyHostToDevice", as
/// common/simt/runtime/device.cpp words it; empty for other findings.
std::string_view refused_direction(std::string_view message) {
  constexpr std::string_view before = "cudaMemcpy returned cudaErrorInvalidValue: by ";
  const std::size_t begin = message.find(before);
  if (begin == message.npos) return "";
  const std::string_view direction = message.substr(begin + before.size());
  return direction.substr(0, direction.find(' '));
}

/// The calls that copy in a direction, from the name to behind the parenthesis.
std::vector<Part> copies(const SourceText& source, std::string_view direction) {
  const std::vector<Token>& code = source.outline.code();
  std::vector<Part> found;
  for (std::size_t i = 0; i + 1 < code.size(); ++i) {
    if (!code[i].text.starts_with("cudaMemcpy") || !code[i + 1].is("(")) continue;
    const std::size_t end = source.outline.behind(i + 1);
    const bool is_so =
        std::any_of(code.begin() + std::ptrdiff_t(i), code.begin() + std::ptrdiff_t(end),
                    [&](const Token& token) { return token.is(direction); });
    if (is_so) found.push_back({i, end});
  }
  return found;
}

}  // namespace

SourceAccount refused_copy(const core::Finding& finding, std::string_view source) {
  const std::string_view direction = refused_direction(finding.message);
  if (direction.empty()) return {};
  const SourceText text(source);
  const std::vector<Token>& code = text.outline.code();
  const std::vector<Part> found = copies(text, direction);
  if (found.empty() || found.size() > most_told) return {};
  SourceAccount account;
  for (const Part copy : found) {
    const std::string words =
        simt::rewriting::joined(std::span(code).subspan(copy.first, copy.end - copy.first));
    account.message += tr(" Line {} copies so: {}.", code[copy.first].line, words);
  }
  account.hint =
      tr("{}() is given memory of the device: hand its pointers to kernels as they are. Only "
         "variables of the host are copied to the device, or from it.",
         function_of(finding));
  return account;
}

}  // namespace tilewise::grading
