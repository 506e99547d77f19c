#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include "common/simt/rewrite/outline.hpp"

/// The loops of a source, as they are written.
namespace tilewise::simt::rewriting {

/// The parts of a `for` or a `while`, in tokens.
struct WrittenLoop {
  std::size_t word;
  Part start;  ///< of a `for`: `int k = 0`; otherwise empty
  Part condition;
  Part step;  ///< of a `for`; otherwise empty
  Part body;
  bool starts_anew;
};

/// Returns the loop that a word begins, if that loop has a body.
std::optional<WrittenLoop> loop_at(const Outline& outline, std::size_t word);

/// Returns the loops around a token, within its function or lambda, outermost first.
/// @param body the bracket that opens the function
std::vector<WrittenLoop> loops_around(const Outline& outline, std::size_t index, std::size_t body);

/// Returns the variable that a `for` declares or sets at its start; nothing if there is none.
std::optional<std::size_t> counter_of(const Outline& outline, const WrittenLoop& loop);

/// Returns the first value of a `for` loop's counter; empty where the loop sets none.
Part start_of_counter(const Outline& outline, const WrittenLoop& loop);

/// Whether a name is stored to or declared among these tokens.
bool is_set_in(const Outline& outline, Part part, std::string_view name);

/// Whether a word stands among these tokens.
bool says(const Outline& outline, Part part, std::string_view word);

}  // namespace tilewise::simt::rewriting
