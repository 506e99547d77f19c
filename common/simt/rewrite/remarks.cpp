#include "common/simt/rewrite/remarks.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "common/base/language.hpp"
#include "common/simt/rewrite/device_names.hpp"
#include "common/simt/rewrite/kinds_of_remarks.hpp"
#include "common/simt/rewrite/outline.hpp"
#include "common/simt/rewrite/tokenizer.hpp"

namespace tilewise::simt {
namespace {

using rewriting::Outline;
using rewriting::Scope;
using rewriting::Token;
using rewriting::TokenKind;

constexpr const char* declare_shared = marked(
    "An array that all threads of a block are to see is declared __shared__: look there first.");

/// Examines one function that runs on the device.
class Reader : DeviceNames {
 public:
  Reader(const Outline& outline, std::size_t parameters, std::size_t body, bool is_kernel,
         std::vector<Remark>& remarks)
      : DeviceNames(outline, parameters, body, is_kernel), remarks_(remarks) {}

  void run() {
    for (std::size_t i = body_ + 1; i + 1 < end_; ++i) {
      if (code_[i].is("*")) look_at_product(i);
      if (code_[i].is("*")) look_at_cast(i);
      if (code_[i].is("float") || code_[i].is("double")) look_at_starts(i);
      const bool is_member = code_[i - 1].is(".") || code_[i - 1].is("->");
      if (arrays_.contains(code_[i].text) && code_[i + 1].is("[") && !is_member) look_at_element(i);
      if (code_[i].is("+") && code_[i + 1].is("=")) look_at_sum(i);
      if (code_[i].is("extern")) look_at_dynamic_array(i);
      if (whole_arrays_.contains(code_[i].text) && code_[i + 1].is("[")) look_at_filling(i);
    }
  }

 private:
  /// Looks for `As[ty][tx] = ...`: only threads that share an array fill it by their positions.
  void look_at_element(std::size_t array) {
    std::size_t end = array + 1;
    bool by_place = false;
    while (end < end_ && code_[end].is("[")) {
      const std::size_t close = outline_.partner(end).value_or(end_);
      for (std::size_t i = end; i < std::min(close, end_); ++i) {
        by_place |= code_[i].is("threadIdx") || places_.contains(code_[i].text);
      }
      end = close + 1;
    }
    const bool is_filled = end < end_ && code_[end].is("=");
    if (!by_place || !is_filled || !told_.insert(code_[array].text).second) return;
    const std::string name(code_[array].text);
    remarks_.push_back({Remark::Kind::doubt, code_[array].line,
                        tr("{0} is filled by the places of threads here, and is not __shared__: "
                           "each thread has an array {0} of its own, and nobody sees what another "
                           "has put there",
                           name),
                        core::in_language(declare_shared)});
  }

  /// Looks for `tile[ty][tx] = in[...];` with an int on the left, also with `*in` or a choice `? :`
  /// on the right.
  void look_at_filling(std::size_t array) {
    std::size_t end = array + 1;
    while (end < end_ && code_[end].is("[")) end = outline_.partner(end).value_or(end_) + 1;
    if (end + 2 >= end_ || !code_[end].is("=")) return;
    std::size_t at = end;  // the token before the element that is read
    for (std::size_t i = end + 1; i < end_ && !code_[i].is(";"); ++i) {
      if (code_[i].is("?")) at = i;
      if (code_[i].is("(") || code_[i].is("[")) i = outline_.partner(i).value_or(i);
    }
    const bool is_pointed_to = code_[at + 1].is("*");
    const Token& element = code_[at + (is_pointed_to ? 2 : 1)];
    const Token& behind = code_[at + (is_pointed_to ? 3 : 2)];
    const bool is_read = fractions_.contains(element.text) &&
                         (is_pointed_to ? behind.is(";") || behind.is(":") : behind.is("["));
    if (!is_read || !told_.insert(code_[array].text).second) return;
    remarks_.push_back(
        {Remark::Kind::doubt, code_[array].line,
         tr("{} is an array of int, and takes elements of {}: what comes after the point is lost",
            code_[array].text, element.text),
         tr("Declare {} with the type of the matrix's elements.", code_[array].text)});
  }

