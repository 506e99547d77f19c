#include "grading/cli/yardsticks.hpp"

#include <filesystem>

#include "grading/builder/layout.hpp"

namespace tilewise::grading {
namespace {

std::filesystem::path folder_of(const Yardstick& yardstick, const std::string& stage_id) {
  return layout().root / "grading" / "yardsticks" / yardstick.name / stage_id;
}

}  // namespace

std::vector<Yardstick> yardsticks_of(const std::string& stage_id) {
  std::vector<Yardstick> found;
  for (const Yardstick& yardstick : {Yardstick{"copy", false}, Yardstick{"cublas", true}}) {
    if (std::filesystem::exists(folder_of(yardstick, stage_id))) found.push_back(yardstick);
  }
  return found;
}

BuildRequest yardstick_build(const Yardstick& yardstick, const std::string& stage_id) {
  BuildRequest request;
  request.stage_id = stage_id;
  request.source_directory = folder_of(yardstick, stage_id);
  request.backend = Backend::cuda;
  request.uses_cublas = yardstick.uses_cublas;
  return request;
}

}  // namespace tilewise::grading
