#pragma once

#include <optional>
#include <string>

#include "grading/cli/stage_grading.hpp"
#include "grading/repair/repair.hpp"

namespace tilewise::grading {

/// What has become of a submission with a change, by its results with it and before. A barrier in
/// an inner loop, a load of the same tile again and again, may make results right; what fails by it
/// has to pass, too.
Mended mended(const StageResult& after, const StageResult& before);

/// What the variables of the access at fault were, in sentences that go on with the message of the
/// nearest cause, each with a blank before it. Empty where it is of no access. Nothing is told of
/// hidden tests.
/// @param request what led to the result
/// @throws std::runtime_error if Tilewise itself is broken, Interrupted.
std::string numbers_behind(const StageResult& result, const StageRequest& request);

/// A small change of a submission that mends it, in words, as a hint that may take the place of
/// that of its nearest cause. None where nothing of the kind was found, or where no such test
/// fails. Nothing is tried on hidden tests, and nothing told of them.
/// @param request what led to the result
/// @param time_limit_s after which no more is tried
/// @throws std::runtime_error if Tilewise itself is broken, Interrupted.
std::optional<std::string> mending_of(const StageResult& result, StageRequest request,
                                      double time_limit_s);

}  // namespace tilewise::grading
