#pragma once

#include <string_view>

#include "grading/builder/source_account.hpp"

namespace tilewise::grading {

/// For code that ended with an arithmetic error (SIGFPE): names what the line divides by, and
/// where that gets its value. Empty for any other finding, and where the line divides by nothing
/// that could be 0.
SourceAccount division_by_zero(const core::Finding& finding, std::string_view source);

}  // namespace tilewise::grading
