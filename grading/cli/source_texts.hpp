#pragma once

#include <filesystem>

#include "grading/course/stages.hpp"
#include "grading/profile/profile_report.hpp"

namespace tilewise::grading {

/// The lines of a stage's sources in a folder, by their names.
SourceTexts read_sources(const StageInfo& stage, const std::filesystem::path& folder);

}  // namespace tilewise::grading
