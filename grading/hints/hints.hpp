#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "grading/course/stages.hpp"
#include "grading/progress/progress.hpp"

namespace tilewise::grading {

/// One step of help; each gives away more than the one before.
struct Tier {
  std::string title;  ///< "Idea"
  std::string text;   ///< a paragraph is one line; lines that begin with a blank stay as they are

  bool operator==(const Tier&) const = default;
};

/// Tiers by contract function.
using HintsByFunction = std::map<std::string, std::vector<Tier>>;

/// Reads the section "## Hints" of a handout. In it a tier is
///
///   <details>
///   <summary>matmul_shared: Idea</summary>
///
///   Its text; blank lines part paragraphs, lines that begin with a blank stay as they are.
///   </details>
///
/// @param name  of the file, for messages
/// @throws std::runtime_error naming the line that does not fit
HintsByFunction parse_hints(std::string_view text, const std::string& name);

/// The hints of a stage: those in labs/ID/README.md of the course.
/// @param root  of the course
/// @throws std::runtime_error as parse_hints(), and where there is no such file
HintsByFunction read_hints(const std::filesystem::path& root, const std::string& stage);

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
