#include <algorithm>
#include <set>
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
using simt::rewriting::WrittenFunction;

std::string words_of(const SourceText& source, Part part) {
  return simt::rewriting::joined(
      std::span(source.outline.code()).subspan(part.first, part.end - part.first));
}

/// The declaration of a constant, `stages = 4`, that a name in an extent stands for; empty if the
/// source declares none.
Part constant_called(const SourceText& source, std::string_view name) {
  const std::vector<Token>& code = source.outline.code();
  for (std::size_t i = 2; i + 2 < code.size(); ++i) {
    const bool is_constant = code[i].is(name) && code[i + 1].is("=") && code[i - 1].is_name() &&
                             (code[i - 2].is("constexpr") || code[i - 2].is("const"));
    if (!is_constant) continue;
    std::size_t end = i + 2;
    while (end < code.size() && !code[end].is(";") && !code[end].is(",")) {
      end = source.outline.behind(end);
    }
    return {i, end};
  }
  return {0, 0};
}

/// The `__shared__` arrays of a function, from the word to the end of each declaration.
std::vector<Part> shared_arrays(const SourceText& source, const WrittenFunction& function) {
  const std::vector<Token>& code = source.outline.code();
  std::vector<Part> found;
  for (std::size_t i = function.body + 1; i < function.end; ++i) {
    if (!code[i].is("__shared__") || code[i - 1].is("extern")) continue;
    std::size_t end = i;
    while (end < function.end && !code[end].is(";")) end = source.outline.behind(end);
    found.push_back({i, end});
    i = end;
  }
  return found;
}

/// The kernel that a message names, and the functions that it calls.
std::vector<WrittenFunction> functions_behind(const SourceText& source, std::string_view message) {
  const std::vector<Token>& code = source.outline.code();
  std::vector<WrittenFunction> found;
  for (const WrittenFunction& function : source.functions) {
    if (function.is_kernel && says_word(message, function.name)) found.push_back(function);
  }
  for (std::size_t next = 0; next < found.size(); ++next) {
    for (const WrittenFunction& other : source.functions) {
      const auto is_it = [&](const WrittenFunction& one) { return one.body == other.body; };
      if (!other.is_of_device || std::ranges::any_of(found, is_it)) continue;
      const bool is_called = std::any_of(code.begin() + std::ptrdiff_t(found[next].body),
                                         code.begin() + std::ptrdiff_t(found[next].end),
                                         [&](const Token& token) { return token.is(other.name); });
      if (is_called) found.push_back(other);
    }
  }
  return found;
}

}  // namespace

SourceAccount declared_shared_memory(const core::Finding& finding, std::string_view source) {
  const std::string form =
      core::in_language(marked("{} declares {} bytes of shared memory, but a block of this GPU has "
                               "{}: use smaller tiles"));
  const std::size_t begin = form.find('}', form.find('}') + 1) + 1;
  const std::string words = form.substr(begin, form.find('{', begin) - begin);
  if (finding.kind != "launch" || finding.message.find(words) == std::string::npos) return {};
  const SourceText text(source);
  const std::vector<Token>& code = text.outline.code();
  SourceAccount account;
  std::set<std::string_view> told;
  for (const WrittenFunction& function : functions_behind(text, finding.message)) {
    for (const Part array : shared_arrays(text, function)) {
      account.message += tr(" Line {} declares {}.", code[array.first].line, words_of(text, array));
      for (std::size_t i = array.first; i < array.end; ++i) {
        if (!code[i].is_name() || !told.insert(code[i].text).second) continue;
        const Part constant = constant_called(text, code[i].text);
        if (constant.first == constant.end) continue;
        account.message +=
            tr(" In that, {} on line {}.", words_of(text, constant), code[constant.first].line);
      }
    }
  }
  if (account.message.empty()) return {};
  account.hint = tr(
      "Make the extents of these arrays smaller until a block has room for all of them. A GPU of "
      "today gives a block more than that only as extern __shared__ memory, after "
      "cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes).");
  return account;
}

}  // namespace tilewise::grading
