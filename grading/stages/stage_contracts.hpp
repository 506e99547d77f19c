#pragma once

#include <string>
#include <vector>

#include "grading/course/contract.hpp"

namespace tilewise::grading {

/// Returns the contract functions of a stage, in the order of its stage.json.
/// @throws std::runtime_error for a stage that did not exist when this was built
const std::vector<ContractInfo>& contracts_of(const std::string& stage_id);

}  // namespace tilewise::grading
