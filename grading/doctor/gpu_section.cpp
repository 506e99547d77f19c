#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <iterator>
#include <sstream>
#include <stdexcept>
#include <utility>

#include "common/process/command.hpp"
#include "grading/builder/layout.hpp"
#include "grading/cli/bench_instructions.hpp"
#include "grading/doctor/checkup.hpp"
#include "grading/examiner/process/sanitizer.hpp"
#include "grading/report/printable.hpp"

namespace tilewise::grading {
namespace {

std::string output_of(std::vector<std::string> arguments) {
  Command command;
  command.arguments = std::move(arguments);
  command.time_limit_s = 30;  // a driver that must start first takes seconds
  const CommandResult result = run_command(std::move(command));
  return result.succeeded() ? result.output : "";
}

void add_gpus(CheckupSection& section) {
  if (find_program("nvidia-smi").empty()) {
    section.lines.push_back({"driver", Health::lacking, "missing", "nvidia-smi is not found"});
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
                             "compute capability " + printable(capability)});
  }
  if (!any) {
    section.lines.push_back(
        {"GPU", Health::lacking, "none", "nvidia-smi finds none: run it to see why"});
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
                             number.empty() ? "does not tell its version" : number,
                             fits ? nvcc : nvcc + ": CUDA 11.8 or later is needed"});
  } catch (const std::runtime_error&) {
    section.lines.push_back(
        {"nvcc", Health::lacking, "missing", "the CUDA Toolkit: developer.nvidia.com/cuda"});
  }
}

void add_tool(CheckupSection& section, const std::string& name,
              const std::optional<std::filesystem::path>& found, const std::string& reason) {
  if (found) {
    section.lines.push_back({name, Health::fine, "found", found->string()});
  } else {
    section.lines.push_back({name, Health::lacking, "missing", reason});
  }
}

std::string driver_parameters() {
  std::ifstream file("/proc/driver/nvidia/params");
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

bool counts_for_users(std::string_view driver_parameters) {
  return driver_parameters.find("RmProfilingAdminOnly: 1") == driver_parameters.npos;
}

CheckupSection gpu_section() {
  CheckupSection section{"GPU (optional)", {}};
  add_gpus(section);
  add_toolkit(section);
  add_tool(section, "compute-sanitizer", find_compute_sanitizer(),
           "tests of safety on a GPU; in the CUDA Toolkit");
  const auto nsight_compute = find_nsight_compute();
  add_tool(section, "ncu", nsight_compute, "GIPS in `lab bench`; Nsight Compute");
  if (nsight_compute && !counts_for_users(driver_parameters()) && geteuid() != 0) {
    section.lines.back().health = Health::lacking;
    section.lines.back().remark = "may not read counters: developer.nvidia.com/ERR_NVGPUCTRPERM";
  }
  return section;
}

}  // namespace tilewise::grading
