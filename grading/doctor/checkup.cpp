#include "grading/doctor/checkup.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include "common/base/files.hpp"
#include "common/base/language.hpp"
#include "common/gpu/gpu_profile.hpp"
#include "common/process/command.hpp"
#include "common/process/sandbox.hpp"
#include "grading/builder/layout.hpp"
#include "grading/builder/machine_code.hpp"
#include "grading/cli/backend_choice.hpp"
#include "grading/cli/submission.hpp"
#include "grading/examiner/process/failures.hpp"
#include "grading/results/printable.hpp"

namespace tilewise::grading {
namespace {

/// The packages that every grading needs; without the others of packages.txt the course runs, but
/// not all of it. The first three are the compiler's names on Debian, Fedora and Arch.
constexpr std::string_view demanded[] = {"g++", "gcc-c++", "gcc", "cmake", "ninja", "ninja-build"};

/// Asks the script `lab`, which can look for packages before anything is built.
std::string ask_lab(const std::vector<std::string>& words) {
  Command question;
  question.arguments = {"bash", layout().root / "lab"};
  question.arguments.insert(question.arguments.end(), words.begin(), words.end());
  // The script checks the compiler that graders use rather than any other.
  question.environment = {{"CXX", fmt::format("{}", fmt::join(cxx_compiler(), " "))}};
  constexpr double patience_s = 60;  // programs on a network drive start slowly
  question.time_limit_s = patience_s;
  const CommandResult answer = run_command(std::move(question));
  if (!answer.succeeded()) {
    throw std::runtime_error(fmt::format("{} {} {}\n{}", (layout().root / "lab").string(),
                                         fmt::join(words, " "), describe_ending(answer),
                                         answer.output));
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

/// A section with a line for each package of a list that no earlier section shows.
CheckupSection package_section(const std::string& title, const char* list, Checkup& checkup) {
  CheckupSection section{title, {}};
  std::istringstream lines(ask_lab({"__packages", list}));  // "name|state|version|remark"
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
    return {tr("Sandbox"),
            {{"bubblewrap", Health::fine, tr("works"), search.sandbox.bubblewrap.string()}}};
  }
  checkup.advice.push_back(tr(
      "Without a sandbox less is kept from submissions: docs/instructors.md. Your own kernels do "
      "not need one."));
  return {tr("Sandbox"), {{"bubblewrap", Health::lacking, tr("no"), printable(search.why_not)}}};
}

void choose(Checkup& checkup) {
  std::string why_not_cuda;
  try {
    const ChosenBackend chosen = choose_backend({.backend = "cuda"}, GpuUser::others);
    checkup.backend = tr("cuda: kernels run on {}, and are timed there.", printable(chosen.device));
    return;
  } catch (const CannotGrade& error) {
    why_not_cuda = error.what();
    if (why_not_cuda.ends_with('.')) why_not_cuda.pop_back();  // the message adds one
  }
  try {
    choose_backend({.backend = "simt"});
    checkup.backend =
        tr("simt, the simulator: kernels run on the processor, and their speed is modelled.\n"
           "Not cuda: {}.",
           printable(why_not_cuda));
  } catch (const CannotGrade& error) {
    checkup.backend =
        tr("none. Not simt: {}.\nNot cuda: {}.", printable(error.what()), printable(why_not_cuda));
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

/// Formats the sections in columns that are as wide as their longest entries.
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

std::string installation(const std::string& why, const std::vector<std::string>& packages) {
  if (packages.empty()) return "";
  const std::string said = ask_lab({"__installer"});
  return fmt::format("{}\n  {} {}\n", why, said.substr(0, said.find('\n')),
                     fmt::join(packages, " "));
}

}  // namespace

Checkup examine_machine() {
  Checkup checkup;
  checkup.sections.push_back(package_section(tr("Needed"), "packages.txt", checkup));
  checkup.sections.push_back(sandbox_section(checkup));
  checkup.sections.push_back(package_section(tr("Optional"), "packages_optional.txt", checkup));
  checkup.sections.push_back(
      package_section(tr("For ./lab test alone"), "packages_for_tests.txt", checkup));
  checkup.sections.push_back(gpu_section());
  choose(checkup);
  checkup.can_run = checkup.can_run && checkup.needed.empty();
  return checkup;
}

std::string to_text(const Checkup& checkup) {
  std::string text = table(checkup.sections);
  text += tr("Backend that will run: ") + checkup.backend + "\n";
  text += installation(tr("Needed, and missing or too old here (marked !):"), checkup.needed);
  text += installation(tr("Missing, and not needed to run the course (marked -):"), checkup.useful);
  for (const std::string& advice : checkup.advice) text += advice + "\n";
  text += checkup.can_run ? tr("The course runs here.\n")
                          : tr("The course does not run here yet: see what is marked !.\n");
  return text;
}

namespace {

std::string output_of(std::vector<std::string> arguments) {
  Command command;
  command.arguments = std::move(arguments);
  command.time_limit_s = 30;  // a driver that is not loaded yet takes seconds
  const CommandResult result = run_command(std::move(command));
  return result.succeeded() ? result.output : "";
}

void add_gpus(CheckupSection& section) {
  if (find_program("nvidia-smi").empty()) {
    section.lines.push_back(
        {"driver", Health::lacking, tr("missing"), tr("nvidia-smi is not found")});
    return;
  }
  std::istringstream gpus(
      output_of({"nvidia-smi", "--query-gpu=driver_version,index,name,compute_cap",
                 "--format=csv,noheader"}));
  bool any = false;
  for (std::string line; std::getline(gpus, line);) {
    std::istringstream cells(line);
    std::string driver, index, name, capability;
    std::getline(cells >> std::ws, driver, ',');
    std::getline(cells >> std::ws, index, ',');
    std::getline(cells >> std::ws, name, ',');
    if (!std::getline(cells >> std::ws, capability)) continue;
    if (!std::exchange(any, true)) {
      section.lines.push_back({"driver", Health::fine, printable(driver), ""});
    }
    section.lines.push_back({"GPU " + printable(index), Health::fine, printable(name),
                             tr("compute capability ") + printable(capability)});
  }
  if (!any) {
    section.lines.push_back(
        {"GPU", Health::lacking, tr("none"), tr("nvidia-smi finds none: run it to see why")});
  }
}

void add_toolkit(CheckupSection& section) {
  try {
    const std::string nvcc = find_program(cuda_compiler()).string();
    const std::string version = output_of({nvcc, "--version"});
    int major = 0, minor = 0;
    const std::size_t release = version.find("release ");
    if (release != version.npos) {
      std::sscanf(version.c_str() + release, "release %d.%d", &major, &minor);
    }
    const std::string number = major == 0 ? "" : fmt::format("{}.{}", major, minor);
    const bool fits = std::pair(major, minor) >= std::pair(11, 8);
    section.lines.push_back({"nvcc", fits ? Health::fine : Health::lacking,
                             number.empty() ? tr("does not tell its version") : number,
                             fits ? nvcc : nvcc + tr(": CUDA 11.8 or later is needed")});
  } catch (const std::runtime_error&) {
    section.lines.push_back({"nvcc", Health::lacking, tr("missing"),
                             tr("the CUDA Toolkit: developer.nvidia.com/cuda")});
  }
}

void add_tool(CheckupSection& section, const std::string& name,
              const std::optional<std::filesystem::path>& found, const std::string& reason) {
  if (found) {
    section.lines.push_back({name, Health::fine, tr("found"), found->string()});
  } else {
    section.lines.push_back({name, Health::lacking, tr("missing"), reason});
  }
}

}  // namespace

bool counts_for_users(std::string_view driver_parameters) {
  return driver_parameters.find("RmProfilingAdminOnly: 1") == driver_parameters.npos;
}

CheckupSection gpu_section() {
  CheckupSection section{tr("GPU (optional)"), {}};
  add_gpus(section);
  add_toolkit(section);
  add_tool(section, "compute-sanitizer", find_compute_sanitizer(),
           tr("tests of safety on a GPU; in the CUDA Toolkit"));
  add_tool(section, "nvdisasm", find_disassembler(), tr("SASS in `lab ptx`; in the CUDA Toolkit"));
  const auto nsight_compute = find_nsight_compute();
  add_tool(section, "ncu", nsight_compute, tr("GIPS in `lab bench`; Nsight Compute"));
  if (nsight_compute && !counts_for_users(core::text_of("/proc/driver/nvidia/params")) &&
      geteuid() != 0) {
    section.lines.back().health = Health::lacking;
    section.lines.back().remark =
        tr("may not read counters: developer.nvidia.com/ERR_NVGPUCTRPERM");
  }
  return section;
}

}  // namespace tilewise::grading