  /// Looks for `sum += As[ty][k] * Bs[k][tx];` with an int on the left.
  void look_at_sum(std::size_t plus) {
    const Token& sum = code_[plus - 1];
    if (!ints_.contains(sum.text)) return;
    std::string_view element;
    for (std::size_t i = plus + 2; i + 1 < end_ && !code_[i].is(";") && !code_[i].is(")"); ++i) {
      if (is_name(code_[i]) && code_[i + 1].is("(")) return;  // the function's result is not known
      if (code_[i].is("(")) return;                           // this may be a cast
      const bool is_read = code_[i + 1].is("[") || (code_[i - 1].is("*") && !ends_value(i - 2));
      if (fractions_.contains(code_[i].text) && is_read) element = code_[i].text;
      if (code_[i].is("[")) i = outline_.partner(i).value_or(i);
    }
    if (element.empty() || !told_.insert(sum.text).second) return;
    remarks_.push_back({Remark::Kind::doubt, sum.line,
                        tr("{} is an int, and elements of {} are added to it: each time what comes "
                           "after the point is lost",
                           sum.text, element),
                        tr("Declare {} with the type of the elements.", sum.text)});
  }

  std::size_t behind_brackets(std::size_t i) const {
    while (i < end_ && code_[i].is("[")) i = outline_.partner(i).value_or(end_) + 1;
    return i;
  }

  /// Looks at each variable that is declared without a value: `float sum[2][2];`, or a and b of
  /// `float a, b, c = 0;`.
  void look_at_starts(std::size_t type) {
    const Token& before = code_[type - 1];
    if (before.is("(") || before.is(",") || is_shared_or_kept(type)) return;
    for (std::size_t name = type + 1; name < end_ && is_name(code_[name]);) {
      std::size_t end = behind_brackets(name + 1);
      const bool has_none = end < end_ && (code_[end].is(";") || code_[end].is(","));
      if (has_none) look_at_start(name, end);
      if (!has_none && (end >= end_ || !code_[end].is("="))) return;
      while (end < end_ && !code_[end].is(",") && !code_[end].is(";")) end = outline_.behind(end);
      if (end >= end_ || code_[end].is(";")) return;
      name = end + 1;
    }
  }

  /// Looks whether products are added to a variable to which nothing is ever assigned.
  void look_at_start(std::size_t name, std::size_t end) {
    const Token& sum = code_[name];
    bool is_added_to = false;
    for (std::size_t i = end; i + 2 < end_; ++i) {
      if (!code_[i].is(sum.text)) continue;
      const std::size_t next = behind_brackets(i + 1);
      if (next >= end_) return;
      const bool adds = code_[next].is("+") && code_[next + 1].is("=");
      const bool is_assigned = code_[next].is("=") && !code_[next + 1].is("=");
      const bool is_handed_on =
          code_[i - 1].is("&") ||
          ((code_[i - 1].is("(") || code_[i - 1].is(",")) && next == i + 1 && !adds);
      if (is_assigned || is_handed_on) return;
      is_added_to |= adds;
    }
    if (!is_added_to || !told_.insert(sum.text).second) return;
    remarks_.push_back(
        {Remark::Kind::doubt, sum.line,
         tr("{} is declared without a value here, and what is added to it comes on top of what "
            "happened to stand there",
            sum.text),
         tr("Let {} start from 0: = 0.0f for one number, = {{}} for an array.", sum.text)});
  }

  /// Looks for `(const float*)A` where A points to doubles.
  void look_at_cast(std::size_t star) {
    const Token& type = code_[star - 1];
    if (!type.is("float") && !type.is("double")) return;
    std::size_t name = star + 1;
    while (name < end_ && (code_[name].is(")") || code_[name].is(">") || code_[name].is("("))) {
      ++name;
    }
    if (name == star + 1 || name + 1 >= end_) return;
    const auto element = elements_.find(code_[name].text);
    if (element == elements_.end() || element->second == type.text) return;
    remarks_.push_back(
        {Remark::Kind::doubt, code_[name].line,
         tr("{0} leads to elements of type {1}, and the cast has their bits read as {2}: that "
            "converts nothing",
            code_[name].text, element->second, type.text),
         tr("Leave out the cast, and convert elements one by one where it is meant.")});
  }

