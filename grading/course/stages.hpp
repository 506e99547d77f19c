#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace tilewise::grading {

struct StageInfo {
  std::string id;                      ///< folder name under labs/ and solutions/
  std::vector<std::string> sources;    ///< files a student hands in
  std::vector<std::string> functions;  ///< contract functions they define
  int points = 0;                      ///< of all its tests, as far as they have any
};

/// Where everything of a stage lies that is neither handout nor solution: grading/stages/ID.
/// @param root  of the course
std::filesystem::path drawer_of(const std::filesystem::path& root, const std::string& stage_id);

/// The drawer's stage.json.
std::filesystem::path stage_file(const std::filesystem::path& root, const std::string& stage_id);

/// What it says. CONTRIBUTING.md describes its entries; whoever needs one takes
/// it from here.
/// @throws std::runtime_error naming the file, where it cannot be read or is no JSON
nlohmann::json read_stage_file(const std::filesystem::path& root, const std::string& stage_id);

/// Every stage of a course, in order: the drawers that hold a stage.json.
/// @throws std::runtime_error naming the file that lacks something
std::vector<StageInfo> read_stages(const std::filesystem::path& root);

/// The stages of this course, which core::project_root() finds.
const std::vector<StageInfo>& stages();

}  // namespace tilewise::grading
