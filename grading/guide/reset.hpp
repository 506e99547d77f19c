#pragma once

#include <ctime>
#include <filesystem>
#include <string>
#include <vector>

#include "grading/course/stages.hpp"

namespace tilewise::grading {

/// What became of a file of a stage.
struct ResetFile {
  std::string file;    ///< "labs/03_shared_memory/matmul_shared.cu"
  std::string backup;  ///< where it was kept; empty: it was the skeleton already, or not there
  bool written = false;
};

/// Writes the skeletons of a stage, as its solutions give them, over the student's files. What
/// these held is kept beside each, in FILE.backup-YYYYMMDD-HHMMSS.
/// @param root  of the course
/// @throws CannotGrade where a file cannot be read or written; nothing is lost then
std::vector<ResetFile> reset_stage(const std::filesystem::path& root, const StageInfo& stage,
                                   std::time_t when);

}  // namespace tilewise::grading
