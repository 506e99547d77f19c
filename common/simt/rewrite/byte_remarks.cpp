#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/base/language.hpp"
#include "common/simt/rewrite/kinds_of_remarks.hpp"
#include "common/simt/rewrite/tokenizer.hpp"

namespace tilewise::simt {
namespace {

using rewriting::Outline;
using rewriting::Token;
using rewriting::TokenKind;

/// Examines one call that takes a number of bytes: `cudaMalloc(&p, n * n)`.
class BytesReader {
 public:
  BytesReader(const Outline& outline, std::size_t call, std::vector<Remark>& remarks)
      : outline_(outline), code_(outline.code()), call_(call), remarks_(remarks) {}

  void run() {
    static constexpr auto calls = std::to_array<std::string_view>(
        {"cudaMalloc", "cudaMemcpy", "cudaMemset", "cudaMemcpyAsync", "cudaMemsetAsync"});
    if (std::ranges::find(calls, code_[call_].text) == calls.end() || !code_[call_ + 1].is("(")) {
      return;
    }
    const auto close = outline_.partner(call_ + 1);
    if (!close) return;
    const auto parts = outline_.parts_between(call_ + 1, *close);
    const std::size_t which = code_[call_].is("cudaMalloc") ? 1 : 2;
    if (parts.size() <= which) return;
    const Token& pointer = code_[parts[0].end - 1];
    const std::size_t bytes = bytes_of_element(pointer.text);
    if (bytes == 0) return;
    const rewriting::Part& count = parts[which];
    look_for_pointer(count);
    if (count.end - count.first == 1 && code_[count.first].kind == TokenKind::number) {
      look_at_number(count.first, pointer.text, bytes);
    } else {
      look_for_elements(count, pointer.text);
    }
  }

 private:
  /// Returns the size in bytes of the elements that a pointer of this name leads to; 0: not known.
  std::size_t bytes_of_element(std::string_view name) const {
    static constexpr std::pair<std::string_view, std::size_t> elements[] = {
        {"float", 4}, {"double", 8}, {"int", 4}, {"unsigned", 4}, {"__half", 2}, {"half", 2}};
    for (std::size_t i = 2; i + 1 < code_.size(); ++i) {
      if (code_[i].text != name || !code_[i - 1].is("*")) continue;
      for (const auto& [type, bytes] : elements) {
        if (code_[i - 2].is(type)) return bytes;
      }
    }
    return 0;
  }

  /// Looks for `sizeof(A)` with a pointer A.
  void look_for_pointer(const rewriting::Part& count) {
    for (std::size_t i = count.first; i + 1 < count.end; ++i) {
      if (!code_[i].is("sizeof")) continue;
      const std::size_t name = code_[i + 1].is("(") ? i + 2 : i + 1;
      const bool is_all = name == i + 1 || code_[name + 1].is(")");
      if (!is_all || bytes_of_element(code_[name].text) == 0) continue;
      remarks_.push_back(
          {Remark::Kind::doubt, code_[i].line,
           tr("sizeof({}) is the 8 bytes of a pointer, not what it leads to", code_[name].text),
           tr("Ask for the bytes of an element, sizeof *{}, times their number.",
              code_[name].text)});
    }
  }

  /// Looks for `cudaMemset(sum, 0, 1)`.
  void look_at_number(std::size_t number, std::string_view pointer, std::size_t bytes) {
    const std::string_view digits = code_[number].text;
    const bool is_digit = digits.size() == 1 && digits[0] >= '1' && digits[0] <= '9';
    if (!is_digit || std::size_t(digits[0] - '0') >= bytes) return;
    remarks_.push_back(
        {Remark::Kind::doubt, code_[call_].line,
         tr("{} counts bytes, and {} of them are not one element of {}, which has {}",
            code_[call_].text, digits, pointer, bytes),
         tr("Multiply it by the bytes of an element: {} * sizeof *{}.", digits, pointer)});
  }

