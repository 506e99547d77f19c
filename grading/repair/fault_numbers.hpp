#pragma once

#include <string>

#include "common/base/finding.hpp"
#include "grading/repair/repair.hpp"

/// The values of the variables of an access that went wrong.
namespace tilewise::grading {

/// Returns the values that the variables of a finding's access had in the threads that the finding
/// names: " On line 30 thread (5, 0, 0) of block (2, 0, 0) has row = 37, n = 37, k = 0." The call
/// is made once more, and the threads print these variables. Only accesses to the very element that
/// the message names are reported. The result is empty for other kinds of findings, for a call that
/// is too large or cannot be posed as a problem, and for an access through more than an array, a
/// pointer and an index.
/// @param request names the stage, its sources, the GPU and the folders
/// @throws std::runtime_error if the tools themselves are missing or fail, Interrupted.
std::string numbers_of(const core::Finding& finding, const RepairRequest& request);

/// Returns "thread (5, 0, 0) of block (2, 0, 0)".
std::string in_words(const core::ThreadOfGrid& place);

}  // namespace tilewise::grading
