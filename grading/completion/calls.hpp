#pragma once

#include <string>
#include <vector>

#include "grading/completion/command_line.hpp"

namespace tilewise::grading {

/// The words by which a user may name a stage: "03_shared_memory", "shared_memory", "03", "3".
std::vector<std::string> names_of_stage(const std::string& id);

/// For bash and zsh: the function _lab_calls, which prints the calls of the stage that it is given,
/// or of all.
std::string calls_by_stage(const Vocabulary& names);

}  // namespace tilewise::grading
