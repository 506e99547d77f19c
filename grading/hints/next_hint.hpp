#pragma once

#include <filesystem>
#include <string>

#include "grading/course/stages.hpp"
#include "grading/hints/hint_file.hpp"
#include "grading/progress/progress.hpp"

namespace tilewise::grading {

struct Hint {
  std::string title;  ///< "matmul_shared, hint 1 of 3: Idea"
  std::string text;   ///< a paragraph is one line, as in Tier
};

/// Which contract function of a stage a failure is about: the one whose call the message names, or
/// else the one whose name the test's suite resembles most.
const std::string& function_of(const Failure& failure, const StageInfo& stage);

/// The call that a message names: "matmul_shared(n=37, tile=16)"; empty if none.
std::string call_in(const std::string& message, const StageInfo& stage);

/// What to show next: the first time after a failure what that says and where to look, then one
/// tier after another of the function it is about, at last where the solution is. Without a failure
/// the functions take turns from the first one on; a stage that has passed needs no hint.
/// @param root  of the course
/// @param progress  of this stage; what is shown is noted there
Hint next_hint(const std::filesystem::path& root, const StageInfo& stage,
               const HintsByFunction& hints, StageProgress& progress);

}  // namespace tilewise::grading
