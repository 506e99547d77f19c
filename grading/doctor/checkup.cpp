#include "grading/doctor/checkup.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include "common/gpu/gpu_profile.hpp"
#include "common/process/command.hpp"
#include "common/process/sandbox.hpp"
#include "grading/builder/layout.hpp"
#include "grading/cli/backend_choice.hpp"
#include "grading/cli/stage_choice.hpp"
#include "grading/report/printable.hpp"

namespace tilewise::grading {
namespace {

/// Packages that every grading needs; the course runs without the others of packages.txt, though
/// not all of it.
constexpr std::string_view demanded[] = {"g++", "cmake", "ninja-build"};

/// Asks the script `lab`, which looks for packages before anything is built.
/// @return its lines "name|state|version|remark" for the packages of a list
std::string examine_packages(const char* list) {
  Command question;
  question.arguments = {"bash", layout().root / "lab", "__packages", list};
  // The compiler that graders use, where the script would take any.
  question.environment = {{"CXX", fmt::format("{}", fmt::join(cxx_compiler(), " "))}};
  constexpr double patience_s = 60;  // programs of a network drive take their time
  question.time_limit_s = patience_s;
  const CommandResult answer = run_command(std::move(question));
  if (!answer.succeeded()) {
    throw std::runtime_error(fmt::format("{}, asked for the packages of {}, {}\n{}",
                                         (layout().root / "lab").string(), list,
                                         describe_ending(answer), answer.output));
  }
  return answer.output;
}

CheckupLine look_at(const std::string& answer) {
  std::istringstream cells(answer);
  CheckupLine line;
  std::string state, found, remark;
  std::getline(cells, line.name, '|');
  std::getline(cells, state, '|');
  std::getline(cells, found, '|');
  std::getline(cells, remark);
  line.found = printable(found);
  line.remark = printable(remark);
  if (state != "fine") {
    const bool is_demanded = std::ranges::find(demanded, line.name) != std::end(demanded);
    line.health = is_demanded ? Health::ill : Health::lacking;
  }
  return line;
}

bool is_listed(const Checkup& checkup, const std::string& name) {
  return std::ranges::any_of(checkup.sections, [&](const CheckupSection& section) {
    return std::ranges::find(section.lines, name, &CheckupLine::name) != section.lines.end();
  });
}

/// A section with a line for each package of a list that no section before has.
CheckupSection package_section(const std::string& title, const char* list, Checkup& checkup) {
  CheckupSection section{title, {}};
  std::istringstream lines(examine_packages(list));
  for (std::string answer; std::getline(lines, answer);) {
    CheckupLine line = look_at(answer);
    if (is_listed(checkup, line.name)) continue;
    if (line.health == Health::ill) checkup.needed.push_back(line.name);
    if (line.health == Health::lacking) checkup.useful.push_back(line.name);
    section.lines.push_back(std::move(line));
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
  std::string why_not_cuda;
  try {
    const ChosenBackend chosen = choose_backend({.backend = "cuda"}, GpuUser::others);
    checkup.backend =
        fmt::format("cuda: kernels run on {}, and are timed there.", printable(chosen.device));
    return;
  } catch (const CannotGrade& error) {
    why_not_cuda = error.what();
    if (why_not_cuda.ends_with('.')) why_not_cuda.pop_back();  // one follows
  }
  try {
    choose_backend({.backend = "simt"});
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

const char* mark(Health health) {
  switch (health) {
    case Health::fine:
      return " ";
    case Health::lacking:
      return "-";
    case Health::ill:
      return "!";
  }
  return "";
}

/// Columns as wide as what is in them.
std::string table(const std::vector<CheckupSection>& sections) {
  std::size_t name = 0, found = 0;
  for (const CheckupSection& section : sections) {
    for (const CheckupLine& line : section.lines) {
      name = std::max(name, line.name.size());
      found = std::max(found, line.found.size());
    }
  }
  std::string text;
  for (const CheckupSection& section : sections) {
    text += section.title + "\n";
    for (const CheckupLine& line : section.lines) {
      std::string row = fmt::format("{} {:<{}}  {:<{}}  {}", mark(line.health), line.name, name,
                                    line.found, found, line.remark);
      row.erase(row.find_last_not_of(' ') + 1);
      text += row + "\n";
    }
    text += "\n";
  }
  return text;
}

std::string installation(const char* why, const std::vector<std::string>& packages) {
  if (packages.empty()) return "";
  return fmt::format("{}\n  sudo apt-get install {}\n", why, fmt::join(packages, " "));
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

std::string to_text(const Checkup& checkup) {
  std::string text = table(checkup.sections);
  text += "Backend that will run: " + checkup.backend + "\n";
  text += installation("Needed, and missing or too old here (marked !):", checkup.needed);
  text += installation("Missing, and not needed to run the course (marked -):", checkup.useful);
  for (const std::string& advice : checkup.advice) text += advice + "\n";
  text += checkup.can_run ? "The course runs here.\n"
                          : "The course does not run here yet: see what is marked !.\n";
  return text;
}

}  // namespace tilewise::grading