  /// Whether this token ends a value, so that a `*` behind it multiplies.
  bool ends_value(std::size_t i) const {
    return is_name(code_[i]) || code_[i].kind == TokenKind::number || code_[i].is(")") ||
           code_[i].is("]");
  }

  /// Looks for a second dynamic array. CUDA C++ Programming Guide, "__shared__": all arrays that
  /// are declared so start at the same address.
  void look_at_dynamic_array(std::size_t word) {
    std::size_t end = word;
    bool is_shared = false;
    while (end < end_ && !code_[end].is("[") && !code_[end].is(";")) {
      is_shared |= code_[end++].is("__shared__");
    }
    if (!is_shared || end >= end_ || !code_[end].is("[") || !is_name(code_[end - 1])) return;
    const std::string name(code_[end - 1].text);
    const std::string first = std::exchange(dynamic_, name);
    if (first.empty() || first == name) return;
    remarks_.push_back(
        {Remark::Kind::doubt, code_[word].line,
         tr("{} and {} are both extern __shared__, and so begin at the same byte: what is "
            "written to one stands in the other",
            first, name),
         tr("Declare one such array, and let a pointer lead to where the second part of "
            "it begins.")});
  }

  /// Returns the int on the left of a product; nothing where the factor is no int or is cast.
  std::optional<std::string> left_factor(std::size_t star) const {
    const Token &left = code_[star - 1], &before = code_[star - 2];
    static constexpr auto joins =
        std::to_array<std::string_view>({".", "->", "::", "*", "/", "%", ")"});
    if (is_name(left)) {
      if (!is_large(left) || is_one_of(before, joins)) return std::nullopt;
      return std::string(left.text);
    }
    if (!left.is(")")) return std::nullopt;
    const auto open = outline_.partner(star - 1);
    if (!open || *open <= body_ || has_wide_word(*open, star)) return std::nullopt;
    const Token& caller = code_[*open - 1];
    if (is_name(caller) || caller.is(">") || is_one_of(caller, joins)) return std::nullopt;
    bool has_large = false;
    std::string text;
    for (std::size_t i = *open; i < star; ++i) {
      if (is_name(code_[i])) {
        if (!ints_.contains(code_[i].text)) return std::nullopt;  // it may be wide
        has_large |= is_large(code_[i]);
      } else if (code_[i].kind == TokenKind::number &&
                 code_[i].text.find_first_not_of("0123456789") != std::string_view::npos) {
        return std::nullopt;
      }
      const bool apart = code_[i].begin != code_[i - 1].end() && i > *open;
      text += (apart ? " " : "") + std::string(code_[i].text);
    }
    return has_large ? std::optional(text) : std::nullopt;
  }

  /// Whether a name is an int that may be as large as a matrix's order: a position within a block
  /// is not.
  bool is_large(const Token& name) const {
    return ints_.contains(name.text) && !places_.contains(name.text);
  }

  void look_at_product(std::size_t star) {
    const Token& right = code_[star + 1];
    static constexpr auto goes_on = std::to_array<std::string_view>({".", "(", "[", "->", "::"});
    if (!ints_.contains(right.text) || is_one_of(code_[star + 2], goes_on)) return;
    const auto left = left_factor(star);
    if (!left) return;
    const std::string order(orders_.contains(right.text)             ? right.text
                            : orders_.contains(code_[star - 1].text) ? code_[star - 1].text
                                                                     : "");
    if (order.empty() || !is_offset(star)) return;
    const std::string product = *left + " * " + std::string(right.text);
    if (!told_products_.insert(product).second) return;
    const std::string widened = left->front() == '(' ? *left : "(" + *left + ")";
    remarks_.push_back({Remark::Kind::overflow, code_[star].line,
                        tr("{} is an int, and so at most 2,147,483,647: it overflows where a "
                           "matrix has more elements, from {} = 46,341 on; write std::size_t{} * "
                           "{}",
                           product, order, widened, right.text)});
  }

