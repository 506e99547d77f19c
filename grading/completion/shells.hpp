/// \file
/// Completion of `lab` as shells want it told, for a program called `lab` from whatever folder.
#pragma once

#include <string>
#include <vector>

#include "grading/completion/command_line.hpp"

namespace tilewise::grading {

/// For bash, also the bash 3.2 of macOS.
std::string bash_completion(const std::vector<CompletedCommand>& commands, const Vocabulary& names);

std::string zsh_completion(const std::vector<CompletedCommand>& commands, const Vocabulary& names);

std::string fish_completion(const std::vector<CompletedCommand>& commands, const Vocabulary& names);

}  // namespace tilewise::grading
