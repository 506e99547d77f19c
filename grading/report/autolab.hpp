#pragma once

#include <string>

#include "grading/report/result.hpp"

namespace tilewise::grading {

/// The two lines that Autolab reads at the end of an autograder's output
/// (https://docs.autolabproject.com/lab and /features/formatted-feedback): formatted feedback, and
/// below it the scores, a problem for each stage. Students read both: hidden tests have no names
/// there.
std::string autolab_lines(const GradeResult& grade);

}  // namespace tilewise::grading
