#include "grading/course/stages.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "common/base/files.hpp"

namespace tilewise::grading {
namespace {

namespace fs = std::filesystem;

StageInfo read_stage(const fs::path& root, const std::string& id) {
  StageInfo stage{.id = id, .sources = {}, .functions = {}};
  const nlohmann::json file = read_stage_file(root, id);
  try {
    for (const nlohmann::json& function : file.at("functions")) {
      stage.functions.push_back(function.at("name").get<std::string>());
      const auto source = function.at("source").get<std::string>();
      if (std::ranges::count(stage.sources, source) == 0) stage.sources.push_back(source);
    }
    for (const nlohmann::json& test : file.value("tests", nlohmann::json::array())) {
      stage.points += test.value("points", 0);
    }
    const auto needed = file.value("compute_capability", std::string("0.0"));
    if (needed.size() != 3 || needed[1] != '.') {
      throw std::runtime_error(fmt::format("{}: a compute capability is as \"8.0\", not \"{}\"",
                                           stage_file(root, id).string(), needed));
    }
    stage.compute_capability = 10 * (needed[0] - '0') + (needed[2] - '0');
  } catch (const nlohmann::json::exception& error) {
    throw std::runtime_error(
        fmt::format("{}: functions or tests: {}", stage_file(root, id).string(), error.what()));
  }
  if (stage.functions.empty()) {
    throw std::runtime_error(
        fmt::format("{}: a stage has one function or more", stage_file(root, id).string()));
  }
  return stage;
}

}  // namespace

fs::path drawer_of(const fs::path& root, const std::string& stage_id) {
  return root / "grading" / "stages" / stage_id;
}

fs::path stage_file(const fs::path& root, const std::string& stage_id) {
  return drawer_of(root, stage_id) / "stage.json";
}

nlohmann::json read_stage_file(const fs::path& root, const std::string& stage_id) {
  const fs::path file = stage_file(root, stage_id);
  std::ifstream stream(file);
  if (!stream) throw std::runtime_error("cannot read " + file.string());
  try {
    return nlohmann::json::parse(stream);
  } catch (const nlohmann::json::exception& error) {
    throw std::runtime_error(fmt::format("{}: {}", file.string(), error.what()));
  }
}

std::vector<StageInfo> read_stages(const fs::path& root) {
  std::vector<StageInfo> course;
  for (const auto& folder : fs::directory_iterator(root / "grading" / "stages")) {
    const std::string id = folder.path().filename().string();
    if (fs::exists(stage_file(root, id))) course.push_back(read_stage(root, id));
  }
  std::ranges::sort(course, {}, &StageInfo::id);
  return course;
}

bool can_run(const core::GpuProfile& gpu, const StageInfo& stage) {
  return 10 * gpu.compute_major + gpu.compute_minor >= stage.compute_capability;
}

core::GpuProfile simulated_gpu(const StageInfo& stage, const core::GpuProfile& asked_for) {
  return can_run(asked_for, stage) ? asked_for : core::gpu_profile("h200");
}

const StageInfo& stage_called(const std::string& id) {
  const auto stage = std::ranges::find(stages(), id, &StageInfo::id);
  if (stage == stages().end()) throw std::out_of_range("no stage " + id);
  return *stage;
}

const std::vector<StageInfo>& stages() {
  static const std::vector<StageInfo> course = read_stages(core::project_root());
  return course;
}

}  // namespace tilewise::grading
