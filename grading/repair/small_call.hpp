#pragma once

#include <optional>
#include <string>
#include <vector>

#include "grading/course/contract.hpp"
#include "grading/profile/named_call.hpp"

namespace tilewise::grading {

/// A call as it is written, or, where that is more work than allowed, a smaller one like it: what
/// says how large matrices are is scaled and leaves what it left when divided by 32, so that the
/// last tiles are as ragged as they were.
/// @param most  of operations, and of bytes that the matrices have
/// @return nothing where the contract refuses such sizes, too
std::optional<NamedCall> small_call(const std::string& text,
                                    const std::vector<ContractInfo>& functions, double most);

/// The call with one of its sizes for all of them, for each: what is right where no side of a
/// matrix leaves a rest differs from what is where one does. Empty where they are all the same.
std::vector<std::string> calls_of_one_size(const NamedCall& call,
                                           const std::vector<ContractInfo>& functions);

}  // namespace tilewise::grading
