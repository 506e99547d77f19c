#pragma once

#include <string>
#include <vector>

namespace tilewise::grading {

/// Runs a program that has the terminal, as a shell does, to its end. Ctrl-C goes to it alone.
/// @return its exit status; 128 and the signal's number where a signal ended it
/// @throws std::system_error where it cannot be started
int run_in_foreground(const std::vector<std::string>& arguments);

/// Whether a program may trace another one here, as a debugger does; a container may forbid it.
bool may_trace();

}  // namespace tilewise::grading
