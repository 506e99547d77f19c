#pragma once

#include "grading/builder/access_words.hpp"
#include "grading/builder/source_account.hpp"

namespace tilewise::grading {

/// Of matrices that are read at a wrong place: where the tiles are read that they fill, at once or
/// by way of registers, and which index has another place where a tile is read than where it is
/// filled.
/// @param reads of the matrix
/// @param accesses all of the source
SourceAccount tiles_filled_by(const Accesses& reads, const Accesses& accesses);

/// What to do about elements of a shared array that its stores leave empty.
std::string advice_on_filling(const Accesses& stores, const core::Finding& finding);

}  // namespace tilewise::grading
