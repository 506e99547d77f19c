#pragma once

#include <functional>
#include <optional>

#include "grading/examiner/pattern.hpp"
#include "grading/problem/dgemm_reference.hpp"

namespace tilewise::grading {

/// One wrong call of a function that is to compute C = alpha * A * B + beta * C.
struct DgemmObservation {
  const GemmInputs& inputs;
  const Matrix<double>& before;  ///< C as the function found it: NaN where beta is 0
  const Matrix<double>& after;   ///< C as the function left it
  TileShape tile;                ///< elements of C that one block computes
};

/// Calls the function under test again with the same A and B and another C, in a fresh process, and
/// tells what C holds then. Nothing if the call failed.
using DgemmRerun = std::function<std::optional<Matrix<double>>(const Matrix<double>& before)>;

/// Names the mistake behind a wrong result as well as it can. `first_call`: the process had made no
/// call before this one.
std::optional<Diagnosis> diagnose_dgemm(const DgemmObservation& observation, bool first_call,
                                        const DgemmRerun& rerun);

}  // namespace tilewise::grading
