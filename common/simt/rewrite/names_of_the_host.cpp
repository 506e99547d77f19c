#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "common/base/language.hpp"
#include "common/simt/rewrite/passes.hpp"

namespace tilewise::simt::rewriting {
namespace {

/// Functions of the standard library, including constexpr ones, that nvcc refuses in kernels, but
/// accepts with --expt-relaxed-constexpr or where CUDA has its own function of that name without
/// `std::`. CUDA has all functions of <cmath>, and nvcc handles std::move and std::forward itself.
constexpr auto host_functions = std::to_array<std::string_view>({"accumulate",
                                                                 "addressof",
                                                                 "adjacent_difference",
                                                                 "advance",
                                                                 "all_of",
                                                                 "any_of",
                                                                 "back_inserter",
                                                                 "begin",
                                                                 "binary_search",
                                                                 "cbegin",
                                                                 "cend",
                                                                 "clamp",
                                                                 "copy",
                                                                 "copy_if",
                                                                 "copy_n",
                                                                 "count",
                                                                 "count_if",
                                                                 "data",
                                                                 "distance",
                                                                 "div",
                                                                 "empty",
                                                                 "end",
                                                                 "equal",
                                                                 "exchange",
                                                                 "fill",
                                                                 "fill_n",
                                                                 "find",
                                                                 "find_if",
                                                                 "for_each",
                                                                 "for_each_n",
                                                                 "gcd",
                                                                 "generate",
                                                                 "get",
                                                                 "inner_product",
                                                                 "iota",
                                                                 "is_sorted",
                                                                 "iter_swap",
                                                                 "lcm",
                                                                 "lerp",
                                                                 "lower_bound",
                                                                 "make_pair",
                                                                 "make_tuple",
                                                                 "max",
                                                                 "max_element",
                                                                 "mem_fn",
                                                                 "midpoint",
                                                                 "min",
                                                                 "min_element",
                                                                 "minmax",
                                                                 "next",
                                                                 "none_of",
                                                                 "partial_sum",
                                                                 "prev",
                                                                 "rand",
                                                                 "reduce",
                                                                 "remove",
                                                                 "replace",
                                                                 "reverse",
                                                                 "rotate",
                                                                 "size",
                                                                 "sort",
                                                                 "stable_sort",
                                                                 "swap",
                                                                 "swap_ranges",
                                                                 "tie",
                                                                 "to_string",
                                                                 "transform",
                                                                 "transform_reduce",
                                                                 "tuple_cat",
                                                                 "unique",
                                                                 "upper_bound"});

/// The ones among these that CUDA has, without `std::`.
constexpr auto cuda_has = std::to_array<std::string_view>({"max", "min"});

template <class Words>
bool contains(const Words& words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

/// Says what to write instead of a function.
std::string instead_of(std::string_view name) {
  if (contains(cuda_has, name)) return tr("write {}(a, b), which CUDA has", name);
  if (name == "swap") return tr("write the three assignments out");
  if (name == "fill" || name == "fill_n" || name == "copy" || name == "copy_n") {
    return tr("write the loop out");
  }
  return tr("write it out, or a __device__ function of your own");
}

}  // namespace

std::optional<std::string> host_library_call(const Outline& outline, std::size_t index,
                                             const std::set<std::string_view>& used) {
  const std::vector<Token>& code = outline.code();
  const auto is = [&](std::size_t i, std::string_view text) {
    return i < code.size() && code[i].is(text);
  };
  std::size_t name = index;
  const bool is_qualified = code[index].is("std") && is(index + 1, "::");
  if (is_qualified) name = index + 2;
  if (name >= code.size()) return std::nullopt;
  const std::string called(code[name].text);
  const bool is_meant = is_qualified || (used.contains(called) && !contains(cuda_has, called));
  const bool is_limit = called == "numeric_limits" && is_meant;
  if (!is_limit && !(is_meant && contains(host_functions, called))) return std::nullopt;
  std::size_t next = name + 1;
  if (is(next, "<")) next = outline.template_close(next).value_or(next - 1) + 1;
  if (is_limit && is(next, "::") && is(next + 2, "(")) {
    return tr(
        "device code calls std::numeric_limits<...>::{}(), a host function, which nvcc refuses: "
        "keep its value in a constexpr variable outside of the kernel",
        code[next + 1].text);
  }
  if (is_limit || !is(next, "(")) return std::nullopt;
  return tr("device code calls std::{}, a host function, which nvcc refuses: {}", called,
            instead_of(called));
}

std::set<std::string_view> used_of_std(const Outline& outline) {
  const std::vector<Token>& code = outline.code();
  std::set<std::string_view> names;
  for (std::size_t i = 0; i + 3 < code.size(); ++i) {
    if (!code[i].is("using")) continue;
    if (code[i + 1].is("namespace") && code[i + 2].is("std")) {
      names.insert(host_functions.begin(), host_functions.end());
    } else if (code[i + 1].is("std") && code[i + 2].is("::")) {
      names.insert(code[i + 3].text);
    }
  }
  return names;
}

bool is_unevaluated(const Outline& outline, std::size_t index) {
  static constexpr std::array<std::string_view, 3> operators = {"sizeof", "decltype", "alignof"};
  const std::vector<Token>& code = outline.code();
  // No operand is longer. With the bound a file that is full of such calls takes no longer than
  // others.
  constexpr std::size_t longest = 200;
  const std::size_t first = index > longest ? index - longest : 0;
  for (std::size_t i = index; i-- > first && !code[i].is(";") && !code[i].is("{");) {
    if (code[i].is(")")) {
      i = std::max(outline.partner(i).value_or(i), first);
    } else if (code[i].is("(") && i > 0 && contains(operators, code[i - 1].text)) {
      return true;
    }
  }
  return false;
}

std::map<std::string_view, bool> device_variables_of(const Outline& outline) {
  static constexpr auto ends =
      std::to_array<std::string_view>({";", "=", "[", "{", "(", ")", "__device__", "__constant__"});
  static constexpr auto no_ends =
      std::to_array<std::string_view>({"(", ")", "__device__", "__constant__"});
  const std::vector<Token>& code = outline.code();
  std::map<std::string_view, bool> variables;
  for (std::size_t i = 0; i < code.size(); ++i) {
    const bool is_qualifier = code[i].is("__device__") || code[i].is("__constant__");
    if (!is_qualifier || outline.scope(i) != Scope::file) continue;
    std::size_t end = i + 1;
    bool is_constant = false;  // the host knows the value of a constant, too
    bool is_managed = i > 0 && code[i - 1].is("__managed__");  // it may be used everywhere
    for (; end < code.size() && !contains(ends, code[end].text); ++end) {
      is_constant |= code[end].is("const") || code[end].is("constexpr");
      is_managed |= code[end].is("__managed__");
    }
    const bool is_variable = !is_constant && !is_managed && end < code.size() && end > i + 1 &&
                             !contains(no_ends, code[end].text) &&
                             code[end - 1].kind == TokenKind::identifier;
    if (!is_variable) continue;
    variables.emplace(code[end - 1].text, code[end].is("["));
    for (; end + 2 < code.size() && !code[end].is(";") && !contains(no_ends, code[end].text);
         ++end) {  // for `int a[3] = {1}, b;`
      end = outline.partner(end).value_or(end);
      if (code[end].is(",") && code[end + 1].kind == TokenKind::identifier) {
        variables.emplace(code[end + 1].text, code[end + 2].is("["));
      }
    }
  }
  return variables;
}

namespace {

/// Whether an argument is handed to a kernel, or to a function that wants an address of the device.
bool is_used_as_address_of_device(const Outline& outline, std::size_t name) {
  static constexpr auto functions = std::to_array<std::string_view>(
      {"cudaMemcpy", "cudaMemcpyAsync", "cudaMemset", "cudaMemsetAsync", "cudaFree"});
  const std::vector<Token>& code = outline.code();
  std::size_t before = name - 1;
  if (code[before].is("&")) --before;
  while (code[before].is(",")) {
    for (--before; before > 0 && !code[before].is(",") && !code[before].is("("); --before) {
      if (code[before].is(";") || code[before].is("{") || code[before].is("}")) return false;
      if (code[before].is(")") || code[before].is("]")) {
        before = outline.partner(before).value_or(before);
      }
    }
  }
  if (before < 3 || !code[before].is("(")) return false;
  const bool ends_a_launch =
      code[before - 1].is(">") && code[before - 2].is(">") && code[before - 3].is(">");
  return ends_a_launch || contains(functions, code[before - 1].text);
}

}  // namespace

std::optional<std::string> host_use_of_variable(const Outline& outline, std::size_t name,
                                                bool is_array) {
  static constexpr auto arithmetic =
      std::to_array<std::string_view>({"+", "-", "*", "/", "%", "&", "|", "^"});
  static constexpr auto comparisons =
      std::to_array<std::string_view>({"<", ">", "==", "!=", "<=", ">=", "&&", "||", "?"});
  const std::vector<Token>& code = outline.code();
  std::size_t next = name + 1;
  while (next < code.size() && code[next].is("[")) {
    next = outline.partner(next).value_or(code.size()) + 1;
  }
  if (next + 1 >= code.size()) return std::nullopt;
  const bool is_address = code[name - 1].is("&") || (is_array && next == name + 1);
  const bool is_whole = code[next].is(",") || code[next].is(")");
  if (is_address && is_whole && is_used_as_address_of_device(outline, name)) {
    return tr(
        "{0} is a variable of the device, and its address in host code is none of the device's: "
        "name {0} in the kernel itself, or ask cudaGetSymbolAddress(&pointer, {0}) for a pointer",
        code[name].text);
  }
  if (is_address) return std::nullopt;
  const auto adjoin = [&](std::size_t first) { return code[first + 1].begin == code[first].end(); };
  const auto doubles = [&](std::size_t first) {
    return (code[first].is("+") || code[first].is("-")) && adjoin(first) &&
           code[first + 1].is(code[first].text);
  };
  const bool is_operator = contains(arithmetic, code[next].text);
  const bool is_written = code[next].is("=") || doubles(next) ||
                          (is_operator && code[next + 1].is("=") && adjoin(next)) ||
                          (name > 2 && doubles(name - 2));
  const std::string variable(code[name].text);
  if (is_written) {
    return tr(
        "host code writes {0}, a variable of the device, which stays as it is there: write "
        "cudaMemcpyToSymbol({0}, &value, sizeof value)",
        variable);
  }
  const bool is_read = is_operator || contains(comparisons, code[next].text) ||
                       (code[name - 1].is("return") && code[next].is(";"));
  if (!is_read) return std::nullopt;
  return tr(
      "host code reads {0}, a variable of the device, of which the host sees nothing: write "
      "cudaMemcpyFromSymbol(&value, {0}, sizeof value)",
      variable);
}

}  // namespace tilewise::simt::rewriting
