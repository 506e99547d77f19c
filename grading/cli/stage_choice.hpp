#pragma once

#include <stdexcept>
#include <string>
#include <vector>

#include "grading/course/stages.hpp"

namespace tilewise::grading {

/// Something in the user's request or surroundings keeps Tilewise from grading at all.
class CannotGrade : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// The stages a user means: by id ("03_shared_memory"), number ("03", "3") or topic
/// ("shared_memory"); each once, in the order named. All of `known` if nothing is named.
/// @throws CannotGrade listing the known stages.
std::vector<StageInfo> choose_stages(const std::vector<std::string>& words,
                                     const std::vector<StageInfo>& known);

}  // namespace tilewise::grading
