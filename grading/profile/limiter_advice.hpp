#pragma once

#include <string>
#include <string_view>

namespace tilewise::grading {

/// What a student can do about a limiter that the model names (theory::KernelTime::limiter): one
/// sentence or two. Empty for a name that is not the model's.
std::string limiter_advice(std::string_view limiter);

}  // namespace tilewise::grading
