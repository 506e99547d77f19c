#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "grading/course/stages.hpp"
#include "grading/progress/progress.hpp"

namespace tilewise::grading {

/// What a stage is about and how to begin: its title, its goal, and the files to read and to edit.
/// @param root  of the course
std::string introduction(const std::filesystem::path& root, const StageInfo& stage);

/// Makes the next stage that has not passed the current one, and introduces it. Says so where the
/// one before has not passed; after the last one congratulates.
std::string go_on(const std::filesystem::path& root, const std::vector<StageInfo>& course,
                  Progress& progress);

}  // namespace tilewise::grading
