#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>

#include "common/dwarf/source_lines.hpp"
#include "grading/builder/debug_info.hpp"

namespace tilewise::grading {

/// Source lines of an object file, which is not linked yet.
class ObjectLines {
 public:
  explicit ObjectLines(const std::filesystem::path& object) : debug_info_(object) {}

  /// @param section  by ELF's number
  dwarf::SourceLine find(std::size_t section, std::uint64_t offset);

 private:
  DebugInfo debug_info_;
  dwarf::SourceLines lines_;
};

}  // namespace tilewise::grading
