#pragma once

#include <optional>
#include <string>
#include <vector>

#include "grading/course/contract.hpp"
#include "grading/profile/named_call.hpp"

namespace tilewise::grading {

/// Returns a call as it is written or, if that is more work than allowed, a smaller one like it.
/// The sizes of the matrices are scaled down but keep their remainders modulo 32, so that the last
/// tiles are as ragged as before.
/// @param most  the largest number of operations, and of bytes of the matrices
/// @return nothing if the contract refuses the call, or every one that is small enough
std::optional<NamedCall> small_call(const std::string& text,
                                    const std::vector<ContractInfo>& functions, double most);

/// Returns one call for each of a call's sizes, with that size in place of all of them: code may
/// take another path if no side of a matrix leaves a remainder. Empty if all sizes are the same.
std::vector<std::string> calls_of_one_size(const NamedCall& call,
                                           const std::vector<ContractInfo>& functions);

}  // namespace tilewise::grading
