#pragma once

#include <optional>
#include <string>

namespace tilewise::program {

/// How a program is checked. The options come from the environment (TILEWISE_TOOL and so on), so
/// that they also reach a program that is started by hand or by ctest.
struct Options {
  std::string tool;        ///< TILEWISE_TOOL: "memcheck", "racecheck", ...; empty: all
  int error_exitcode = 1;  ///< TILEWISE_ERROR_EXITCODE: exit code after a finding
  std::string output;      ///< TILEWISE_OUTPUT: file for the findings; empty: standard error
  std::string events;      ///< TILEWISE_EVENTS: file for `lab check`, a JSON document a line
  std::string gpu;         ///< TILEWISE_GPU: the GPU to simulate
  bool profile = false;    ///< TILEWISE_PROFILE=1: launches are counted
  bool api_errors = true;  ///< TILEWISE_API_ERRORS=0: calls that return an error are no findings
  bool survives = false;   ///< TILEWISE_DEVICE_SURVIVES=1: work goes on after a kernel's fault
  bool leaks = false;      ///< TILEWISE_LEAK_CHECK=1: memory not given back is a finding
  bool fast = false;       ///< TILEWISE_FAST=1: nothing is checked
};

Options options_from_environment();

/// Whether a finding of this kind belongs to a tool of compute-sanitizer: "memcheck", "racecheck",
/// "initcheck" or "synccheck".
bool belongs_to(const std::string& tool, const std::string& kind);

}  // namespace tilewise::program
