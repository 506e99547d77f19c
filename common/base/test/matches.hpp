#pragma once

#include <string>
#include <vector>

namespace tilewise::core {

/// Where a regular expression (ECMAScript's) is met in a text, one place after the other: the text
/// of the match, then those of its groups, "" for one that took no part. Compiled here once: each
/// test that used the standard library of expressions itself would take seconds longer to compile.
std::vector<std::vector<std::string>> matches_of(const std::string& text,
                                                 const std::string& pattern);

}  // namespace tilewise::core
