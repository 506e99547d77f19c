#include <set>
#include <string_view>

#include "common/simt/rewrite/passes.hpp"

namespace tilewise::simt::rewriting {
namespace {

/// Returns the names of the function templates that a file declares.
std::set<std::string_view> function_templates_in(const Outline& outline) {
  const std::vector<Token>& code = outline.code();
  std::set<std::string_view> names;
  for (std::size_t i = 0; i + 1 < code.size(); ++i) {
    if (!code[i].is("template") || !code[i + 1].is("<")) continue;
    std::size_t at = outline.template_close(i + 1).value_or(code.size());
    while (at < code.size() && !code[at].is("(") && !code[at].is(";") && !code[at].is("{")) ++at;
    if (at < code.size() && code[at].is("(") && code[at - 1].is_name()) {
      names.insert(code[at - 1].text);
    }
  }
  return names;
}

}  // namespace

void name_member_templates(const Outline& outline, Edits& edits) {
  const std::vector<Token>& code = outline.code();
  const std::set<std::string_view> names = function_templates_in(outline);
  if (names.empty()) return;
  for (std::size_t i = 1; i + 1 < code.size(); ++i) {
    const bool is_member = code[i - 1].is(".") || code[i - 1].is("->");
    if (!is_member || !code[i + 1].is("<") || !names.contains(code[i].text)) continue;
    const auto close = outline.template_close(i + 1);
    if (close && *close + 1 < code.size() && code[*close + 1].is("(")) {
      edits.insert_before(code[i], "template ");
    }
  }
}

}  // namespace tilewise::simt::rewriting
