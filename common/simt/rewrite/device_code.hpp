#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "common/simt/rewrite/outline.hpp"

namespace tilewise::simt::rewriting {

/// Follows a source, token by token, and knows which parts are device code: those in braces that
/// `__global__` or `__device__` introduces. Code that may have to be a constant expression does not
/// count (`constexpr` functions, initializers of `constexpr` variables).
class DeviceCode {
 public:
  explicit DeviceCode(const Outline& outline) : outline_(outline), code_(outline.code()) {}

  /// Must be called for each token in turn. @return where a kernel's body ends, if it begins at
  /// this token
  std::optional<std::size_t> pass(std::size_t index);

  /// Whether the last token passed stands in device code.
  bool inside() const { return !braces_.empty() && braces_.back().is_device; }

  /// Returns the end of the device function around the last token passed.
  std::size_t end_of_function() const;

 private:
  /// What the current statement or declaration has said so far about the braces to come.
  struct Head {
    bool is_device = false;
    bool is_kernel = false;
    bool is_constant = false;
  };

  struct Braces {
    std::size_t close;
    bool is_device;
    Head head;
  };

  std::optional<std::size_t> open(std::size_t index);
  void close(std::size_t index);
  void pass_word(std::size_t index);
  bool goes_on_after(std::size_t close) const;

  const Outline& outline_;
  const std::vector<Token>& code_;
  Head head_;
  std::vector<Braces> braces_;
};

}  // namespace tilewise::simt::rewriting
