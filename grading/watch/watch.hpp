#pragma once

#include <string>

namespace tilewise::grading {

/// `lab watch`: grades a stage each time one of its files is saved, and shows what came of it on
/// the terminal, until a key or Ctrl-C ends it.
/// @param stage  as a user names one; empty: the current one
/// @throws CannotGrade where there is no terminal, no such stage or no use of progress.json;
/// Interrupted where the process was asked to end otherwise than by Ctrl-C
void watch(const std::string& stage);

}  // namespace tilewise::grading
