#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "grading/report/result.hpp"

namespace tilewise::grading {

/// A results.json for Gradescope, after
/// https://gradescope-autograders.readthedocs.io/en/latest/specs/. Hidden tests are there for the
/// instructor, with Gradescope's visibility "hidden"; what the autograder printed is for the
/// instructor, too.
/// @param seconds  that grading took
nlohmann::ordered_json gradescope_document(const GradeResult& grade, double seconds);

/// A results.json for a submission that could not be graded: no points, and why.
nlohmann::ordered_json gradescope_document(const std::string& why);

}  // namespace tilewise::grading
