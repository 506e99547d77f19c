#pragma once

#include <map>

#include "grading/repair/repair.hpp"
#include "grading/repair/variant.hpp"

/// How near a change is to what findings tell: the nearest are tried first.
namespace tilewise::grading {

/// How many steps lead from what findings name to a line. Lines further away
/// are not among them.
std::map<int, int> steps_in(const SourceText& source, const RepairRequest& request);

/// How far a variant is from what stands there. What changes a line that findings name is nearer,
/// and what makes the variables there. A barrier outside of loops comes before those inside, which
/// make threads wait in every turn.
/// @param steps of its source
int distance(const Variant& variant, const RepairRequest& request, const std::map<int, int>& steps);

}  // namespace tilewise::grading
