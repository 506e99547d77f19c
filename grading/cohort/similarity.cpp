#include <fmt/format.h>

#include <iostream>
#include <string>
#include <system_error>
#include <vector>

#include "common/process/command.hpp"
#include "common/process/sandbox.hpp"
#include "grading/builder/layout.hpp"
#include "grading/cohort/cohort.hpp"
#include "grading/cohort/intake.hpp"
#include "grading/cohort/ledger.hpp"
#include "grading/results/files.hpp"
#include "grading/results/printable.hpp"

namespace tilewise::grading {
namespace {

namespace fs = std::filesystem;

constexpr const char* how_to_get_one =
    "neither jplag nor dolos is installed. JPlag needs Java 21: get its jar from "
    "https://github.com/jplag/JPlag/releases, and put a script jplag that runs `java -jar "
    "PATH/jplag.jar \"$@\"` where the shell finds it. Dolos needs Node.js: npm install --global "
    "@dodona/dolos";

bool is_installed(const std::string& program) {
  Command command;
  command.arguments = {program, "--version"};
  return run_command(command).ending != CommandResult::Ending::not_started;
}

void run(std::vector<std::string> arguments) {
  const std::string program = arguments.front();
  Command command;
  command.arguments = std::move(arguments);
  const CommandResult result = run_command(command);
  std::cout << printable(result.output) << std::flush;
  if (!result.succeeded())
    throw CannotGrade(fmt::format("{} {}", program, describe_ending(result)));
}

/// Copies the files of the graded stages as one more submission, without the other files beside
/// them.
void copy_sources(const fs::path& from, const fs::path& to,
                  const std::vector<std::string>& stages) {
  for (const std::string& id : stages) {
    for (const std::string& source : stage_called(id).sources) {
      fs::create_directories(to / id);
      fs::copy_file(from / id / source, to / id / source);
    }
  }
}

/// Compares all submissions at once, with the solutions among those that are compared with.
void run_jplag(const fs::path& graded, const std::vector<std::string>& stages) {
  const ScratchDirectory scratch;
  const fs::path skeletons = scratch.path() / "skeletons", known = scratch.path() / "known";
  copy_sources(layout().root / "labs", skeletons, stages);
  copy_sources(layout().root / "solutions", known / "tilewise-solutions", stages);
  run({"jplag", "--language", "cpp", "--suffixes", ".cu", "--base-code", skeletons, "--old", known,
       "--mode", "RUN", "--overwrite", "--result-file", graded / "similarity",
       graded / "submissions"});
  std::cout << fmt::format("{}/similarity.*: `jplag --mode VIEW` shows it\n",
                           printable(graded.string()));
}

/// Makes a comparison for each file, because Dolos can ignore only what one other file has.
void run_dolos(const fs::path& graded, const std::vector<std::string>& stages) {
  for (const std::string& id : stages) {
    for (const std::string& source : stage_called(id).sources) {
      const fs::path place = fs::path(id) / source;
      std::vector<std::string> arguments = {"dolos",
                                            "run",
                                            "--language",
                                            "cpp",
                                            "--output-format",
                                            "csv",
                                            "--ignore",
                                            layout().root / "labs" / place,
                                            "--output-destination",
                                            graded / "similarity" / fs::path(source).stem(),
                                            layout().root / "solutions" / place};
      for (const auto& submission : fs::directory_iterator(graded / "submissions")) {
        std::error_code error;
        const fs::path file = submission.path() / "labs" / place;
        if (fs::exists(file, error)) arguments.push_back(file);
      }
      fs::create_directories(graded / "similarity");
      run(std::move(arguments));
    }
  }
  std::cout << fmt::format("{}/similarity: pairs.csv of each file says how alike they are\n",
                           printable(graded.string()));
}

}  // namespace

void show_similarity(const fs::path& graded) {
  const auto settings = find_settings(graded);
  if (!settings) {
    throw CannotGrade(fmt::format("{} is no folder that lab cohort grade wrote: name its --out",
                                  printable(graded.string())));
  }
  if (is_installed("jplag")) return run_jplag(graded, settings->stages);
  if (is_installed("dolos")) return run_dolos(graded, settings->stages);
  throw CannotGrade(how_to_get_one);
}

}  // namespace tilewise::grading
