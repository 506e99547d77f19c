#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace tilewise::grading {

/// How often each line of a source was run, by its number, from 1. A line without code is not there.
using LineCounts = std::map<int, std::uint64_t>;

/// Adds to `counts` what gcov, or llvm-cov gcov, prints of one object with `--stdout`. A line of a
/// template was run as often as in all its instances together.
/// @param file that the lines are wanted of, by its name without folders
void add_gcov_listing(std::string_view listing, std::string_view file, LineCounts& counts);

}  // namespace tilewise::grading
