#pragma once

#include <cstddef>
#include <vector>

#include "grading/course/contract.hpp"
#include "grading/profile/named_call.hpp"

namespace tilewise::grading {

/// The matrices of a call as graders fill them, one behind the other.
struct CallInputs {
  std::vector<Argument> arguments;  ///< the call's, which say where each matrix lies
  std::vector<std::byte> matrices;
};

/// Inputs are random, always the same. What the function writes holds NaN, unless it reads that,
/// too: a right-hand side, or C where there is a beta other than 0.
/// @param solves  the function solves a triangular system: A is a well-conditioned lower triangle
CallInputs inputs_of(const NamedCall& call, const ContractInfo& contract, bool solves);

}  // namespace tilewise::grading
