#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "grading/builder/host_lines.hpp"
#include "grading/builder/unseen_calls.hpp"

namespace tilewise::grading {

/// An object file of a submission, and the source that it was compiled from.
struct CompiledSource {
  std::filesystem::path object;
  std::string name;  ///< the name of the source in messages
  std::string text;
  std::vector<UnseenCall> unseen_calls = {};  ///< those that the compiler's dumps show
  HostLines host_lines = {};
};

/// The verdict on the objects of a submission.
struct ObjectVerdict {
  std::string problems;  ///< "file:line: error: what", one a line; empty if there are none
  /// For each object, the sections of functions that need only what a GPU has. Every function that
  /// runs in a kernel must be among them.
  std::vector<std::vector<std::string>> device_sections;
  /// Host functions that kernels refer to on lines where nvcc accepts that, because no GPU gets
  /// there. Calls of them must check at run time on which side they are made.
  std::vector<std::string> host_functions;
};

/// Judges objects for the simulator, which must be compiled with a section for every function and
/// variable. It refuses definitions of names that `library` has, code that runs before or beside
/// the program, kernels that reach a function that no GPU has, and kernels with calls that load or
/// store unseen. A kernel reaches what the code of its launch refers to, by calls, by pointers in
/// tables or by those of virtual functions. References that nvcc accepts (host_lines.hpp) are
/// accepted where calls can be checked at run time, which is on x86-64.
/// @throws std::runtime_error if a file cannot be read
ObjectVerdict judge_simulator_objects(const std::vector<CompiledSource>& sources,
                                      const std::filesystem::path& library);

/// Judges host objects for a GPU. It refuses functions with which the CPU could compute, or launch
/// kernels, uncounted, and the definitions named above.
/// @return the problems
std::string judge_cuda_objects(const std::vector<CompiledSource>& sources);

/// The section that holds the device functions of a module (runtime/indirect_calls.cpp).
inline constexpr const char* device_code_section = "tilewise_device";

}  // namespace tilewise::grading
