#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tilewise::grading {

enum class Health {
  fine,
  lacking,  ///< something is less than it could be; the course runs
  ill,      ///< the course does not run
};

/// What was found of one thing.
struct CheckupLine {
  std::string name;  ///< "cmake"
  Health health = Health::fine;
  std::string found;   ///< "3.25.1"; "missing"
  std::string remark;  ///< what it is for, or where it lies
};

struct CheckupSection {
  std::string title;
  std::vector<CheckupLine> lines;
};

/// What is installed, what will run, and what to do.
struct Checkup {
  std::vector<CheckupSection> sections;
  std::string backend;              ///< which will run and why, in sentences
  std::vector<std::string> needed;  ///< packages to install, so that the course runs
  std::vector<std::string> useful;  ///< packages that would add something
  std::vector<std::string> advice;  ///< what else to do

  bool can_run = true;
};

/// GPUs, their driver and the tools of the CUDA Toolkit.
CheckupSection gpu_section();

/// Whether the driver lets users count what kernels do (ncu), as it says in
/// /proc/driver/nvidia/params; empty: it does not say.
bool counts_for_users(std::string_view driver_parameters);

/// Looks at this machine. Takes a second or two where there is a GPU.
Checkup examine_machine();

/// As a page for a terminal.
std::string to_text(const Checkup& checkup);

}  // namespace tilewise::grading
