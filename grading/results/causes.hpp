/// \file
/// Decides what to report first about a grading. Tests see one mistake from many sides: code that
/// does not compile, a race, or a barrier that some threads never reach makes results wrong as
/// well, and the pattern of wrong results is the last thing to look at. Only this file defines the
/// order of findings.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "grading/results/result.hpp"

namespace tilewise::grading {

/// One fault of a stage, which is reported once.
struct Cause {
  const TestResult* told;                    ///< the test whose finding is reported
  std::vector<const TestResult*> same = {};  ///< other tests with the same finding
  /// Tests whose wrong results this fault may have caused.
  std::vector<const TestResult*> effects = {};
};

/// Returns what kept tests from passing, with the finding nearest the cause first: code that does
/// not compile, then a barrier not reached, a race, a read of uninitialised memory, a stray access,
/// a failed launch, a crash, a device pointer on the host; then wrong results, and slow code. Tests
/// that do not apply here (no GPU) come last. `stage` must outlive the causes.
std::vector<Cause> causes_of(const StageResult& stage);

/// Sorts the findings of one call, with the one nearest the cause first.
void sort_by_cause(std::vector<Finding>& findings);

/// Returns the test whose finding to look at first, or nullptr if every test that counts has
/// passed. It returns a hidden test only if there is no other.
const TestResult* nearest_cause(const StageResult& stage);

/// Names in sentences the other tests that have the same cause, or whose wrong results it may
/// explain. The text is empty if only `told` failed.
std::string follow_ups(const Cause& cause);

/// The first thing that a student reads about a grading.
struct Headline {
  std::string stage;  ///< "03_shared_memory"
  /// Kind of the finding: "compile", "crash", "time-out", "wrong-result", ...
  std::string kind;
  std::string message;  ///< what happened
  std::string file;     ///< where; empty: unknown
  int line = 0;
  std::string next;  ///< what to do; empty: nothing special

  bool operator==(const Headline&) const = default;
};

/// Returns the headline of the first stage that did not pass, or nothing if all have. About a
/// hidden test it says only that the test failed.
std::optional<Headline> headline_of(const GradeResult& grade);

/// Formats the headline in lines: the stage and place, what happened, and "Next: " with what to do.
std::string in_lines(const Headline& headline);

/// Returns the kind for Headline::kind: the finding's own, or else the test's category.
std::string kind_of(const TestResult& test);

}  // namespace tilewise::grading