  /// Whether the product stands in the subscript of a matrix, or is added to its pointer.
  bool is_offset(std::size_t star) const {
    for (std::size_t i = star; i-- > body_ + 1;) {
      if (code_[i].is(")") || code_[i].is("]")) {
        i = outline_.partner(i).value_or(i);
      } else if (code_[i].is("[")) {
        return matrices_.contains(code_[i - 1].text);
      } else if (code_[i].is("+") && matrices_.contains(code_[i - 1].text)) {
        return true;
      } else if (code_[i].is("(") && is_name(code_[i - 1])) {
        return false;  // an argument
      } else if (code_[i].is(";") || code_[i].is("{") || code_[i].is("}") || code_[i].is(",") ||
                 code_[i].is("=")) {
        return false;
      }
    }
    return false;
  }

  std::vector<Remark>& remarks_;
  std::string dynamic_;  ///< the last dynamic shared array that was declared
  Names told_;
  std::set<std::string> told_products_;
};

}  // namespace

std::vector<Remark> remarks_on(std::string_view source) {
  // Some remarks compare each statement with all before it, and no submission may hold the grader
  // up. The longest solution has 23 KB.
  constexpr std::size_t longest = 64 * 1024;  // bytes
  if (source.size() > longest) return {};
  const auto tokens = rewriting::without_disabled(rewriting::tokenize(source));
  const Outline outline(tokens);
  const std::vector<Token>& code = outline.code();
  std::vector<Remark> remarks;
  std::size_t looked_at = 0;
  for (std::size_t i = 0; i < code.size(); ++i) {
    const bool is_kernel = code[i].is("__global__");
    if ((!is_kernel && !code[i].is("__device__")) || outline.scope(i) != Scope::file) continue;
    if (i < looked_at) continue;
    const auto function = outline.function_after(i);
    if (!function) continue;
    Reader(outline, function->first, function->second, is_kernel, remarks).run();
    looked_at = *outline.partner(function->second);
  }
  remark_on_host_code(tokens, outline, remarks);
  remark_on_bytes(outline, remarks);
  remark_on_macros(tokens, remarks);
  remark_on_statements(outline, source, remarks);
  remark_on_copies(outline, source, remarks);
  remark_on_loops(outline, remarks);
  remark_on_numbers(outline, remarks);
  remark_on_parameters(outline, remarks);
  remark_on_places(outline, remarks);
  const auto names = [](std::string_view word) {
    return [word](const Token& each) { return each.is(word); };
  };
  const auto barrier = std::find_if(code.begin(), code.end(), names("__syncthreads"));
  // The word may stand in a macro, so directives are searched, too.
  const bool shares = std::any_of(tokens.begin(), tokens.end(), names("__shared__"));
  const bool is_told = std::any_of(remarks.begin(), remarks.end(), [](const Remark& remark) {
    return remark.next == declare_shared;
  });
  if (barrier != code.end() && !shares && !is_told) {
    remarks.push_back(
        {Remark::Kind::doubt, barrier->line,
         tr("threads wait for each other here, and no array is __shared__: without that "
            "word each thread has arrays of its own"),
         core::in_language(declare_shared)});
  }
  const auto accumulator = std::find_if(code.begin(), code.end(), names("accumulator"));
  bool starts_somewhere = false;
  for (std::size_t i = 0; i + 1 < tokens.size(); ++i) {
    starts_somewhere |=
        tokens[i].is("fill_fragment") || (tokens[i].is("x") && tokens[i + 1].is("["));
  }
  if (accumulator != code.end() && !starts_somewhere) {
    remarks.push_back({Remark::Kind::doubt, accumulator->line,
                       tr("a fragment that sums up is declared here, and nothing fills it before "
                          "mma_sync() adds to what happened to stand there"),
                       tr("Write fill_fragment(sum, 0.0f); before the loop over k.")});
  }
  std::stable_sort(remarks.begin(), remarks.end(),
                   [](const Remark& a, const Remark& b) { return a.line < b.line; });
  return remarks;
}

}  // namespace tilewise::simt
