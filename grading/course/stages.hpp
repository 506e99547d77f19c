#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "common/gpu/gpu_profile.hpp"

namespace tilewise::grading {

struct StageInfo {
  std::string id;                      ///< folder name under labs/ and solutions/
  std::vector<std::string> sources;    ///< files a student hands in
  std::vector<std::string> functions;  ///< contract functions they define
  int points = 0;                      ///< of all its tests, as far as they have any
  /// That its functions need at least, times ten: 80 for 8.0; 0: any.
  int compute_capability = 0;
};

/// Whether a card has what the stage's functions need.
bool can_run(const core::GpuProfile& gpu, const StageInfo& stage);

/// The card that a stage is simulated on: the one that was asked for, or an H200 in place of one
/// that lacks what the stage needs.
core::GpuProfile simulated_gpu(const StageInfo& stage, const core::GpuProfile& asked_for);

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

/// One of them by its id.
/// @throws std::out_of_range where there is none
const StageInfo& stage_called(const std::string& id);

}  // namespace tilewise::grading
