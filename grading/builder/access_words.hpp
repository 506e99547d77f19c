#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/finding.hpp"
#include "common/simt/rewrite/accesses.hpp"
#include "grading/builder/source_file.hpp"

/// The phrases for a source's accesses, and for the conditions before them, in an account of a
/// finding. Sentences have a blank before them.
namespace tilewise::grading {

using Accesses = std::vector<simt::SourceAccess>;

/// The most stores, calls or uses that an account lists: more of them explain nothing.
constexpr std::size_t most_told = 3;

/// Returns "row < n on line 29, not (col >= n) on line 30": the conditions nearest to the access.
std::string in_list(const std::vector<simt::SourceCondition>& conditions);

/// Returns " In that, a_k = t % 2 on line 9, b_k = t / 32 on line 10."; empty where there are no
/// definitions.
std::string in_list(const std::vector<simt::QuotedLine>& definitions);

/// Whether the access is to an array of pointers whose elements the function sets.
bool is_of_pointers(const simt::SourceAccess& access);

/// Returns " Line 7 reads A[(row + i) * n + k]."
std::string description(const simt::SourceAccess& access);

/// Returns " What lets a thread through to it: row < n on line 6."
std::string way_to_it(const simt::SourceAccess& access);

bool is_test(const simt::SourceCondition& condition);

/// Returns the parts of an index that no condition compares; if some of these share no name with
/// any condition, only those.
std::vector<simt::IndexPart> untested(const std::vector<simt::IndexPart>& parts);

/// Says which parts of the index no condition tests, or which are tested in another form than they
/// are used in.
std::string doubts(const simt::SourceAccess& access, const std::vector<simt::IndexPart>& parts);

/// Returns the parts of an index that may be to blame for a finding.
std::vector<simt::IndexPart> blamed(const simt::SourceAccess& access, const core::Finding& finding);

/// Returns the accesses, with only one of those that are written alike on the same line.
Accesses without_repeats(const Accesses& accesses);

/// Returns " In that, row = corner.row + x on line 86.": the definitions of all parts of an index,
/// which decide where the threads of a warp access.
std::string terms_of_places(const simt::SourceAccess& access);

/// Returns the name of the function that was called.
std::string function_of(const core::Finding& finding);

/// Whether a tile is indexed with the row length of a matrix, which is longer than its own.
bool has_pitch_of_matrix(const simt::SourceAccess& access);

}  // namespace tilewise::grading
