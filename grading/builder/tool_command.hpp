#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "common/process/command.hpp"
#include "common/process/sandbox.hpp"

namespace tilewise::grading {

/// How long a compiler may take.
inline constexpr double tool_time_limit_s = 120;

/// What a compiler may use.
struct ToolLimits {
  double time_s = tool_time_limit_s;
  std::size_t file_bytes = std::size_t{256} << 20;  ///< of a file that it writes
};

/// Of the preprocessor by itself: five times what a file comes to that includes most of the
/// standard library, and what that takes on a busy machine.
inline constexpr ToolLimits preprocessor_limits = {.time_s = 20,
                                                   .file_bytes = std::size_t{16} << 20};

/// What a compiler works on.
struct ToolFiles {
  std::vector<std::filesystem::path> readable;
  std::filesystem::path writable;        ///< folder for what it makes
  std::filesystem::path working_folder;  ///< one that holds some of these
};

/// A command of a compiler, with limits, and few of this process's variables. A source can have the
/// compiler read any file, and quote it or compile it in: in a sandbox it sees `files`, the
/// system's headers and libraries and its own installation.
Command tool_command(std::vector<std::string> arguments, const ToolFiles& files,
                     const Sandbox& sandbox, const ToolLimits& limits = {});

}  // namespace tilewise::grading
