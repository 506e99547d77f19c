#pragma once

#include <map>
#include <vector>

#include "grading/repair/repair.hpp"
#include "grading/repair/variant.hpp"

/// How likely a change is what is meant: the likeliest are tried first.
namespace tilewise::grading {

/// How many steps lead from what findings name to a line. Lines further away
/// are not among them.
std::map<int, int> steps_in(const SourceText& source, const RepairRequest& request);

/// Sorts variants, the likeliest first, and leaves out what is the same as one before it.
///
/// Likely is what changes a line that findings name, or what makes the variables there, and what is
/// one of a few: of two signs and two thousand names each sign is far likelier than each name. A
/// barrier outside of loops comes before those inside, which make threads wait in every turn.
/// @param steps of its source
void sort_by_likelihood(std::vector<Variant>& variants, const RepairRequest& request,
                        const std::map<int, int>& steps);

}  // namespace tilewise::grading
