#include "common/simt/rewrite/device_code.hpp"

#include <algorithm>
#include <array>
#include <string_view>

namespace tilewise::simt::rewriting {

std::optional<std::size_t> DeviceCode::pass(std::size_t index) {
  const Token& token = code_[index];
  if (token.is("{")) return open(index);
  if (token.is("}")) close(index);
  if (token.is(";")) head_ = {};
  if (token.is_name()) pass_word(index);
  return std::nullopt;
}

std::size_t DeviceCode::end_of_function() const {
  const auto outermost = std::ranges::find_if(braces_, &Braces::is_device);
  return outermost == braces_.end() ? code_.size() : outermost->close;
}

std::optional<std::size_t> DeviceCode::open(std::size_t index) {
  const auto close = outline_.partner(index);
  if (!close) return std::nullopt;
  const bool is_block = outline_.scope(index + 1) == Scope::block;
  const bool is_device = is_block && !head_.is_constant && (inside() || head_.is_device);
  const bool is_body = is_device && head_.is_kernel && !inside();
  braces_.push_back({*close, is_device, head_});
  head_ = {};
  if (!is_body || goes_on_after(*close)) return std::nullopt;
  return close;
}

void DeviceCode::close(std::size_t index) {
  // One brace closes several blocks where branches of an #if close different numbers of them.
  for (; !braces_.empty() && braces_.back().close <= index; braces_.pop_back()) {
    head_ = goes_on_after(index) ? braces_.back().head : Head{};
  }
}

void DeviceCode::pass_word(std::size_t index) {
  const Token& word = code_[index];
  if (word.is("__device__") || word.is("__global__")) head_.is_device = true;
  if (word.is("__global__")) head_.is_kernel = true;
  if (word.is("static_assert")) head_.is_constant = true;
  if (word.is("constexpr") && !(index > 0 && code_[index - 1].is("if"))) {
    head_.is_constant = true;
  }
}

// Whether the declaration goes on after the `}` of an initializer or a lambda: S() : a{1}, b{2} {
// ... }
bool DeviceCode::goes_on_after(std::size_t close) const {
  static constexpr std::array<std::string_view, 5> going_on = {",", "{", "(", ")", "]"};
  return close + 1 < code_.size() &&
         std::ranges::find(going_on, code_[close + 1].text) != going_on.end();
}

}  // namespace tilewise::simt::rewriting
