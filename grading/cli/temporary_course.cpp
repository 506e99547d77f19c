#include "grading/cli/temporary_course.hpp"

#include "grading/builder/layout.hpp"

namespace tilewise::grading {

namespace fs = std::filesystem;

TemporaryCourse::TemporaryCourse() {
  const fs::path course = layout().root;
  // What is read of it. The rest is in the build, wherever that lies.
  for (const char* part :
       {"lab", "labs", "solutions", "grading/rubric.json", "grading/hints", "grading/yardsticks",
        "grading/bench/cases.json", "common/gpu/gpus.json", "common/simt"}) {
    fs::create_directories((root() / part).parent_path());
    fs::copy(course / part, root() / part, fs::copy_options::recursive);
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

}  // namespace tilewise::grading
