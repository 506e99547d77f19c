#pragma once

#include "grading/builder/access_words.hpp"
#include "grading/builder/source_account.hpp"

namespace tilewise::grading {

/// For matrices that are read at a wrong position: says where the tiles are read that they fill,
/// directly or by way of registers, and which index has another position where a tile is read than
/// where it is filled.
/// @param reads the reads of the matrix
/// @param accesses all accesses of the source
SourceAccount tiles_filled_by(const Accesses& reads, const Accesses& accesses);

/// Returns the advice on elements of a shared array that its stores leave empty.
std::string advice_on_filling(const Accesses& stores, const core::Finding& finding);

}  // namespace tilewise::grading
