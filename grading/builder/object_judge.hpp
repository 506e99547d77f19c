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
  std::string name;  ///< of the source, in messages
  std::string text;
  std::vector<UnseenCall> unseen_calls = {};  ///< as far as the compiler tells
  HostLines host_lines = {};
};

/// What objects say of a submission.
struct ObjectVerdict {
  std::string problems;  ///< "file:line: error: what", one a line; empty if there are none
  /// Per object, sections of functions that need nothing but what a GPU has. Whatever runs in a
  /// kernel has to be among them.
  std::vector<std::vector<std::string>> device_sections;
  /// Functions of the host that kernels lead to by lines where nvcc takes that, because no GPU gets
  /// there. Calls of them are to ask on which side they are made.
  std::vector<std::string> host_functions;
};

/// Judges objects for the simulator, compiled with a section for every function and variable.
/// Refused are definitions of names that `library` has, code that runs before or beside the
/// program, and kernels that reach a function no GPU has: reached is what the code of a launch
/// refers to, be it by calls, by pointers in tables or by those of virtual functions. What nvcc
/// lets stand (host_lines.hpp) is let through where calls can be asked, on x86-64. Refused are
/// kernels with calls that load or store unseen, too.
/// @throws std::runtime_error if a file cannot be read
ObjectVerdict judge_simulator_objects(const std::vector<CompiledSource>& sources,
                                      const std::filesystem::path& library);

/// Judges host objects for a GPU. Refused are functions by which the CPU could compute, or kernels
/// be launched, uncounted; and definitions as above.
/// @return the problems
std::string judge_cuda_objects(const std::vector<CompiledSource>& sources);

/// The section that device functions of a module end up in (runtime/indirect_calls.cpp).
inline constexpr const char* device_code_section = "tilewise_device";

}  // namespace tilewise::grading
