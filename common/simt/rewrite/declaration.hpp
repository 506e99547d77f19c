#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <variant>
#include <vector>

#include "common/simt/rewrite/outline.hpp"

namespace tilewise::simt::rewriting {

/// One variable of a declaration. Members are indices into Outline::code().
struct Declarator {
  std::size_t first;  ///< its name or the first * before it
  std::size_t name;
  std::optional<std::size_t> bounds;  ///< its first [
  std::size_t end;                    ///< the comma or semicolon after it
  bool in_parentheses;                ///< as in `float (*row)[16]`
};

/// `__shared__ float As[16][16], *row;`
struct Declaration {
  std::size_t first;
  std::size_t end;  ///< the semicolon
  std::vector<Declarator> declarators;
};

/// Why text is not a shared declaration that the simulator can take.
struct DeclarationError {
  std::size_t position;  ///< up to where it was read
  std::string_view message;
};

/// Parses the declaration around the token `shared`, which says `__shared__`. It starts no earlier
/// than at the token `earliest`.
std::variant<Declaration, DeclarationError> parse_declaration(const Outline& outline,
                                                              std::size_t earliest,
                                                              std::size_t shared);

/// The end of an attribute or alignment that starts at `index`, `[[...]]` or `alignas(...)`: its
/// last token. Nothing if none starts there.
std::optional<std::size_t> attribute_end(const Outline& outline, std::size_t index);

/// `__shared__` and the storage classes it can stand with.
bool is_storage(const Token& token);

}  // namespace tilewise::simt::rewriting
