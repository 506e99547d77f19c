#pragma once

#include <algorithm>
#include <cstddef>
#include <map>
#include <set>
#include <string_view>
#include <vector>

#include "common/simt/rewrite/outline.hpp"
#include "common/simt/rewrite/tokenizer.hpp"

namespace tilewise::simt {

/// Whether a token is one of these words.
template <class Words>
bool is_one_of(const rewriting::Token& token, const Words& words) {
  return std::find(words.begin(), words.end(), token.text) != words.end();
}

/// The names of one function that runs on the device, sorted by what they stand for: the base of
/// the class that examines what the function does with them.
class DeviceNames {
 protected:
  using Names = std::set<std::string_view>;

  /// @param parameters, body the brackets that open them
  DeviceNames(const rewriting::Outline& outline, std::size_t parameters, std::size_t body,
              bool is_kernel);

  static bool is_name(const rewriting::Token& token) {
    return token.kind == rewriting::TokenKind::identifier;
  }

  /// Whether a word among these tokens makes a number wider than an int.
  bool has_wide_word(std::size_t from, std::size_t to) const;

  /// Whether `__shared__`, `extern` or `static` stands beside the type.
  bool is_shared_or_kept(std::size_t type) const;

  const rewriting::Outline& outline_;
  const std::vector<rewriting::Token>& code_;
  std::size_t body_, end_;
  Names matrices_;       ///< pointers among the kernel's parameters
  Names ints_, orders_;  ///< variables of 32 bits, and those among them that are parameters
  Names arrays_;         ///< arrays that belong to one thread
  Names whole_arrays_;   ///< arrays of int
  Names fractions_;      ///< pointers to and arrays of floats or doubles
  std::map<std::string_view, std::string_view> elements_;  ///< types behind pointer parameters
  Names places_;                                           ///< variables computed from threadIdx

 private:
  void read_parameter(const rewriting::Part& part, bool is_kernel);

  /// Reads `int row = ..., col = ...;`, and arrays that belong to one thread.
  void read_declaration(std::size_t type);

  /// Whether this is `auto sum = 0;`, which is an int because of its initial value.
  bool deduces_int(std::size_t type) const;

  /// Whether these tokens give the position of a thread in its block: `threadIdx.x / Tile`.
  bool is_place(std::size_t from, std::size_t to) const;

  /// Forgets names that are declared again with another type, in another scope or as a lambda's
  /// parameter, and pointers that move: such a pointer leads to a part of its matrix, whose offsets
  /// may be small.
  void forget_names_of_two_types();

  Names other_places_;  ///< names that some declaration gives another value
};

}  // namespace tilewise::simt
