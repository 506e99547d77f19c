#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tilewise::simt {

/// The file of the one module whose kernels run in a process that may no longer open files
/// (host_apart.hpp). Otherwise a module is read from where it was loaded.
struct ModuleFile {
  int descriptor = -1;
  std::uintptr_t base = 0;  ///< the address that the module is loaded at

  bool is_given() const { return descriptor >= 0; }
};

const ModuleFile& module_file();

/// A variable or a function of a loaded module, as its symbol describes it.
struct ModuleSymbol {
  std::uintptr_t address;  ///< for a thread-local one: its offset in the module's block
  std::size_t bytes;
  bool thread_local_storage;
  std::string mangled;
};

/// A loaded module, as far as its variables are concerned.
struct LoadedModule {
  std::string path;  ///< empty for the program itself
  std::uintptr_t base;
  /// The memory that code may write to: [begin, end); empty if the module has none.
  std::uintptr_t writable_begin = 0, writable_end = 0;
  std::size_t thread_local_bytes = 0;
};

/// Returns the module that an address of code lies in.
std::optional<LoadedModule> module_at(std::uintptr_t code);

/// Returns the calling thread's block of the module's thread-local variables; null if it has none.
const std::byte* thread_local_block(const LoadedModule& module);

/// Whether the address lies in a part of some module that nobody may write to.
bool is_read_only_in_a_module(std::uintptr_t address);

enum class SymbolKind { variable, function };

/// Returns all variables, or all functions, in the symbol table of the module's file, sorted by
/// address; none if the file cannot be read.
std::vector<ModuleSymbol> symbols_of(const LoadedModule& module, SymbolKind kind);

/// A line of a kernel file, named as the compiler was told to name it.
struct SourceLine {
  std::string file;  ///< empty if it is not known
  int line = 0;
};

/// Returns the line of the source that an instruction of this process was compiled from; for code
/// inlined from the simulator's own headers, the line that called it. Safe to call from several
/// threads.
/// @param pc an address within the instruction
SourceLine source_line(std::uintptr_t pc);

}  // namespace tilewise::simt
