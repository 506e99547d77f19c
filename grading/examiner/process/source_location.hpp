#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "common/process/sandbox.hpp"

namespace tilewise::grading {

/// A place in the source of a module.
struct SourceLocation {
  std::string file;  ///< without folders; empty where unknown
  int line = 0;
};

/// Looks up an instruction of a module by addr2line (binutils), where it is installed. Of functions
/// inlined into one another it names the innermost that is in a kernel file.
/// @param offset of the instruction from the module's start
/// @param sandbox for addr2line: it reads what a student can shape
SourceLocation find_source_location(const std::filesystem::path& module, std::uint64_t offset,
                                    const Sandbox& sandbox);

/// Parses the output of `addr2line -i -s`: "file:line" for each function, innermost first.
SourceLocation parse_source_location(const std::string& output);

}  // namespace tilewise::grading
