#pragma once

#include "common/base/finding.hpp"
#include "common/simt/rewrite/accesses.hpp"
#include "grading/builder/source_account.hpp"

namespace tilewise::grading {

/// What makes an index of an array leave it, where its words tell: it is compared with something
/// else than the array's side, counts whole sides, or begins with a counter at the last one.
/// @param finding a stray access that says which bracket is to blame
/// @param is_it whether no other access of the line may be the one
SourceAccount doubt_about_side(const simt::SourceAccess& access, const core::Finding& finding,
                               bool is_it);

/// Of a matrix that is not square: its row and its column are compared with one and the same.
/// @param finding whose message ends in "(50 x 70)"
SourceAccount doubt_about_bounds(const simt::SourceAccess& access, const core::Finding& finding);

}  // namespace tilewise::grading
