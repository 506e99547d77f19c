#pragma once

#include <elfutils/libdwfl.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "common/dwarf/source_lines.hpp"

namespace tilewise::grading {

/// What a compiler's object file holds, read by libelf: as much as it takes to tell what refers to
/// what.
struct ObjectFile {
  static constexpr std::size_t nowhere = 0;  ///< ELF's own number of no section

  struct Section {
    std::string name;
    bool is_loaded = false;
    bool is_code = false;
    bool is_writable = false;
    bool is_of_a_thread = false;  ///< of thread_local variables
    std::uint64_t bytes = 0;
  };
  struct Symbol {
    std::string name;  ///< empty: a section's own
    std::size_t section = nowhere;
    bool is_local = false;
    bool is_weak = false;
    bool is_indirect = false;  ///< an IFUNC: the loader asks a function for the address
    bool is_function = false;
    bool is_undefined() const { return section == nowhere && !name.empty(); }
  };
  /// At `offset` of `from` there is the address of `symbol`, or a call of it.
  struct Reference {
    std::size_t from;
    std::uint64_t offset;
    std::size_t symbol;
    bool is_indirect = false;  ///< by the loader, of what a function gives it
    bool is_call = false;      ///< x86-64: by an instruction that nothing but a call or jump has
  };

  std::vector<Section> sections;  ///< by ELF's numbers
  std::vector<Symbol> symbols;
  std::vector<Reference> references;  ///< of loaded sections
};

/// @throws std::runtime_error if it cannot be read.
ObjectFile read_object(const std::filesystem::path& path);

/// Names that a shared library defines for others.
std::vector<std::string> exported_names(const std::filesystem::path& library);

/// "std::ostream::flush()" of "_ZNSo5flushEv"; what is no mangled name as it is.
std::string demangled(const std::string& name);

/// What a compiler wrote for debuggers into an object file, which is not linked yet.
class DebugInfo {
 public:
  /// Holds nothing where the file is no object.
  explicit DebugInfo(const std::filesystem::path& object);

  Dwfl_Module* module() const { return module_; }

 private:
  struct End {
    void operator()(Dwfl* dwfl) const { dwfl_end(dwfl); }
  };
  std::unique_ptr<Dwfl, End> dwfl_;
  Dwfl_Module* module_ = nullptr;
};

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
