#pragma once

#include <string_view>

#include "common/base/finding.hpp"
#include "grading/builder/source_account.hpp"

namespace tilewise::grading {

/// Of a barrier that some threads miss: which of two barriers stands in a branch, and what decides
/// on it.
SourceAccount barrier_in_a_branch(const core::Finding& finding, std::string_view source);

}  // namespace tilewise::grading
