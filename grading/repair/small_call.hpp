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

/// Returns calls with one size in place of all sizes of a call: each of its sizes, and one that all
/// sides of tiles divide. Code may take another path if no side of a matrix leaves a remainder. The
/// call itself is left out.
std::vector<std::string> calls_of_one_size(const NamedCall& call,
                                           const std::vector<ContractInfo>& functions);

}  // namespace tilewise::grading
