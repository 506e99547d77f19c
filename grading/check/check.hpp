#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "grading/check/compiler_words.hpp"

namespace tilewise::grading {

/// A current card, so that current programs find the features that they ask for.
inline constexpr const char* usual_gpu_of_programs = "h200";

/// The options of `lab check`.
struct CheckOptions {
  CompilerWords words;
  std::string tool;              ///< "memcheck", "racecheck", ...; empty: all
  int error_exitcode = 1;        ///< exit status if something was found
  std::filesystem::path output;  ///< file for findings; empty: standard error
  std::filesystem::path json;    ///< file for the JSON report; empty: none
  /// Whether calls that return an error are findings ("explicit") or not ("no").
  std::string report_api_errors = "explicit";
  /// Whether a kernel's fault ends all further work ("context") or only the kernel itself
  /// ("kernel").
  std::string destroy_on_device_error = "context";
  /// Whether device memory that is not freed is a finding ("full") or not ("no").
  std::string leak_check = "no";
  std::string gpu = usual_gpu_of_programs;  ///< the GPU to simulate
  bool fast = false;                        ///< runs without checks
  bool profile = false;                     ///< counts what launches do
  double time_limit_s = 0;                  ///< 0: no limit
};

/// Compiles a whole CUDA program for the simulator and runs it, unless it is only to be compiled.
/// The program gets this process's standard input and output, terminal and working folder.
/// @return the exit status: the program's own, or `error_exitcode` if something was found, or 1 if
/// it does not compile
/// @throws CannotGrade, std::runtime_error, Interrupted
int check(const CheckOptions& options);

}  // namespace tilewise::grading
