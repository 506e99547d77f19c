#pragma once

#include <string>

#include "grading/report/result.hpp"

namespace tilewise::grading {

/// The result in the JUnit XML dialect that CI servers read: one suite a stage, one case a test;
/// score and maximum are properties of suites and cases. Failed tests are failures, tests that
/// could not be judged errors, inconclusive ones count as skipped and say so.
std::string junit_file(const GradeResult& grade);

}  // namespace tilewise::grading
