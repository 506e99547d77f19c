#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "common/base/finding.hpp"
#include "grading/builder/source_account.hpp"

namespace tilewise::grading {

/// Of a barrier that some threads miss: which of two barriers stands in a branch, and what decides
/// on it.
SourceAccount barrier_in_a_branch(const core::Finding& finding, std::string_view source);

/// Of wrong results at edges: a barrier that threads there go past. They meet no other, and so have
/// ended when the rest waits, which no check objects to.
SourceAccount barrier_that_threads_pass(const std::vector<std::string>& kernels,
                                        std::string_view source);

/// Of a race in shared memory: a barrier beside both lines that is not come to in each turn.
/// @param kernel that holds both lines
SourceAccount barrier_of_some_turns(const std::string& kernel, std::string_view source);

}  // namespace tilewise::grading
