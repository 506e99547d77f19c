/// \file
/// The command line of Tilewise and of each of its programs; without arguments it shows where a
/// learner is. Exit status: 0 if all passed; 1 if a test failed, or there is no profile because of
/// the submission; 2 if it could not grade, profile or work out the occupancy; 3 if some
/// submissions of a class could not be graded.
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <exception>
#include <iostream>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/base/catalogue.hpp"
#include "common/base/files.hpp"
#include "common/base/language.hpp"
#include "common/process/command.hpp"
#include "grading/builder/built_parts.hpp"
#include "grading/builder/layout.hpp"
#include "grading/course/stages.hpp"
#include "grading/guide/guide.hpp"
#include "grading/progress/progress.hpp"
#include "grading/results/printable.hpp"
#include "tools/app/arguments.hpp"
#include "tools/app/commands.hpp"

namespace tilewise::grading {
namespace {

/// Commands whose output is read by shells, scripts and teachers: it is English, except for their
/// help.
constexpr std::string_view read_by_others[] = {"__complete", "autograder", "cohort", "skeletons"};

const OwnCommand* own_command(std::string_view name) {
  const auto found = std::ranges::find_if(
      own_commands(), [&](const OwnCommand& command) { return command.name == name; });
  return found == own_commands().end() ? nullptr : &*found;
}

/// The program that has a command which this one does not have; nullptr if there is none.
const char* other_program(std::string_view name) {
  if (own_command(name) != nullptr) return nullptr;
  const auto found = std::ranges::find_if(
      listed_commands(), [&](const ListedCommand& command) { return command.name == name; });
  return found == listed_commands().end() ? nullptr : found->program;
}

/// Replaces this process by another program of Tilewise. Returns if that is not built.
void become(const std::string& program, char** argv) { ::execv(tool(program).c_str(), argv); }

/// @throws std::runtime_error if the program is not built and cannot be
[[noreturn]] void go_on_as(const std::string& program, char** argv) {
  have_built({program});
  become(program, argv);
  throw std::runtime_error(tr("{} is not built: ./lab builds it, and cmake --build {} --target {}",
                              tool(program).string(), layout().build.string(), program));
}

void add_commands(CLI::App& app, ExitStatus& status) {
  for (const auto& [name, program, about, shown] : listed_commands()) {
    CLI::App* command = app.add_subcommand(name, core::in_language(about));
    if (*shown != '\0') command->footer(example(shown));
    if (const OwnCommand* own = own_command(name)) own->add(command, status);
  }
}

ExitStatus run(int argc, char** argv) {
  std::vector<std::string> words(argv + 1, argv + argc);
  const std::string first = words.empty() ? "" : words.front();
  const bool is_for_people = words.empty() || std::ranges::find(words, "--help") != words.end() ||
                             std::ranges::find(words, "-h") != words.end() ||
                             std::ranges::find(read_by_others, first) == std::end(read_by_others);
  if (is_for_people) core::speak_as_the_user_wants();
  const bool asked_by_a_shell = first == "__complete";
  if (const char* program = other_program(first)) go_on_as(program, argv);
  if (asked_by_a_shell && words.size() > 2) {
    // A shell that asks does not wait for a build; if the program is not built, it offers nothing.
    if (const char* program = other_program(words[1])) become(program, argv);
  }
  CLI::App app(tr("Tilewise: a lab course on CUDA matrix kernels, tile by tile."), "lab");
  speak_in_help(app);
  if (words.empty()) {
    const auto root = core::project_root();
    fmt::print("{}", overview(root, stages(), read_progress(root)));
    return ExitStatus::passed;
  }
  app.set_version_flag("--version", "Tilewise " TILEWISE_VERSION, tr("Show the version and exit"));
  app.require_subcommand(1);
  app.failure_message(refusal_in_words);
  ExitStatus status = ExitStatus::could_not_grade;
  add_commands(app, status);
  if (asked_by_a_shell) {
    fmt::print("{}", completions(app, {argv + 2, argv + argc}));
    return ExitStatus::passed;
  }
  const OwnCommand* command = own_command(first);
  if (!first.starts_with('-') && command == nullptr) {
    fmt::print(stderr, "tilewise: {}\n",
               tr("there is no command '{}'; ./lab help lists them", printable(first)));
    return ExitStatus::could_not_grade;
  }
  interrupt_on_signals();
  if (command != nullptr && command->arrange != nullptr) {
    words = command->arrange(app.get_subcommand(first), std::move(words));
  }
  std::ranges::reverse(words);  // CLI11 takes them in reverse order
  try {
    app.parse(std::move(words));  // this also runs the command
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? ExitStatus::passed : ExitStatus::could_not_grade;
  }
  return status;
}

}  // namespace
}  // namespace tilewise::grading

int main(int argc, char** argv) {
  using tilewise::grading::ExitStatus;
  try {
    return static_cast<int>(tilewise::grading::run(argc, argv));
  } catch (const std::exception& error) {
    const std::string what = tilewise::grading::printable(error.what());
    std::cout.flush();
    fmt::print(stderr, "tilewise: {}\n", what);
    return static_cast<int>(ExitStatus::could_not_grade);
  }
}
