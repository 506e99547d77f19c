#pragma once

#include "common/base/finding.hpp"
#include "common/simt/rewrite/accesses.hpp"
#include "grading/builder/source_account.hpp"

namespace tilewise::grading {

/// Says why an index leaves its array, where the source shows it: the index is compared with
/// something else than the array's side, counts whole sides, or begins with a counter that starts
/// at the side.
/// @param finding a stray access that says which bracket is to blame
/// @param is_it whether no other access of the line may be the one
SourceAccount doubt_about_side(const simt::SourceAccess& access, const core::Finding& finding,
                               bool is_it);

/// For a matrix that is not square: says whether its row and its column are compared with the same
/// bound.
/// @param finding a finding whose message ends in "(50 x 70)"
SourceAccount doubt_about_bounds(const simt::SourceAccess& access, const core::Finding& finding);

}  // namespace tilewise::grading
