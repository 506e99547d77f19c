#include "grading/cli/test/temporary_submission.hpp"

#include <fstream>
#include <utility>
#include <vector>

#include "grading/builder/layout.hpp"
#include "grading/cli/stage_grading.hpp"
#include "grading/course/stages.hpp"

namespace tilewise::grading {

namespace fs = std::filesystem;

TemporaryCourse::TemporaryCourse() {
  const fs::path course = layout().root;
  // Only these parts are read. The rest is in the build, wherever that lies.
  for (const char* part : {"lab", "labs", "solutions", "grading/stages/cublas_calls.hpp",
                           "common/gpu/gpus.json", "common/simt", "po"}) {
    fs::create_directories((root() / part).parent_path());
    fs::copy(course / part, root() / part, fs::copy_options::recursive);
  }
  for (const StageInfo& stage : stages()) {
    fs::create_directories(drawer_of(root(), stage.id));
    fs::copy(stage_file(course, stage.id), stage_file(root(), stage.id));
    if (!fs::exists(drawer_of(course, stage.id) / "baselines")) continue;
    fs::copy(drawer_of(course, stage.id) / "baselines", drawer_of(root(), stage.id) / "baselines",
             fs::copy_options::recursive);
  }
}

void TemporaryCourse::solve(const std::string& stage) const {
  for (const auto& file : fs::directory_iterator(root() / "solutions" / stage)) {
    if (file.path().extension() != ".cu") continue;
    fs::copy_file(file, root() / "labs" / stage / file.path().filename(),
                  fs::copy_options::overwrite_existing);
  }
}

CommandResult TemporaryCourse::tilewise(std::vector<std::string> arguments) const {
  Command command;
  command.arguments = std::move(arguments);
  command.arguments.insert(command.arguments.begin(), tool("tilewise"));
  command.environment = {{"TILEWISE_ROOT", root()}};
  return run_command(std::move(command));
}

namespace fs = std::filesystem;

TemporarySubmission::TemporarySubmission(std::string stage_id) : stage_id_(std::move(stage_id)) {
  fs::create_directories(stage_folder());
}

void TemporarySubmission::take(const fs::path& folder) {
  for (const auto& file : fs::directory_iterator(folder)) {
    if (file.path().extension() == ".cu")
      fs::copy_file(file, stage_folder() / file.path().filename());
  }
}

void TemporarySubmission::put(const std::string& file, const std::string& text) {
  std::ofstream(stage_folder() / file, std::ios::binary) << text;
}

StageResult TemporarySubmission::grade(double time_limit_s, const std::string& gpu,
                                       const std::set<std::string>& tests) const {
  std::vector<RubricEntry> entries = load_rubric(layout().root).at(stage_id_);
  std::erase_if(entries, [&](const RubricEntry& entry) {
    return !tests.empty() && !tests.contains(entry.test);
  });
  constexpr std::uint64_t seed = 20;  // any, but always the same
  const ExamConditions conditions{backend_, gpu, seed, time_limit_s, bubblewrap_};
  return grade_stage({stage_id_, stage_folder(), conditions, entries}, {});
}

}  // namespace tilewise::grading
