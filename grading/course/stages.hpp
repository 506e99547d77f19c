#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "common/gpu/gpu_profile.hpp"

namespace tilewise::grading {

struct StageInfo {
  std::string id;                      ///< folder name under labs/ and solutions/
  std::vector<std::string> sources;    ///< files that a student hands in
  std::vector<std::string> functions;  ///< contract functions that they define
  int points = 0;                      ///< the sum over all tests that have points
  /// The least compute capability that its functions need, times ten: 80 for 8.0; 0 if any will do.
  int compute_capability = 0;
};

/// Whether a GPU has the compute capability that the stage's functions need.
bool can_run(const core::GpuProfile& gpu, const StageInfo& stage);

/// The GPU that a stage is simulated on: the one that was asked for, or an H200 if that one lacks
/// what the stage needs.
core::GpuProfile simulated_gpu(const StageInfo& stage, const core::GpuProfile& asked_for);

/// The folder with everything of a stage that is neither handout nor solution: grading/stages/ID.
/// @param root  of the course
std::filesystem::path drawer_of(const std::filesystem::path& root, const std::string& stage_id);

/// The stage.json in the stage's drawer.
std::filesystem::path stage_file(const std::filesystem::path& root, const std::string& stage_id);

/// Reads a stage's stage.json, whose entries CONTRIBUTING.md describes. Code that needs an entry
/// takes it from here.
/// @throws std::runtime_error naming the file, if it cannot be read or is no JSON
nlohmann::json read_stage_file(const std::filesystem::path& root, const std::string& stage_id);

/// Every stage of a course in order: the drawers that hold a stage.json.
/// @throws std::runtime_error naming the file that lacks something
std::vector<StageInfo> read_stages(const std::filesystem::path& root);

/// The stages of this course, which core::project_root() finds.
const std::vector<StageInfo>& stages();

/// The stage of this course with this id.
/// @throws std::out_of_range if there is none
const StageInfo& stage_called(const std::string& id);

}  // namespace tilewise::grading
