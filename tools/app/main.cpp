/// \file
/// The command line of Tilewise; without arguments it says where a learner is. Exit status: 0 all
/// passed, 1 a test failed or there is no profile because of the submission, 2 could not grade,
/// profile or work out the occupancy, 3 of a class that was graded some could not be.
#include <fmt/format.h>

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
#include "grading/course/stages.hpp"
#include "grading/guide/guide.hpp"
#include "grading/progress/progress.hpp"
#include "grading/results/printable.hpp"
#include "tools/app/arguments.hpp"
#include "tools/app/commands.hpp"

namespace tilewise::grading {
namespace {

/// In the order in which --help lists them.
constexpr void (*commands[])(CLI::App&, ExitStatus&) = {
    add_list,      add_status, add_worklog,    add_watch,   add_grade,     add_hint,
    add_mend,      add_next,   add_reset,      add_predict, add_trace,     add_debug,
    add_coverage,  add_bench,  add_report,     add_profile, add_check,     add_ptx,
    add_occupancy, add_cohort, add_autograder, add_pack,    add_skeletons, add_completion,
    add_doctor,    add_help,
};

/// What these write is read by shells, scripts and whoever teaches a class: it is English, but for
/// their help.
constexpr std::string_view read_by_others[] = {"__complete", "autograder", "cohort", "skeletons"};

ExitStatus run(int argc, char** argv) {
  const std::vector<std::string_view> words(argv + 1, argv + argc);
  const bool is_for_people =
      words.empty() || std::ranges::find(words, "--help") != words.end() ||
      std::ranges::find(words, "-h") != words.end() ||
      std::ranges::find(read_by_others, words.front()) == std::end(read_by_others);
  if (is_for_people) core::speak_as_the_user_wants();
  CLI::App app(tr("Tilewise: a lab course on CUDA matrix kernels, tile by tile."), "lab");
  speak_in_help(app);
  if (argc == 1) {
    const auto root = core::project_root();
    fmt::print("{}", overview(root, stages(), read_progress(root)));
    return ExitStatus::passed;
  }
  app.set_version_flag("--version", "Tilewise " TILEWISE_VERSION, tr("Show the version and exit"));
  app.require_subcommand(1);
  app.failure_message(refusal_in_words);
  ExitStatus status = ExitStatus::could_not_grade;
  for (const auto add : commands) add(app, status);
  const auto known = app.get_subcommands([](const CLI::App*) { return true; });
  const bool names_one = std::ranges::any_of(
      known, [&](const CLI::App* command) { return argc > 1 && command->check_name(argv[1]); });
  if (argc > 1 && argv[1] == std::string_view("__complete")) {  // asked by a shell
    fmt::print("{}", completions(app, {argv + 2, argv + argc}));
    return ExitStatus::passed;
  }
  if (argc > 1 && argv[1][0] != '-' && !names_one) {
    fmt::print(stderr, "tilewise: {}\n",
               tr("there is no command '{}'; ./lab help lists them", printable(argv[1])));
    return ExitStatus::could_not_grade;
  }
  interrupt_on_signals();
  try {
    std::vector<std::string> words = with_program_apart(app, {argv + 1, argv + argc});
    std::ranges::reverse(words);  // as CLI11 wants them
    app.parse(std::move(words));  // and runs the command
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
