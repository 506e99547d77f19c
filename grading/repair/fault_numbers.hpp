#pragma once

#include <string>

#include "common/base/finding.hpp"
#include "grading/repair/repair.hpp"

/// The numbers behind the words of an access that went wrong.
namespace tilewise::grading {

/// What the variables of the access that a finding is of were for the threads that it names: " On
/// line 30 thread (5, 0, 0) of block (2, 0, 0) has row = 37, n = 37, k = 0." The call is made once
/// more with these variables written out. Only what led to the very element that the message names
/// is told. Empty where there is nothing of the kind: another kind of finding, a call that is no
/// problem of its own or too large, an access through what is more than an array and an index.
/// @param request whose sources, GPU and folders it is, and whose stage
/// @throws std::runtime_error if the tools themselves are missing or fail, Interrupted.
std::string numbers_of(const core::Finding& finding, const RepairRequest& request);

}  // namespace tilewise::grading
