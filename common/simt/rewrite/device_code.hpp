#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "common/simt/rewrite/outline.hpp"

namespace tilewise::simt::rewriting {

/// Follows a source and knows what of it is device code: what stands in braces that `__global__` or
/// `__device__` leads in to. What may have to be a constant does not count (`constexpr` functions,
/// initializers of `constexpr` variables).
class DeviceCode {
 public:
  explicit DeviceCode(const Outline& outline) : outline_(outline), code_(outline.code()) {}

  /// For each token in turn. @return where a kernel's body ends, if it begins at this one
  std::optional<std::size_t> pass(std::size_t index);

  /// Whether the token passed last stands in device code.
  bool inside() const { return !braces_.empty() && braces_.back().is_device; }

  /// Where the device function ends that the token passed last stands in.
  std::size_t end_of_function() const;

 private:
  /// What the statement or declaration so far says of the braces to come.
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
