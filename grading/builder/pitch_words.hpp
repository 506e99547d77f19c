#pragma once

#include <string_view>

#include "grading/builder/access_words.hpp"
#include "grading/builder/source_account.hpp"

/// How far rows lie apart, and how far an access takes them to.
namespace tilewise::grading {

/// `As[ty * n + tx]`, of tiles of the finding's lines and of where they are filled.
/// @param accesses all of the source
SourceAccount pitch_of_tile(const Finding& finding, const Accesses& accesses);

/// Of tiles that tensor cores are given with rows of another length than they have, and of a matrix
/// in which they store with rows of another distance.
SourceAccount distance_of_rows(const Finding& finding, const Accesses& accesses,
                               std::string_view source);

}  // namespace tilewise::grading
