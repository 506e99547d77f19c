#pragma once

#include <functional>
#include <string>
#include <vector>

#include "grading/cohort/entries.hpp"
#include "grading/cohort/ledger.hpp"
#include "grading/cohort/settings.hpp"

namespace tilewise::grading {

/// Grades the submissions that are not done yet, so many at a time, each in a process of its own.
/// Whatever one of them does, the others are graded.
/// @param done  called after each
/// @throws CannotGrade where results cannot be written; Interrupted
void grade_locally(const std::vector<CohortEntry>& entries, const CohortSettings& settings,
                   const Ledger& ledger, int jobs,
                   const std::function<void(const CohortEntry&)>& done);

/// What a student is to read of a result: each test and why it failed, hidden ones by their points
/// alone, and a table of points.
std::string feedback_text(const GradeResult& result);

}  // namespace tilewise::grading
