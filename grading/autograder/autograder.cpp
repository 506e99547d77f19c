#include "grading/autograder/autograder.hpp"

#include <fmt/format.h>

#include <fstream>
#include <iostream>
#include <sstream>

#include "common/gpu/gpu_profile.hpp"
#include "grading/autograder/course_files.hpp"
#include "grading/autograder/zip_writer.hpp"
#include "grading/builder/layout.hpp"
#include "grading/cli/output_file.hpp"
#include "grading/cli/stage_choice.hpp"
#include "grading/report/printable.hpp"

namespace tilewise::grading {
namespace {

namespace fs = std::filesystem;

ZipItem item_of(const fs::path& file, const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(file, std::ios::binary).rdbuf();
  std::error_code error;
  const fs::perms permissions = fs::status(file, error).permissions();
  if (error || !text) {
    throw CannotGrade(fmt::format(
        "{} cannot be read: bring it back, or remove it from what git knows (git rm --cached)",
        printable(file.string())));
  }
  return {path, text.str(), (permissions & fs::perms::owner_exec) != fs::perms::none};
}

std::string arguments_of_grade(const AutograderOptions& options) {
  std::string lines = fmt::format("--gpu\n{}\n", options.gpu);
  for (const StageInfo& stage : choose_stages(options.stages, stages())) lines += stage.id + "\n";
  return lines;
}

}  // namespace

void write_autograder(const AutograderOptions& options) {
  core::gpu_profile(options.gpu);  // throws where there is none
  std::vector<ZipItem> items = {{"grade_arguments", arguments_of_grade(options)}};
  demand_writable(options.out);
  const fs::path course = layout().root;
  for (const char* script : {"run_autograder", "setup.sh"}) {
    items.push_back(item_of(course / "grading" / "autograder" / script, script));
  }
  for (const fs::path& file : course_files(course)) {
    items.push_back(item_of(course / file, "course/" + file.string()));
  }
  write_zip(options.out, items);
  std::cout << fmt::format("{}: upload it to Gradescope as the autograder\n",
                           printable(options.out.string()));
}

}  // namespace tilewise::grading
