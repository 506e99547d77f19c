#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>

#include "common/base/files.hpp"
#include "common/base/language.hpp"
#include "grading/doctor/checkup.hpp"
#include "grading/skeleton/skeleton.hpp"
#include "tools/app/arguments.hpp"
#include "tools/app/commands.hpp"

namespace tilewise::grading {

void add_doctor(CLI::App* command, ExitStatus& status) {
  command->callback([&status] {
    const Checkup checkup = examine_machine();
    fmt::print("{}", to_text(checkup));
    status = checkup.can_run ? ExitStatus::passed : ExitStatus::could_not_grade;
  });
}

namespace {

ExitStatus skeletons(bool check) {
  const auto root = core::project_root();
  const SkeletonReport report = check ? check_skeletons(root) : write_skeletons(root);
  for (const std::string& error : report.errors) fmt::print(stderr, "{}\n", error);
  for (const std::string& difference : report.differences) fmt::print("{}\n", difference);
  if (!report.errors.empty()) return ExitStatus::could_not_grade;
  if (check && !report.differences.empty()) {
    fmt::print("./lab skeletons writes them anew\n");
    return ExitStatus::failed;
  }
  return ExitStatus::passed;
}

}  // namespace

void add_skeletons(CLI::App* command, ExitStatus& status) {
  const auto check = std::make_shared<bool>(false);
  command->add_flag("--check", *check, tr("Write nothing, tell differences"));
  command->callback([check, &status] { status = skeletons(*check); });
}

namespace {

/// The script `lab` does this itself, because it must work where nothing is built.
void add_command_of_script(CLI::App* command, ExitStatus&) {
  command->callback([name = command->get_name()] {
    throw std::runtime_error(tr("the script does that: ./lab {}", name));
  });
}

std::string help_of(const CLI::App& command) {
  constexpr std::size_t name_width = 13;
  std::string text =
      fmt::format("  {:<{}}{}\n", command.get_name(), name_width - 2, command.get_description());
  const std::string footer = command.get_footer();
  const std::string before_example = example("");
  if (footer.starts_with(before_example)) {
    text += fmt::format("{:{}}{}\n", "", name_width, footer.substr(before_example.size()));
  }
  return text;
}

}  // namespace

std::string help_text(const CLI::App& app) {
  std::string text = app.get_description() + "\n\n" +
                     tr("Usage: ./lab COMMAND [OPTION...]\n"
                        "       ./lab         where you are, and what to do next\n") +
                     "\n";
  for (const CLI::App* command :
       app.get_subcommands([](const CLI::App* one) { return !one->get_group().empty(); })) {
    text += help_of(*command);
  }
  return text +
         tr("\n"
            "./lab COMMAND --help shows the options of a command.\n"
            "What is missing is installed (Debian and Ubuntu; asks first) and built on the first "
            "run.\n");
}

void add_help(CLI::App* command, ExitStatus& status) {
  command->callback([command, &status] {
    fmt::print("{}", help_text(*command->get_parent()));
    status = ExitStatus::passed;
  });
}

namespace {

constexpr OwnCommand commands[] = {{"list", add_list},
                                   {"status", add_status},
                                   {"worklog", add_worklog},
                                   {"watch", add_watch},
                                   {"grade", add_grade},
                                   {"hint", add_hint},
                                   {"mend", add_mend},
                                   {"next", add_next},
                                   {"reset", add_reset},
                                   {"skeletons", add_skeletons},
                                   {"completion", add_completion},
                                   {"doctor", add_doctor},
                                   {"update", add_command_of_script},
                                   {"test", add_command_of_script},
                                   {"help", add_help}};

}  // namespace

std::span<const OwnCommand> own_commands() { return commands; }

}  // namespace tilewise::grading
