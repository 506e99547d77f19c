#pragma once

#include <optional>
#include <string>
#include <vector>

#include "grading/cli/stage_grading.hpp"
#include "grading/repair/repair.hpp"

namespace tilewise::grading {

/// Returns what a change has done to a submission, by its results with the change and before it. A
/// change such as a barrier in an inner loop, or a load of the same tile again and again, may make
/// results right; the tests that it makes fail must pass, too.
Mended mended(const StageResult& after, const StageResult& before);

/// What is behind the nearest cause of a failure.
struct Behind {
  /// Sentences that continue the cause's message, each with a blank before it; or empty.
  std::string text;
  std::vector<int> lines;  ///< of the loads and stores that led to a wrong element
};

/// Finds the values of the variables in the access at fault or, for a wrong result, the elements
/// that it was made from. Nothing is revealed of hidden tests.
/// @param request the request that led to the result
/// @throws std::runtime_error if Tilewise itself is broken, Interrupted.
Behind look_behind(const StageResult& result, const StageRequest& request);

/// Returns a small change that mends a submission, in words, as a hint that may replace that of its
/// nearest cause. Returns nothing if no such change was found, or if no test fails that a change
/// could mend. Nothing is tried on hidden tests, and nothing is revealed of them.
/// @param request the request that led to the result
/// @param lines that led to the failure, besides those that findings name
/// @param time_limit_s seconds after which no more is tried
/// @throws std::runtime_error if Tilewise itself is broken, Interrupted.
std::optional<std::string> mending_of(const StageResult& result, StageRequest request,
                                      const std::vector<int>& lines, double time_limit_s);

}  // namespace tilewise::grading
