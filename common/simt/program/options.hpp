#pragma once

#include <optional>
#include <string>

namespace tilewise::program {

/// How a program is checked. It comes from the environment, so that a program that is started by
/// hand, or by ctest, can be told, too: TILEWISE_TOOL and so on.
struct Options {
  std::string tool;        ///< TILEWISE_TOOL: "memcheck", "racecheck", ...; empty: all
  int error_exitcode = 1;  ///< TILEWISE_ERROR_EXITCODE: where something was found
  std::string output;      ///< TILEWISE_OUTPUT: file that findings go to; empty: standard error
  std::string events;      ///< TILEWISE_EVENTS: file for `lab check`, a JSON document a line
  std::string gpu;         ///< TILEWISE_GPU: that the simulator takes on
  bool profile = false;    ///< TILEWISE_PROFILE=1: launches are counted
  bool api_errors = true;  ///< TILEWISE_API_ERRORS=0: calls that return an error are no findings
  bool survives = false;   ///< TILEWISE_DEVICE_SURVIVES=1: work goes on after a kernel's fault
  bool leaks = false;      ///< TILEWISE_LEAK_CHECK=1: what is not given back is a finding
  bool fast = false;       ///< TILEWISE_FAST=1: nothing is watched
};

Options options_from_environment();

/// Whether a finding of that kind belongs to a tool of compute-sanitizer's: "memcheck",
/// "racecheck", "initcheck" or "synccheck".
bool belongs_to(const std::string& tool, const std::string& kind);

}  // namespace tilewise::program
