#pragma once

#include <functional>
#include <string>
#include <vector>

#include "grading/cohort/entries.hpp"
#include "grading/cohort/ledger.hpp"
#include "grading/cohort/settings.hpp"

namespace tilewise::grading {

/// Grades the submissions that are not done yet on this machine, so many at a time, each in a
/// process of its own. Whatever one of them does, the others are graded.
/// @param done  called after each, with its name
/// @throws CannotGrade where results cannot be written; Interrupted
void grade_locally(const std::vector<CohortEntry>& entries, const CohortSettings& settings,
                   const Ledger& ledger, int jobs,
                   const std::function<void(const std::string&)>& done);

}  // namespace tilewise::grading
