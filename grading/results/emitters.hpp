/// \file
/// The formats that a result is written in. Another one is a function and a row of the table in
/// emitters.cpp.
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
  const char* description;  ///< of the option
  enum class Goes { to_a_file, behind_a_file, to_standard_output_last } goes;
  /// @param seconds  that grading took
  std::string (*text)(const GradeResult& grade, double seconds);
  /// For a submission that cannot be graded, and why; nothing where there is no saying so.
  std::string (*text_of_refusal)(const std::string& why) = nullptr;
  /// Throws std::runtime_error where something is missing that `text` will need.
  void (*demand)() = nullptr;
};

/// All of them, in the order in which the help text lists them.
std::span<const Emitter> emitters();

/// A format that was asked for.
struct Output {
  const Emitter* emitter;
  std::filesystem::path file;  ///< empty: none
};

/// The result in the JUnit XML dialect that CI servers read, as junit-10.xsd of Jenkins' xUnit
/// plugin has it: one suite a stage, one case a test; score and maximum of a suite and of its cases
/// are properties of the suite. Failed tests are failures, tests that
/// could not be judged errors, inconclusive ones count as skipped and say so.
std::string junit_file(const GradeResult& grade);

/// A results.json for Gradescope, after
/// https://gradescope-autograders.readthedocs.io/en/latest/specs/. Hidden tests are there for the
/// instructor, with Gradescope's visibility "hidden"; what the autograder printed is for the
/// instructor, too.
/// @param seconds  that grading took
nlohmann::ordered_json gradescope_document(const GradeResult& grade, double seconds);

/// A results.json for a submission that could not be graded: no points, and why.
nlohmann::ordered_json gradescope_document(const std::string& why);

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

/// A result.json in the schema classroom50/result/v1, as foundation50/classroom50 has it in
/// schemas/result-v1.schema.json, but for owner and assignment_type, which its runner adds.
/// Students read it: hidden tests have no names there.
nlohmann::ordered_json classroom50_document(const GradeResult& grade,
                                            const Classroom50Submission& submission);

/// The two lines that Autolab reads at the end of an autograder's output
/// (https://docs.autolabproject.com/lab and /features/formatted-feedback): formatted feedback, and
/// below it the scores, a problem for each stage. Students read both: hidden tests have no names
/// there.
std::string autolab_lines(const GradeResult& grade);

/// A summary in GitHub's Markdown, for the file that $GITHUB_STEP_SUMMARY names: a table of stages,
/// and below it what failed, why and where. Students read it: hidden tests have no names there.
std::string step_summary(const GradeResult& grade);

/// What was found at a line of a learner's file, as g++ tells it, so that editors take it for a
/// compiler's: "labs/03_shared_memory/matmul_shared.cu:31: error: ...", and of a race a note at the
/// other line. What has no line, such as a wrong result, is not there.
std::string problem_lines(const GradeResult& grade);

}  // namespace tilewise::grading
