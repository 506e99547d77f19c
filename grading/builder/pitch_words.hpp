#pragma once

#include <string_view>

#include "grading/builder/access_words.hpp"
#include "grading/builder/source_account.hpp"

/// Compares the distance between rows with the distance that an access assumes.
namespace tilewise::grading {

/// Explains `As[ty * n + tx]`, which indexes a tile of the finding with the row length of a matrix,
/// on the finding's lines and where the tile is filled.
/// @param accesses all accesses of the source
SourceAccount pitch_of_tile(const Finding& finding, const Accesses& accesses);

/// Explains tiles that tensor cores are given with another row length than they have, and matrices
/// in which tensor cores store with another row distance.
SourceAccount distance_of_rows(const Finding& finding, const Accesses& accesses,
                               std::string_view source);

}  // namespace tilewise::grading
