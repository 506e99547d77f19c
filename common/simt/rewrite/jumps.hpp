#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "common/simt/rewrite/declaration.hpp"
#include "common/simt/rewrite/outline.hpp"

namespace tilewise::simt::rewriting {

/// Where code goes on elsewhere: at a `case` or a label. CUDA lets it jump over the declaration of
/// a shared variable, which starts nothing; C++ lets none jump over that of a reference.
class Jumps {
 public:
  explicit Jumps(const Outline& outline);

  /// The token before which a declaration can stand so that no jump passes it; nothing where it
  /// can stay.
  std::optional<std::size_t> place_before(const Declaration& declaration) const;

 private:
  struct Goto {
    std::size_t from;
    std::size_t to;  ///< its label
  };

  void find_jumps();
  std::optional<std::size_t> end_of_scope(std::size_t brace) const;
  bool is_in_function(std::size_t brace) const;
  bool is_switch(std::size_t brace) const;
  bool has_label_behind(std::size_t brace, std::size_t index) const;
  std::size_t common_brace(std::size_t brace, std::size_t index) const;
  std::size_t statement_start(std::size_t brace, std::size_t index) const;

  const Outline& outline_;
  const std::vector<Token>& code_;
  std::vector<std::size_t> braces_;  ///< the innermost { around each token
  std::vector<Goto> gotos_;
  std::vector<std::size_t> switch_labels_;
};

}  // namespace tilewise::simt::rewriting
