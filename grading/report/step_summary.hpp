#pragma once

#include <string>

#include "grading/report/result.hpp"

namespace tilewise::grading {

/// A summary in GitHub's Markdown, for the file that $GITHUB_STEP_SUMMARY names: a table of stages,
/// and below it what failed, why and where. Students read it: hidden tests have no names there.
std::string step_summary(const GradeResult& grade);

}  // namespace tilewise::grading
