#include "grading/autograder/course_files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>
#include <string>

#include "common/process/command.hpp"
#include "grading/cli/stage_choice.hpp"
#include "grading/report/printable.hpp"

namespace tilewise::grading {
namespace {

namespace fs = std::filesystem;

constexpr const char* parts_of_the_course[] = {
    "CMakeLists.txt", "CMakePresets.json", "LICENSE",   "cmake", "common", "docs", "grading", "lab",
    "labs",           "packages.txt",      "solutions", "tools"};

std::vector<fs::path> files_known_to_git(const fs::path& course) {
  Command command;
  // Whoever has put the course there, it is what is running.
  command.arguments = {"git", "-c", "safe.directory=*", "-C", course, "ls-files", "-z", "--"};
  command.arguments.insert(command.arguments.end(), std::begin(parts_of_the_course),
                           std::end(parts_of_the_course));
  const CommandResult listed = run_command(command);
  if (!listed.succeeded() || listed.output.size() == CommandResult::kept_output_bytes) {
    throw CannotGrade(fmt::format("git ls-files in {} {}: {}", printable(course.string()),
                                  describe_ending(listed), printable(listed.output)));
  }
  std::vector<fs::path> files;
  std::istringstream names(listed.output);
  for (std::string name; std::getline(names, name, '\0');) files.emplace_back(name);
  return files;
}

std::vector<fs::path> files_not_hidden(const fs::path& course) {
  std::vector<fs::path> files;
  for (const char* part : parts_of_the_course) {
    if (fs::is_regular_file(course / part)) files.emplace_back(part);
    if (!fs::is_directory(course / part)) continue;
    for (auto item = fs::recursive_directory_iterator(course / part);
         item != fs::recursive_directory_iterator(); ++item) {
      const bool hidden = item->path().filename().string().starts_with('.');
      if (hidden) item.disable_recursion_pending();
      if (!hidden && item->is_regular_file()) {
        files.push_back(item->path().lexically_relative(course));
      }
    }
  }
  return files;
}

}  // namespace

std::vector<fs::path> course_files(const fs::path& course) {
  std::vector<fs::path> files =
      fs::exists(course / ".git") ? files_known_to_git(course) : files_not_hidden(course);
  std::ranges::sort(files);
  return files;
}

}  // namespace tilewise::grading
