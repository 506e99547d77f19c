#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "grading/repair/repair.hpp"
#include "grading/repair/variant.hpp"

/// How likely it is that a change is the one that is meant. The likeliest are tried first.
namespace tilewise::grading {

/// The number of steps that lead from the lines and the matrix that findings name to each line of a
/// source. Lines further away are left out.
/// Lines of functions that right calls run, too, are further away than others.
/// @param right contract functions of which no call went wrong
std::map<int, int> steps_in(const SourceText& source, const RepairRequest& request,
                            std::set<std::string, std::less<>> right);

/// Sorts variants, the likeliest first, and removes those that equal one before them.
///
/// A variant is likely if it changes a line that findings name, or a line that computes the
/// variables there, and if there are few of its kind: with two signs and two thousand names to try,
/// each sign is far likelier than each name. A barrier outside of loops comes before those inside,
/// which make threads wait in every iteration.
/// @param steps of the variants' source, as steps_in() returns them
void sort_by_likelihood(std::vector<Variant>& variants, const RepairRequest& request,
                        const std::map<int, int>& steps);

}  // namespace tilewise::grading
