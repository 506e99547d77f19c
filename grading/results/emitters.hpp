/// \file
/// The formats in which a result can be written. A new format needs a function and a row of the
/// table in emitters.cpp.
#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>

#include "grading/results/result.hpp"

namespace tilewise::grading {

/// A format, and how the command line asks for it.
struct Emitter {
  const char* option;       ///< "--junit"
  const char* description;  ///< the option's help text
  enum class Goes { to_a_file, behind_a_file, to_standard_output_last } goes;
  /// @param seconds  the time that grading took
  std::string (*text)(const GradeResult& grade, double seconds);
  /// Returns the text for a submission that cannot be graded, and why. It is null if the format
  /// cannot express that.
  std::string (*text_of_refusal)(const std::string& why) = nullptr;
  /// Throws std::runtime_error if something is missing that `text` will need.
  void (*demand)() = nullptr;
};

/// Returns all formats, in the order in which the help text lists them.
std::span<const Emitter> emitters();

/// A format that was asked for.
struct Output {
  const Emitter* emitter;
  std::filesystem::path file;  ///< empty: no file
};

/// Returns the result in the JUnit XML dialect that CI servers read, as junit-10.xsd of Jenkins'
/// xUnit plugin defines it. There is one suite for each stage and one case for each test. The
/// scores and maximum scores of a suite and of its cases are properties of the suite. Failed tests
/// are failures, and tests that could not be judged are errors. Inconclusive tests count as
/// skipped, with a message that says so.
std::string junit_file(const GradeResult& grade);

/// Returns a results.json for Gradescope, after
/// https://gradescope-autograders.readthedocs.io/en/latest/specs/. Hidden tests are included for
/// the instructor, with Gradescope's visibility "hidden". The autograder's output is for the
/// instructor, too.
/// @param seconds  the time that grading took
nlohmann::ordered_json gradescope_document(const GradeResult& grade, double seconds);

/// Returns a results.json for a submission that could not be graded, with no points and the reason.
nlohmann::ordered_json gradescope_document(const std::string& why);

/// The environment variables with which Classroom 50 describes a submission to an autograder.
struct Classroom50Submission {
  std::string classroom;   ///< CLASSROOM
  std::string assignment;  ///< ASSIGNMENT
  std::string tag;         ///< SUBMISSION_TAG
  std::string commit;      ///< COMMIT_URL
  std::string release;     ///< RELEASE_URL
  std::string review;      ///< REVIEW_URL, or the commit's URL if that is not set
  std::string datetime;    ///< time of grading, "2026-11-21T07:30:00Z"
};

/// Reads the submission from the environment.
/// @throws std::runtime_error naming the variable that is not set
Classroom50Submission classroom50_submission();

/// Returns a result.json in the schema classroom50/result/v1, as foundation50/classroom50 defines
/// it in schemas/result-v1.schema.json. It lacks owner and assignment_type, which Classroom 50's
/// runner adds. Students read it, so hidden tests are not named.
nlohmann::ordered_json classroom50_document(const GradeResult& grade,
                                            const Classroom50Submission& submission);

/// Returns the two lines that Autolab reads at the end of an autograder's output
/// (https://docs.autolabproject.com/lab and /features/formatted-feedback): formatted feedback, and
/// below it the scores, with one problem for each stage. Students read both, so hidden tests are
/// not named.
std::string autolab_lines(const GradeResult& grade);

/// Returns a summary in GitHub's Markdown, for the file that $GITHUB_STEP_SUMMARY names: a table of
/// stages, and below it what failed, why and where. Students read it, so hidden tests are not
/// named.
std::string step_summary(const GradeResult& grade);

/// Returns the findings that have a line in a learner's file, in the form of g++'s messages, so
/// that editors take them for a compiler's: "labs/03_shared_memory/matmul_shared.cu:31: error:
/// ...". A race also has a note at the other line. Findings without a line, such as wrong results,
/// are left out.
std::string problem_lines(const GradeResult& grade);

}  // namespace tilewise::grading
