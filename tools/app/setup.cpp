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

void add_doctor(CLI::App& app, ExitStatus& status) {
  app.add_subcommand("doctor", tr("Say what is installed, which backend will run, what to install"))
      ->callback([&status] {
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

void add_skeletons(CLI::App& app, ExitStatus& status) {
  CLI::App* command = app.add_subcommand(
      "skeletons", tr("For maintainers: write labs/ from what is marked in solutions/"));
  const auto check = std::make_shared<bool>(false);
  command->add_flag("--check", *check, tr("Write nothing, tell differences"));
  command->callback([check, &status] { status = skeletons(*check); });
}

namespace {

/// What the script `lab` does itself, because it must work where nothing is built.
void add_command_of_script(CLI::App& app, const std::string& name, const std::string& description) {
  app.add_subcommand(name, description)->callback([name] {
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

void add_help(CLI::App& app, ExitStatus& status) {
  add_command_of_script(app, "update", tr("Bring a newer course; your kernels are kept"));
  add_command_of_script(app, "test",
                        tr("Test Tilewise itself: units, every solution and skeleton"));
  app.add_subcommand("help", tr("Show this"))->callback([&app, &status] {
    fmt::print("{}", help_text(app));
    status = ExitStatus::passed;
  });
}

}  // namespace tilewise::grading
