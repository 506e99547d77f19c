#include "common/simt/rewrite/functions.hpp"
#include "common/simt/rewrite/index_parts.hpp"
#include "common/simt/rewrite/passes.hpp"

namespace tilewise::simt::rewriting {

void keep_launch_bounds(const Outline& outline, Edits& edits) {
  const std::vector<Token>& code = outline.code();
  const auto begins = [&](std::size_t i) {
    return i == 0 || code[i - 1].is(";") || code[i - 1].is("{") || code[i - 1].is("}");
  };
  for (const WrittenFunction& kernel : functions_of(outline)) {
    if (!kernel.is_kernel) continue;
    for (std::size_t i = kernel.parameters - 1; !begins(i); --i) {
      const auto close = code[i].is("__launch_bounds__") ? outline.partner(i + 1) : std::nullopt;
      if (!close) continue;
      const std::string bounds = words_of(code, {i + 2, *close});
      edits.insert_after(code[kernel.body],
                         " ::tilewise::simt::keep_launch_bounds(" + bounds + ");");
    }
  }
}

}  // namespace tilewise::simt::rewriting
