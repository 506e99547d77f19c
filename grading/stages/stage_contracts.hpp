#pragma once

#include <string>
#include <vector>

#include "grading/course/contract.hpp"

namespace tilewise::grading {

/// The contract functions of a stage, in the order of its tilewise_stage() line.
/// @throws std::out_of_range for no stage
const std::vector<ContractInfo>& contracts_of(const std::string& stage_id);

}  // namespace tilewise::grading
