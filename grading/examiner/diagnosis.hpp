#pragma once

#include <functional>
#include <optional>

#include "grading/examiner/pattern.hpp"

namespace tilewise::grading {

/// What is wrong with a call that a fresh process makes rightly.
Diagnosis left_over_from_earlier_calls();

/// Calls the function under test again with other data, in a fresh process, and tells what C holds
/// then. Nothing if the call failed.
using Rerun = std::function<std::optional<Matrix<float>>(
    const Matrix<float>& A, const Matrix<float>& B, const Matrix<float>& before)>;

/// Names the mistake behind a wrong result as well as it can: from the result itself, and from more
/// calls where that is not enough. `first_call`: the process had made no call before this one.
std::optional<Diagnosis> diagnose(const Observation& observation, bool first_call,
                                  const Rerun& rerun);

}  // namespace tilewise::grading
