#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "grading/cli/submission.hpp"
#include "grading/course/stages.hpp"
#include "grading/report/result.hpp"

namespace tilewise::grading {

/// A test that failed, and where.
struct FailingCall {
  std::string test;
  std::string message;
  std::string file;  ///< empty if unknown
  int line = 0;
  std::string gpu;  ///< profile that was modelled
  FailurePlace place;
};

/// The failure that `lab grade` has recorded last for a stage, where it knows the call.
/// @throws CannotGrade where the record cannot be read
std::optional<FailingCall> recorded_failure(const StageInfo& stage);

/// Grades a stage on the simulator, and takes the first failure that knows its call.
/// @param now_runs is called with the name of each test
std::optional<FailingCall> find_failure(const StageInfo& stage, const Submission& submission,
                                        std::uint64_t seed,
                                        const std::function<void(std::string_view)>& now_runs);

}  // namespace tilewise::grading
