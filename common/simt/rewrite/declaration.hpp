#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <variant>
#include <vector>

#include "common/simt/rewrite/outline.hpp"

namespace tilewise::simt::rewriting {

/// One variable of a declaration. Members are indices into Outline::code().
struct Declarator {
  std::size_t first;  ///< its name, or the first * before it
  std::size_t name;
  std::optional<std::size_t> bounds;  ///< the first [ behind its name
  std::size_t end;                    ///< the comma or semicolon after it
  bool in_parentheses;                ///< as in `float (*row)[16]`
};

/// `__shared__ float As[16][16], *row;`
struct Declaration {
  std::size_t first;
  std::size_t end;  ///< the semicolon
  std::vector<Declarator> declarators;
};

/// Why a text is not a shared declaration that the simulator can take.
struct DeclarationError {
  std::size_t position;  ///< the token at which reading stopped
  std::string_view message;
};

/// Parses the declaration around the token `shared`, which is `__shared__`. The declaration starts
/// at the token `earliest` or later.
std::variant<Declaration, DeclarationError> parse_declaration(const Outline& outline,
                                                              std::size_t earliest,
                                                              std::size_t shared);

/// Returns the last token of an attribute or alignment that starts at `index`, `[[...]]` or
/// `alignas(...)`. Returns nothing if none starts there.
std::optional<std::size_t> attribute_end(const Outline& outline, std::size_t index);

/// Whether a token is `__shared__` or a storage class that can stand with it.
bool is_storage(const Token& token);

/// Knows the jumps of a source, to a `case` or a label. CUDA allows a jump over the declaration of
/// a shared variable, which initialises nothing; C++ forbids a jump over the declaration of a
/// reference.
class Jumps {
 public:
  explicit Jumps(const Outline& outline);

  /// Returns the token before which a declaration can stand so that no jump passes it; nothing
  /// where it can stay in its place.
  std::optional<std::size_t> place_before(const Declaration& declaration) const;

  /// Returns the } of the block around a token, or the end of the file.
  std::size_t end_of_scope(std::size_t index) const;

 private:
  struct Goto {
    std::size_t from;
    std::size_t to;  ///< its label
  };

  void find_jumps();
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
