#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "common/base/finding.hpp"
#include "grading/builder/source_account.hpp"

namespace tilewise::grading {

/// For a barrier that some threads miss: says which of two barriers stands in a branch, and which
/// condition decides on it.
SourceAccount barrier_in_a_branch(const core::Finding& finding, std::string_view source);

/// For wrong results at edges: names a barrier that threads there pass by. They wait at no other
/// barrier, and so have ended while the rest waits, which no check objects to.
SourceAccount barrier_that_threads_pass(const std::vector<std::string>& kernels,
                                        std::string_view source);

/// For a race in shared memory: names a barrier beside both lines that is not reached in each
/// iteration.
/// @param kernel the kernel that holds both lines
SourceAccount barrier_of_some_turns(const std::string& kernel, std::string_view source);

}  // namespace tilewise::grading
