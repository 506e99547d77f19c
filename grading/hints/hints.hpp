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
  std::string text;  ///< each paragraph is one line; lines that begin with a blank stay as they are

  bool operator==(const Tier&) const = default;
};

/// The tiers of each contract function.
using HintsByFunction = std::map<std::string, std::vector<Tier>>;

/// Reads the section "## Hints" of a handout. In it a tier has this form:
///
///   <details>
///   <summary>matmul_shared: Idea</summary>
///
///   Its text; blank lines separate paragraphs, lines that begin with a blank stay as they are.
///   </details>
///
/// @param name  of the file, for messages
/// @throws std::runtime_error naming the line that does not fit
HintsByFunction parse_hints(std::string_view text, const std::string& name);

/// Reads the hints of a stage from labs/ID/README.md of the course.
/// @param root  of the course
/// @throws std::runtime_error as parse_hints(), and if there is no such file
HintsByFunction read_hints(const std::filesystem::path& root, const std::string& stage);

struct Hint {
  std::string title;  ///< "matmul_shared, hint 1 of 3: Idea"
  std::string text;   ///< each paragraph is one line, as in Tier
};

/// The contract function of a stage that a failure is about: the one whose call the message names,
/// or else the one whose name is most like that of the test's suite.
const std::string& function_of(const Failure& failure, const StageInfo& stage);

/// The call that a message names: "matmul_shared(n=37, tile=16)"; empty if it names none.
std::string call_in(const std::string& message, const StageInfo& stage);

/// The hint to show next. The first hint after a failure repeats its message and says where to
/// look; the following ones are the tiers of the function that it is about, one at a time; the last
/// one says where the solution is. Without a failure the functions take turns, from the first one
/// on. A stage that has passed needs no hint.
/// @param root  of the course
/// @param progress  of this stage; records which hints were shown
Hint next_hint(const std::filesystem::path& root, const StageInfo& stage,
               const HintsByFunction& hints, StageProgress& progress);

}  // namespace tilewise::grading
