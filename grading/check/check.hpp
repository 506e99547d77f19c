#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "grading/check/compiler_words.hpp"

namespace tilewise::grading {

/// A card of today, so that programs of today find what they ask for.
inline constexpr const char* usual_gpu_of_programs = "h200";

/// `lab check` as asked for on the command line.
struct CheckOptions {
  CompilerWords words;
  std::string tool;              ///< "memcheck", "racecheck", ...; empty: all
  int error_exitcode = 1;        ///< where something was found
  std::filesystem::path output;  ///< that findings go to; empty: standard error
  std::filesystem::path json;    ///< empty: none
  /// Calls that return an error are findings ("explicit"), or not ("no").
  std::string report_api_errors = "explicit";
  /// What a kernel's fault ends: all further work ("context"), or itself alone ("kernel").
  std::string destroy_on_device_error = "context";
  /// Device memory that is not given back is a finding ("full"), or not ("no").
  std::string leak_check = "no";
  std::string gpu = usual_gpu_of_programs;  ///< that the simulator takes on
  bool fast = false;                        ///< nothing is watched
  bool profile = false;                     ///< launches are counted
  double time_limit_s = 0;                  ///< 0: none
};

/// Compiles a whole CUDA program for the simulator and runs it, unless it is only to be compiled.
/// The program has this process's standard input and output, its terminal and its working folder.
/// @return the exit status: the program's own, or `error_exitcode` where something was found; 1
/// where it does not compile
/// @throws CannotGrade, std::runtime_error, Interrupted
int check(const CheckOptions& options);

}  // namespace tilewise::grading
