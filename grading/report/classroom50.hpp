#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "grading/report/result.hpp"

namespace tilewise::grading {

/// What Classroom 50 tells an autograder of a submission, in its environment.
struct Classroom50Submission {
  std::string classroom;   ///< CLASSROOM
  std::string assignment;  ///< ASSIGNMENT
  std::string tag;         ///< SUBMISSION_TAG
  std::string commit;      ///< COMMIT_URL
  std::string release;     ///< RELEASE_URL
  std::string review;      ///< REVIEW_URL, or the commit's where there is none
  std::string datetime;    ///< of grading, "2026-11-21T07:30:00Z"
};

/// Takes it from the environment.
/// @throws std::runtime_error naming the variable that is not set
Classroom50Submission classroom50_submission();

/// A result.json in the schema classroom50/result/v1, as the Classroom 50 wiki has it
/// (foundation50/classroom50, "Advanced Autograding"). Students read it: hidden tests have no names
/// there.
nlohmann::ordered_json classroom50_document(const GradeResult& grade,
                                            const Classroom50Submission& submission);

}  // namespace tilewise::grading
