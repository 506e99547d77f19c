#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "grading/course/stages.hpp"

namespace tilewise::grading {

/// What a lab report says of a stage whatever was measured.
struct StageNotes {
  std::string id;
  std::string title;                   ///< "Stage 3: tiles in shared memory", from the handout
  std::string purpose;                 ///< its first paragraph
  std::vector<std::string> accesses;   ///< formulas, from its stage.json
  std::vector<std::string> questions;  ///< that the student answers
};

/// @param root  of the course
/// @throws std::runtime_error naming the file that lacks something
std::vector<StageNotes> read_stage_notes(const std::filesystem::path& root,
                                         const std::vector<StageInfo>& stages);

}  // namespace tilewise::grading
