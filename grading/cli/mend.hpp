#pragma once

#include <optional>
#include <string>

#include "grading/cli/stage_grading.hpp"

namespace tilewise::grading {

/// A small change of a submission with which all tests of results and of safety pass, as a hint
/// that may take the place of that of its nearest cause. None where nothing of the kind was found,
/// or where no such test fails. Nothing is tried on hidden tests, and nothing told of them.
/// @param request what led to the result
/// @param time_limit_s after which no more is tried
/// @throws std::runtime_error if Tilewise itself is broken, Interrupted.
std::optional<std::string> mending_of(const StageResult& result, StageRequest request,
                                      double time_limit_s);

}  // namespace tilewise::grading
