#pragma once

#include <string>

#include "grading/worker/call.hpp"

namespace tilewise::grading {

/// Returns what to do about one fault, in more detail if its words say more than its kind does.
std::string advise_on(const Finding& fault);

}  // namespace tilewise::grading
