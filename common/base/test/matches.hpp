#pragma once

#include <string>
#include <vector>

namespace tilewise::core {

/// All matches of a regular expression (ECMAScript's) in a text, in their order: for each, the text
/// of the match, then those of its groups, "" for a group that took no part. The expression library
/// is compiled only here, because each test that used it itself would take seconds longer to
/// compile.
std::vector<std::vector<std::string>> matches_of(const std::string& text,
                                                 const std::string& pattern);

}  // namespace tilewise::core
