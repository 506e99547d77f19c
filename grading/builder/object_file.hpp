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

/// The contents of a compiler's object file, read by libelf, as far as they tell which function or
/// variable refers to which.
struct ObjectFile {
  static constexpr std::size_t nowhere = 0;  ///< ELF's number for no section

  struct Section {
    std::string name;
    bool is_loaded = false;
    bool is_code = false;
    bool is_writable = false;
    bool is_of_a_thread = false;  ///< it holds thread_local variables
    std::uint64_t bytes = 0;
  };
  struct Symbol {
    std::string name;  ///< empty: the symbol of a section
    std::size_t section = nowhere;
    bool is_local = false;
    bool is_weak = false;
    bool is_indirect = false;  ///< an IFUNC: the loader asks a function for the address
    bool is_function = false;
    bool is_undefined() const { return section == nowhere && !name.empty(); }
  };
  /// At `offset` of section `from` there is the address of `symbol`, or a call of it.
  struct Reference {
    std::size_t from;
    std::uint64_t offset;
    std::size_t symbol;
    bool is_indirect = false;  ///< the loader gets the address from a function
    bool is_call = false;      ///< x86-64: a relocation type that only calls and jumps have
  };

  std::vector<Section> sections;  ///< indexed by ELF's numbers
  std::vector<Symbol> symbols;
  std::vector<Reference> references;  ///< those in loaded sections
};

/// @throws std::runtime_error if the file cannot be read.
ObjectFile read_object(const std::filesystem::path& path);

/// Returns the names that a shared library defines for others.
std::vector<std::string> exported_names(const std::filesystem::path& library);

/// Returns "std::ostream::flush()" for "_ZNSo5flushEv", and a name that is not mangled as it is.
std::string demangled(const std::string& name);

/// The debug information in an object file that is not linked yet.
class DebugInfo {
 public:
  /// Holds nothing if the file is no object.
  explicit DebugInfo(const std::filesystem::path& object);

  Dwfl_Module* module() const { return module_; }

 private:
  struct End {
    void operator()(Dwfl* dwfl) const { dwfl_end(dwfl); }
  };
  std::unique_ptr<Dwfl, End> dwfl_;
  Dwfl_Module* module_ = nullptr;
};

/// The source lines of an object file that is not linked yet.
class ObjectLines {
 public:
  explicit ObjectLines(const std::filesystem::path& object) : debug_info_(object) {}

  /// @param section  its number in ELF
  dwarf::SourceLine find(std::size_t section, std::uint64_t offset);

 private:
  DebugInfo debug_info_;
  dwarf::SourceLines lines_;
};

}  // namespace tilewise::grading
