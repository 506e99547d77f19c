// Variants of names: another variable of the same type.
#include <algorithm>
#include <array>
#include <set>
#include <string>
#include <string_view>

#include "common/simt/rewrite/variables.hpp"
#include "grading/repair/variant.hpp"

namespace tilewise::grading {

using simt::rewriting::is_changed_at;

namespace {

/// Whether two names are easily confused: both of one letter, `tx` and `ty`, `k` and `k0`,
/// `row_of_warp` and `col_of_warp`.
bool are_alike(std::string_view a, std::string_view b) {
  if (a.starts_with(b) || b.starts_with(a)) return true;
  if (a.size() == b.size()) {
    std::size_t others = 0;
    for (std::size_t i = 0; i < a.size(); ++i) others += a[i] != b[i];
    if (others == 1) return true;
  }
  const auto with_col = [](std::string name) {
    const std::size_t at = name.find("row");
    return at == name.npos ? name : name.replace(at, 3, "col");
  };
  return with_col(std::string(a)) == with_col(std::string(b));
}

/// Whether a name would be subtracted from itself, divided by itself or compared with itself if it
/// stood in place of a token.
bool meets_itself(const Place& place, std::size_t at, std::string_view name) {
  static constexpr auto signs =
      std::to_array<std::string_view>({"-", "/", "%", "<", "<=", ">", ">=", "==", "!="});
  const std::vector<Token>& code = place.code();
  const auto is_sign = [](const Token& token) {
    return std::ranges::find(signs, token.text) != signs.end();
  };
  return (is_sign(code[at - 1]) && code[at - 2].is(name)) ||
         (is_sign(code[at + 1]) && code[at + 2].is(name));
}

/// @param alike whether to use the names that are easily confused, or the others
void vary_names(Place& place, bool alike) {
  const std::vector<Token>& code = place.code();
  constexpr std::size_t most_others = 12;
  for (std::size_t i = place.function().body + 1; i < place.function().end; ++i) {
    const bool has_side = code[i].is_name() && code[i + 1].is(".") &&
                          (code[i + 2].is("x") || code[i + 2].is("y")) && !code[i + 3].is("=");
    if (alike && has_side && place.may_vary(i) && place.scope().find(i) != nullptr) {
      place.add_expression({i, i + 3},
                           std::string(code[i].text) + "." + other_side(code[i + 2].text));
    }
    const Variable* const variable = is_read(place, i) ? place.scope().find(i) : nullptr;
    if (variable == nullptr || variable->type == Variable::Type::other) continue;
    const bool is_whole =
        variable->type != Variable::Type::array && variable->type != Variable::Type::pointer;
    if ((is_whole || !code[i + 1].is("[")) && is_changed_at(place.outline(), i)) continue;
    std::size_t others = 0;
    std::set<std::string_view> tried = {variable->name};
    for (const Variable* other : place.scope().seen_at(i)) {
      const bool is_of_type =
          other->type == variable->type && (is_whole || other->base == variable->base);
      const bool is_wanted = are_alike(variable->name, other->name) == alike;
      if (!is_of_type || !is_wanted || others == most_others || !tried.insert(other->name).second ||
          meets_itself(place, i, other->name)) {
        continue;
      }
      place.add_expression({i, i + 1}, std::string(other->name), 1, is_whole ? 0 : 1);
      ++others;
    }
  }
}

}  // namespace

void vary_alike_names(Place& place) { vary_names(place, true); }

void vary_other_names(Place& place) { vary_names(place, false); }

}  // namespace tilewise::grading
