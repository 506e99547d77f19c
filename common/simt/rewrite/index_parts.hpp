#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "common/simt/rewrite/accesses.hpp"
#include "common/simt/rewrite/conditions.hpp"
#include "common/simt/rewrite/outline.hpp"

namespace tilewise::simt::rewriting {

/// Returns the source's own text, on one line.
std::string words_of(const std::vector<Token>& code, Part part);
std::vector<SourceCondition> in_words(const std::vector<Token>& code,
                                      const std::vector<Condition>& conditions);

/// Splits the indices of a function into parts, and compares these with the conditions before them.
class IndexParts {
 public:
  /// @param body the bracket that opens the function
  /// @param sides the function's integer parameters
  IndexParts(const Outline& outline, std::size_t body, const std::set<std::string_view>& sides)
      : outline_(outline), code_(outline.code()), body_(body), sides_(sides) {}

  struct Split {
    std::vector<Part> parts;
    std::string pitch = {};  ///< "n"; empty where no term is multiplied by such a parameter
  };
  /// Returns the two parts of `row * n + col`, where n is one of the integer parameters; otherwise
  /// the whole index.
  Split row_and_column(Part index) const;

  /// Says whether, and how, one of the conditions compares a part.
  IndexPart judged(Part part, const std::vector<Condition>& conditions) const;

 private:
  using Words = std::vector<std::string>;

  Part bare(Part part) const;
  Words written_out(Part part, int depth = 0) const;

  const Outline& outline_;
  const std::vector<Token>& code_;
  std::size_t body_;
  const std::set<std::string_view>& sides_;
};

}  // namespace tilewise::simt::rewriting
