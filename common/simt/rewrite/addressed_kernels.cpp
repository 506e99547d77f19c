#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "common/simt/rewrite/outline.hpp"
#include "common/simt/rewrite/passes.hpp"
#include "common/simt/rewrite/tokenizer.hpp"

namespace tilewise::simt::rewriting {
namespace {

// Returns the end of a name with its scopes and template arguments, as in `ns::kernel<16>`; `first`
// if there is no such name.
std::size_t end_of_name(const Outline& outline, std::size_t first) {
  const auto& code = outline.code();
  auto end = first;
  while (end < code.size()) {
    if (code[end].kind != TokenKind::identifier) return first;
    ++end;
    if (end < code.size() && code[end].is("<")) {
      const auto close = outline.template_close(end);
      if (!close) return first;
      end = *close + 1;
    }
    if (end == code.size() || !code[end].is("::")) break;
    ++end;
  }
  return end;
}

// Returns the end of the operand of a cast: a name, or an expression such as `table[i].kernel`,
// `found->second` or `kernel_of(tile)`.
std::size_t end_of_operand(const Outline& outline, std::size_t first) {
  const auto& code = outline.code();
  auto end = end_of_name(outline, first);
  if (end == first) return first;
  while (end < code.size()) {
    if (code[end].is("[") || code[end].is("(")) {
      const auto close = outline.partner(end);
      if (!close) return first;
      end = *close + 1;
    } else if (code[end].is(".") || code[end].is("->")) {
      const auto member = end_of_name(outline, end + 1);
      if (member == end + 1) return first;
      end = member;
    } else {
      break;
    }
  }
  return end;
}

// Whether a cast to `void*` ends before the token, or the token begins the arguments of
// cudaLaunchKernel.
bool takes_address(const std::vector<Token>& code, std::size_t index) {
  if (index < 2) return false;
  auto at = index - 1;
  if (code[at].is("(") && code[at - 1].is("cudaLaunchKernel")) return true;
  if (code[at].is("(")) {
    if (!code[--at].is(">")) return false;
  } else if (!code[at].is(")")) {
    return false;
  }
  while (at > 0 && code[at - 1].is("const")) --at;
  if (at < 3 || !code[at - 1].is("*")) return false;
  --at;
  while (at > 0 && code[at - 1].is("const")) --at;
  if (at < 2 || !code[at - 1].is("void")) return false;
  --at;
  while (at > 0 && code[at - 1].is("const")) --at;
  return at > 0 && (code[at - 1].is("(") ||
                    (code[at - 1].is("<") && at > 1 && code[at - 2].is("reinterpret_cast")));
}

}  // namespace

void mark_addressed_kernels(const Outline& outline, Edits& edits) {
  const auto& code = outline.code();
  static constexpr std::array<std::string_view, 4> launches = {
      "cudaLaunchKernel", "cudaLaunchKernelExC", "cudaLaunchCooperativeKernel",
      "cudaKernelNodeParams"};
  const auto says_launch = [](const Token& token) {
    return std::find(launches.begin(), launches.end(), token.text) != launches.end();
  };
  if (std::none_of(code.begin(), code.end(), says_launch)) return;
  static constexpr std::array<std::string_view, 7> ends = {")", ",", ";", ":", "?", "}", "]"};
  for (std::size_t i = 2; i < code.size(); ++i) {
    if (!takes_address(code, i)) continue;
    const auto first = code[i].is("&") || code[i].is("*") ? i + 1 : i;
    const auto end = end_of_operand(outline, first);
    if (end == first || end == code.size() ||
        std::find(ends.begin(), ends.end(), code[end].text) == ends.end()) {
      continue;
    }
    edits.insert_before(code[i],
                        "::tilewise::simt::addressed(" + quoted(name_of(code, first, end)) + ", ");
    edits.insert_after(code[end - 1], ")");
  }
}

}  // namespace tilewise::simt::rewriting
