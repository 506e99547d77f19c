#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace tilewise::grading {

/// How often each line of a source was run, by its number, from 1. A line without code is not
/// there.
using LineCounts = std::map<int, std::uint64_t>;

/// Adds to `counts` what gcov, or llvm-cov gcov, writes about a source of one object: x.cu.gcov. A
/// line of a template was run as often as in all its instances together.
void add_gcov_listing(std::string_view listing, LineCounts& counts);

}  // namespace tilewise::grading
