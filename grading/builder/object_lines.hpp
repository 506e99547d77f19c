#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>

#include "common/dwarf/source_lines.hpp"

struct Dwfl;

namespace tilewise::grading {

/// Source lines of an object file, which is not linked yet.
class ObjectLines {
 public:
  explicit ObjectLines(const std::filesystem::path& object);
  ~ObjectLines();
  ObjectLines(ObjectLines&&) noexcept = default;

  /// @param section  by ELF's number
  dwarf::SourceLine find(std::size_t section, std::uint64_t offset);

 private:
  struct End {
    void operator()(Dwfl* dwfl) const;
  };
  std::unique_ptr<Dwfl, End> dwfl_;
  Dwfl_Module* module_ = nullptr;
  dwarf::SourceLines lines_;
};

}  // namespace tilewise::grading
