/// \file
/// What to say first of a grading. Tests see one mistake from many sides: what does not compile, a
/// race or a barrier that some threads never reach makes results wrong as well, and the pattern of
/// wrong results is the last thing to look at. The order of findings has its one home here.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "grading/results/result.hpp"

namespace tilewise::grading {

/// One thing that is wrong with a stage, told once.
struct Cause {
  const TestResult* told;                       ///< whose finding tells it
  std::vector<const TestResult*> same = {};     ///< others that found the very same
  std::vector<const TestResult*> effects = {};  ///< whose wrong results may come of it
};

/// What kept tests from passing, the finding nearest the cause first: what does not compile, then a
/// barrier not reached, a race, a read of what nobody wrote, a stray access, a failed launch, a
/// crash, a device pointer on the host; then wrong results, and what is slow. Tests that do not
/// apply here (no GPU) come last. The result must outlive what is returned.
std::vector<Cause> causes_of(const StageResult& stage);

/// Of one call: what lies nearest the cause comes first.
void sort_by_cause(std::vector<Finding>& findings);

/// The test whose finding to look at first; nullptr where every test that counts has passed. Hidden
/// ones only where there is no other.
const TestResult* nearest_cause(const StageResult& stage);

/// "So fail: IsRightAtRaggedEdges, ... .", in sentences; empty where `told` alone failed.
std::string follow_ups(const Cause& cause);

/// What the first screen says.
struct Headline {
  std::string stage;    ///< "03_shared_memory"
  std::string kind;     ///< of the finding; "compile", "crash", "time-out", "wrong-result", ...
  std::string message;  ///< what happened
  std::string file;     ///< where; empty: unknown
  int line = 0;
  std::string next;  ///< what to do; empty: nothing special

  bool operator==(const Headline&) const = default;
};

/// Of the first stage that did not pass; nothing where all have. Of hidden tests nothing but that
/// they failed.
std::optional<Headline> headline_of(const GradeResult& grade);

/// The same in lines: stage, where, what happened, "Next: " and what to do.
std::string in_lines(const Headline& headline);

/// What a finding is about, as `headline` names it: its own kind, or what its test looks at.
std::string kind_of(const TestResult& test);

}  // namespace tilewise::grading
