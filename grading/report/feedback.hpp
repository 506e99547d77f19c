#pragma once

#include <string>

#include "grading/report/result.hpp"

namespace tilewise::grading {

/// What there is to say of a test, in lines: where, what happened, "Hint: " and what to do next.
/// Empty where there is nothing to say. As it came: a student may have had a hand in it.
std::string feedback(const TestResult& test);

/// A hidden test as a student is to see it: its category, how it ended and its points.
/// @param number  of the hidden tests of its stage
TestResult without_secrets(const TestResult& test, int number);

/// What a student is to see: hidden tests without their names, their inputs and what they found.
GradeResult without_hidden(GradeResult grade);

}  // namespace tilewise::grading
