#pragma once

#include <functional>
#include <optional>

#include "grading/examiner/pattern.hpp"
#include "grading/problem/dtrsm_reference.hpp"

namespace tilewise::grading {

/// One wrong call of a function that is to solve A * X = alpha * B, X over B.
struct DtrsmObservation {
  const TriangularSystem& system;
  const Matrix<double>& X;  ///< what the function left in place of B
  TileShape tile;           ///< elements of X that one block computes at a time
};

/// Makes the same call in a fresh process, and tells what it leaves in place of B. Nothing if the
/// call failed.
using DtrsmRerun = std::function<std::optional<Matrix<double>>()>;

/// Names the mistake behind a wrong solution as well as it can. `first_call`: the process had made
/// no call before this one.
std::optional<Diagnosis> diagnose_dtrsm(const DtrsmObservation& observation, bool first_call,
                                        const DtrsmRerun& rerun);

}  // namespace tilewise::grading
