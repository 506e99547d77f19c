#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tilewise::grading {

enum class Health {
  fine,
  lacking,  ///< something could be better, but the course runs
  ill,      ///< the course does not run
};

/// What was found out about one program, package or device.
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

/// What is installed, which backend will run, and what to do.
struct Checkup {
  std::vector<CheckupSection> sections;
  std::string backend;              ///< the one that will run and why, in sentences
  std::vector<std::string> needed;  ///< packages that must be installed before the course runs
  std::vector<std::string> useful;  ///< missing packages that the course runs without
  std::vector<std::string> advice;  ///< what else to do, in sentences

  bool can_run = true;
};

/// Looks for GPUs, their driver and the tools of the CUDA Toolkit.
CheckupSection gpu_section();

/// Whether the driver lets ordinary users read performance counters (ncu), according to the text of
/// /proc/driver/nvidia/params; true if the text does not say.
bool counts_for_users(std::string_view driver_parameters);

/// Examines this machine. This takes a second or two if there is a GPU.
Checkup examine_machine();

/// Formats a checkup for a terminal.
std::string to_text(const Checkup& checkup);

}  // namespace tilewise::grading
