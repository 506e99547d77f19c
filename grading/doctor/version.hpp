#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tilewise::grading {

/// The first version number in what a program says of itself, "12.2.0"; empty if there is none.
std::string version_in(std::string_view text);

/// "3.25.1" as {3, 25, 1}, to compare.
std::vector<int> parts_of(std::string_view version);

}  // namespace tilewise::grading
