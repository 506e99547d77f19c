#include "grading/doctor/checkup.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

#include "common/gpu/gpu_profile.hpp"
#include "common/process/command.hpp"
#include "common/process/sandbox.hpp"
#include "grading/builder/layout.hpp"
#include "grading/builder/programs.hpp"
#include "grading/cli/backend_choice.hpp"
#include "grading/cli/stage_choice.hpp"
#include "grading/doctor/gpu_section.hpp"
#include "grading/doctor/package_list.hpp"
#include "grading/doctor/version.hpp"
#include "grading/report/printable.hpp"

namespace tilewise::grading {
namespace {

/// What a command that stands for a package must be, for the course to run.
struct Demand {
  std::string_view command;
  std::string_view least;  ///< version; empty: any
};
constexpr Demand demands[] = {{"cmake", "3.25"}, {"ninja", ""}, {"c++", ""}};

constexpr std::string_view least_gcc = "12", least_clang = "14";

/// A program that is there, and what it says of itself.
struct Program {
  std::filesystem::path file;
  std::string version;
  std::string words;
};

std::optional<Program> ask(std::vector<std::string> command) {
  const std::filesystem::path file = find_program(command.front());
  if (file.empty()) return std::nullopt;
  Command question;
  question.arguments = std::move(command);
  question.arguments.push_back("--version");
  question.time_limit_s = 10;
  const CommandResult answer = run_command(std::move(question));
  if (!answer.succeeded()) return Program{file, "", ""};
  return Program{file, version_in(answer.output), answer.output};
}

/// What a version is below of; empty where it will do.
std::string_view shortfall(std::string_view command, const Program& program) {
  if (command == "c++") {
    const bool clang = program.words.find("clang") != program.words.npos;
    const std::string_view least = clang ? least_clang : least_gcc;
    return parts_of(program.version) < parts_of(least) ? least : "";
  }
  for (const Demand& demand : demands) {
    if (demand.command == command && parts_of(program.version) < parts_of(demand.least)) {
      return demand.least;
    }
  }
  return "";
}

bool is_demanded(std::string_view command) {
  return std::ranges::find(demands, command, &Demand::command) != std::end(demands);
}

CheckupLine look_at(const Package& package, const std::map<std::string, std::string>& installed) {
  const Health without = is_demanded(package.stand_in) ? Health::ill : Health::lacking;
  if (!package.stand_in.empty()) {
    const auto program = ask(
        package.stand_in == "c++" ? cxx_compiler() : std::vector<std::string>{package.stand_in});
    if (program) {
      const std::string version = program->version.empty() ? "found" : printable(program->version);
      const std::string_view least = shortfall(package.stand_in, *program);
      if (least.empty()) return {package.name, Health::fine, version, program->file.string()};
      return {package.name, without, version,
              fmt::format("{} is too old: {} or later is needed", program->file.string(), least)};
    }
  }
  const auto version = installed.find(package.name);
  if (version != installed.end() && package.stand_in.empty()) {
    return {package.name, Health::fine, printable(version->second), ""};
  }
  return {package.name, without, "missing", package.reason};
}

bool is_listed(const Checkup& checkup, const std::string& name) {
  return std::ranges::any_of(checkup.sections, [&](const CheckupSection& section) {
    return std::ranges::find(section.lines, name, &CheckupLine::name) != section.lines.end();
  });
}

/// A section with a line for each package of a list. Libraries are left out where nobody can tell
/// whether they are there: what was built has found them.
CheckupSection package_section(const std::string& title, const char* list, Checkup& checkup) {
  const std::vector<Package> packages = read_packages(layout().root / list);
  const auto installed = installed_versions(packages);
  const bool knows_packages = !find_program("dpkg-query").empty();
  CheckupSection section{title, {}};
  for (const Package& package : packages) {
    if (package.stand_in.empty() && !knows_packages) continue;
    if (is_listed(checkup, package.name)) continue;
    const CheckupLine& line = section.lines.emplace_back(look_at(package, installed));
    if (line.health == Health::ill) checkup.needed.push_back(package.name);
    if (line.health == Health::lacking) checkup.useful.push_back(package.name);
  }
  return section;
}

CheckupSection sandbox_section(Checkup& checkup) {
  const SandboxSearch search = find_sandbox();
  if (search.sandbox) {
    return {"Sandbox", {{"bubblewrap", Health::fine, "works", search.sandbox.bubblewrap.string()}}};
  }
  checkup.advice.push_back(
      "Without a sandbox less is kept from submissions: docs/instructors.md. Your own kernels do "
      "not need one.");
  return {"Sandbox", {{"bubblewrap", Health::lacking, "no", printable(search.why_not)}}};
}

void choose(Checkup& checkup) {
  const char* const gpu = core::default_gpu;
  std::string why_not_cuda;
  try {
    const ChosenBackend chosen = choose_backend("cuda", gpu, "auto", GpuUser::others);
    checkup.backend =
        fmt::format("cuda: kernels run on {}, and are timed there.", printable(chosen.device));
    return;
  } catch (const CannotGrade& error) {
    why_not_cuda = error.what();
    if (why_not_cuda.ends_with('.')) why_not_cuda.pop_back();  // one follows
  }
  try {
    choose_backend("simt", gpu, "auto");
    checkup.backend = fmt::format(
        "simt, the simulator: kernels run on the processor, and their speed is modelled.\n"
        "Not cuda: {}.",
        printable(why_not_cuda));
  } catch (const CannotGrade& error) {
    checkup.backend = fmt::format("none. Not simt: {}.\nNot cuda: {}.", printable(error.what()),
                                  printable(why_not_cuda));
    checkup.can_run = false;
  }
}

}  // namespace

Checkup examine_machine() {
  Checkup checkup;
  checkup.sections.push_back(package_section("Needed", "packages.txt", checkup));
  checkup.sections.push_back(sandbox_section(checkup));
  checkup.sections.push_back(package_section("Optional", "packages_optional.txt", checkup));
  checkup.sections.push_back(
      package_section("For ./lab test alone", "packages_for_tests.txt", checkup));
  checkup.sections.push_back(gpu_section());
  choose(checkup);
  checkup.can_run = checkup.can_run && checkup.needed.empty();
  return checkup;
}

}  // namespace tilewise::grading
