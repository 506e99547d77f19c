#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/finding.hpp"
#include "common/simt/rewrite/accesses.hpp"

/// What a source's accesses, and the conditions before them, are called in an account of a finding.
/// Sentences have a blank before them.
namespace tilewise::grading {

using Accesses = std::vector<simt::SourceAccess>;

/// Of stores, calls and uses: more of them explain nothing.
constexpr std::size_t most_told = 3;

/// "row < n on line 29, not (col >= n) on line 30": the nearest of them.
std::string in_list(const std::vector<simt::SourceCondition>& conditions);

/// " In that, a_k = t % 2 on line 9, b_k = t / 32 on line 10."; empty where there is nothing.
std::string in_list(const std::vector<simt::QuotedLine>& definitions);

/// Whether it is to an array of pointers whose elements the function makes.
bool is_of_pointers(const simt::SourceAccess& access);

/// " Line 7 reads A[(row + i) * n + k]."
std::string description(const simt::SourceAccess& access);

/// " What lets a thread through to it: row < n on line 6."
std::string way_to_it(const simt::SourceAccess& access);

/// Whether a name stands in a text, and not as a part of another one.
bool says_word(std::string_view text, std::string_view name);

bool is_test(const simt::SourceCondition& condition);

/// Parts of an index that no condition compares; where some of them have no name in any condition,
/// those alone.
std::vector<simt::IndexPart> untested(const std::vector<simt::IndexPart>& parts);

/// What of the index no condition tests, or something else than is used.
std::string doubts(const simt::SourceAccess& access, const std::vector<simt::IndexPart>& parts);

/// The parts of an index that may be to blame for a finding.
std::vector<simt::IndexPart> blamed(const simt::SourceAccess& access, const core::Finding& finding);

/// Of several accesses to one array those that are written alike are one.
Accesses without_repeats(const Accesses& accesses);

/// " In that, row = corner.row + x on line 86.": what all parts of an index are made of, which
/// decide where the threads of a warp are.
std::string terms_of_places(const simt::SourceAccess& access);

/// The name of the function that was called.
std::string function_of(const core::Finding& finding);

/// Whether a tile is counted through as a matrix is, whose rows are longer.
bool has_pitch_of_matrix(const simt::SourceAccess& access);

}  // namespace tilewise::grading
