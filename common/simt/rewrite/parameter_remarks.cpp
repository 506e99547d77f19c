#include <algorithm>
#include <optional>
#include <string>

#include "common/base/language.hpp"
#include "common/simt/rewrite/functions.hpp"
#include "common/simt/rewrite/index_parts.hpp"
#include "common/simt/rewrite/kinds_of_remarks.hpp"
#include "common/simt/rewrite/variables.hpp"

namespace tilewise::simt {
namespace {

using rewriting::Outline;
using rewriting::Part;
using rewriting::Token;
using rewriting::WrittenFunction;

/// Whether a statement begins here that stores in this variable without reading it otherwise: `a =
/// 1;`, `a += 1;`.
bool is_only_stored(const std::vector<Token>& code, std::size_t name) {
  const Token& before = code[name - 1];
  const bool begins =
      before.is(";") || before.is("{") || before.is("}") || before.is(")") || before.is("else");
  const Token &sign = code[name + 1], &behind = code[name + 2];
  const bool is_joint = (sign.is("+") || sign.is("-") || sign.is("*") || sign.is("/")) &&
                        behind.is("=") && sign.end() == behind.begin;
  return begins && ((sign.is("=") && !behind.is("=")) || is_joint);
}

/// Returns the first store in a parameter that nothing in the function reads.
std::optional<std::size_t> store_in_vain(const Outline& outline, const WrittenFunction& function,
                                         std::string_view parameter) {
  const std::vector<Token>& code = outline.code();
  std::optional<std::size_t> store;
  for (std::size_t i = function.body + 1; i < function.end; ++i) {
    const bool is_member = code[i - 1].is(".") || code[i - 1].is("->") || code[i - 1].is("::");
    if (!code[i].is(parameter) || is_member) continue;
    if (!is_only_stored(code, i)) return std::nullopt;  // it is read, passed on or redeclared
    if (!store) store = i;
  }
  return store;
}

/// Whether a parameter is passed by value: it is only a type and a name.
bool is_by_value(const std::vector<Token>& code, const Part& parameter) {
  if (parameter.end < parameter.first + 2 || !code[parameter.end - 1].is_name()) return false;
  return std::all_of(code.begin() + static_cast<std::ptrdiff_t>(parameter.first),
                     code.begin() + static_cast<std::ptrdiff_t>(parameter.end),
                     [](const Token& token) { return token.is_name() || token.is("::"); });
}

void look_at(const Outline& outline, const WrittenFunction& function, const Part& parameter,
             std::vector<Remark>& remarks) {
  const std::vector<Token>& code = outline.code();
  if (!is_by_value(code, parameter)) return;
  const std::string name(code[parameter.end - 1].text);
  const auto store = store_in_vain(outline, function, name);
  if (!store) return;
  const std::string type = rewriting::words_of(code, {parameter.first, parameter.end - 1});
  remarks.push_back(
      {Remark::Kind::doubt, code[*store].line,
       tr("{0} is a copy of what {1} is called with: what is stored in it here is lost when {1} "
          "ends",
          name, function.name),
       function.is_kernel
           ? tr("Hand the kernel a pointer to device memory, and store there.")
           : tr("Declare it as {}& {}, and the variable that is handed in changes itself.", type,
                name)});
}

/// Looks for `auto fetch = [=](int k) mutable { next = A[k]; };`, whose `next` is another one than
/// the function's.
void look_for_changed_capture(const Outline& outline, const WrittenFunction& function,
                              std::size_t open, std::vector<Remark>& remarks) {
  const std::vector<Token>& code = outline.code();
  const bool is_by_value = code[open].is("[") && code[open + 1].is("=") && code[open + 2].is("]") &&
                           code[open + 3].is("(");
  const auto close = is_by_value ? outline.partner(open + 3) : std::nullopt;
  if (!close || !code[*close + 1].is("mutable") || !code[*close + 2].is("{")) return;
  const std::size_t body = *close + 2, end = outline.partner(body).value_or(body);
  for (std::size_t i = body + 1; i < end; ++i) {
    const bool stores = code[i].is_name() && rewriting::is_changed_at(outline, i) &&
                        !code[i - 1].is(".") && !code[i - 1].is("->");
    if (!stores) continue;
    const auto says = [&](std::size_t from, std::size_t to, bool declared) {
      for (std::size_t k = from; k < to; ++k) {
        if (!code[k].is(code[i].text)) continue;
        const bool declares = code[k - 1].is_name() && !code[k - 1].is("return");
        if (!declared || declares || code[k - 1].is(",") || code[k - 1].is("*")) return true;
      }
      return false;
    };
    const bool is_own = says(open + 3, i + 1, true);
    if (is_own || !says(function.body, open, true) || !says(end, function.end, false)) continue;
    remarks.push_back({Remark::Kind::doubt, code[i].line,
                       tr("the lambda of line {1} captures by value, [=], and stores in a copy of "
                          "{0} of its own: the {0} outside stays what it is",
                          code[i].text, code[open].line),
                       tr("Capture by reference on line {}: [&].", code[open].line)});
    return;
  }
}

}  // namespace

void remark_on_parameters(const Outline& outline, std::vector<Remark>& remarks) {
  for (const WrittenFunction& function : rewriting::functions_of(outline)) {
    const auto close = outline.partner(function.parameters);
    if (!close) continue;
    for (const Part& parameter : outline.parts_between(function.parameters, *close)) {
      look_at(outline, function, parameter, remarks);
    }
    for (std::size_t i = function.body + 1; i + 4 < function.end; ++i) {
      look_for_changed_capture(outline, function, i, remarks);
    }
  }
}

}  // namespace tilewise::simt