  /// Looks for a number of elements where the call takes bytes.
  void look_for_elements(const rewriting::Part& count, std::string_view pointer) {
    static constexpr auto neutral = std::to_array<std::string_view>({"std", "size_t"});
    bool has_order = false;
    std::string text;
    for (std::size_t i = count.first; i < count.end; ++i) {
      if (code_[i].kind == TokenKind::number && !code_[i].is("1")) return;  // it may be the bytes
      if (code_[i].kind == TokenKind::identifier &&
          std::ranges::find(neutral, code_[i].text) == neutral.end()) {
        if (!is_order(code_[i].text)) return;
        has_order = true;
      }
      const bool apart = i > count.first && code_[i].begin != code_[i - 1].end();
      text += (apart ? " " : "") + std::string(code_[i].text);
    }
    if (!has_order) return;
    remarks_.push_back(
        {Remark::Kind::doubt, code_[call_].line,
         tr("{} counts bytes, and {} is a number of elements", code_[call_].text, text),
         tr("Multiply it by the bytes of an element: {} * sizeof *{}.", text, pointer)});
  }

  bool is_order(std::string_view name) const {
    for (std::size_t i = 1; i + 1 < code_.size(); ++i) {
      const bool is_parameter = code_[i + 1].is(",") || code_[i + 1].is(")");
      if (code_[i].text == name && code_[i - 1].is("int") && is_parameter) return true;
    }
    return false;
  }

  const Outline& outline_;
  const std::vector<Token>& code_;
  std::size_t call_;
  std::vector<Remark>& remarks_;
};

/// Looks for `cp_async<16>(to, from, col < n)`, where 1 byte is copied in place of 16.
void look_for_truth_as_bytes(const Outline& outline, std::size_t call,
                             std::vector<Remark>& remarks) {
  static constexpr auto comparisons =
      std::to_array<std::string_view>({"<", ">", "<=", ">=", "==", "!=", "&&", "||", "!"});
  const std::vector<Token>& code = outline.code();
  const auto close = code[call].is("cp_async") && code[call + 1].is("<")
                         ? outline.template_close(call + 1)
                         : std::nullopt;
  if (!close || *close + 1 >= code.size() || !code[*close + 1].is("(")) return;
  const auto end = outline.partner(*close + 1);
  const auto parts = end ? outline.parts_between(*close + 1, *end) : std::vector<rewriting::Part>();
  if (parts.size() != 3) return;
  const auto argument = std::span(code).subspan(parts[2].first, parts[2].end - parts[2].first);
  const bool compares = std::ranges::any_of(argument, [](const Token& token) {
    return std::ranges::find(comparisons, token.text) != comparisons.end();
  });
  const bool computes = std::ranges::any_of(
      argument, [](const Token& token) { return token.is("?") || token.is("*"); });
  bool is_truth = compares && !computes;
  for (std::size_t i = call; argument.size() == 1 && i-- > 1;) {
    if (!code[i].is(argument.front().text) || !code[i - 1].is_name()) continue;
    is_truth = code[i - 1].is("bool");
    break;
  }
  if (!is_truth) return;
  const std::string bytes = rewriting::joined(std::span(code).subspan(call + 2, *close - call - 2));
  const std::string truth = rewriting::joined(argument);
  const std::string tested = argument.size() == 1 ? truth : "(" + truth + ")";
  remarks.push_back({Remark::Kind::doubt, code[call].line,
                     tr("cp_async is told how many bytes there are, and {} is true or false: that "
                        "is 1 byte or none, and the others become 0",
                        truth),
                     tr("Hand on {} ? {} : 0.", tested, bytes)});
}

}  // namespace

void remark_on_bytes(const Outline& outline, std::vector<Remark>& remarks) {
  for (std::size_t i = 1; i + 1 < outline.code().size(); ++i) {
    BytesReader(outline, i, remarks).run();
    look_for_truth_as_bytes(outline, i, remarks);
  }
}

}  // namespace tilewise::simt
