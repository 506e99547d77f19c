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

}  // namespace tilewise::grading
