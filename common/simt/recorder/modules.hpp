#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tilewise::simt {

/// The file of the one module whose kernels run in a process that may not open files any more
/// (host_apart.hpp). Otherwise a module is read from where it was loaded from.
struct ModuleFile {
  int descriptor = -1;
  std::uintptr_t base = 0;  ///< that the module is loaded at

  bool is_given() const { return descriptor >= 0; }
};

const ModuleFile& module_file();

/// A variable or a function of a loaded module, by its symbol.
struct ModuleSymbol {
  std::uintptr_t address;  ///< of a thread-local one: the offset in the module's block
  std::size_t bytes;
  bool thread_local_storage;
  std::string mangled;
};

/// A loaded module, as far as its variables go.
struct LoadedModule {
  std::string path;  ///< empty for the program itself
  std::uintptr_t base;
  /// What code may write to: [begin, end); 0 bytes where it has nothing of that kind.
  std::uintptr_t writable_begin = 0, writable_end = 0;
  std::size_t thread_local_bytes = 0;
};

/// The module that an address of code lies in.
std::optional<LoadedModule> module_at(std::uintptr_t code);

/// The calling thread's block of the module's thread-local variables; null where it has none.
const std::byte* thread_local_block(const LoadedModule& module);

/// Whether the address lies in a part of some module that nobody may write to.
bool is_read_only_in_a_module(std::uintptr_t address);

enum class SymbolKind { variable, function };

/// All variables, or functions, in the symbol table of the module's file, by address; none where it
/// cannot be read.
std::vector<ModuleSymbol> symbols_of(const LoadedModule& module, SymbolKind kind);

/// A line of a kernel file, as the compiler was told to call it.
struct SourceLine {
  std::string file;  ///< empty where it is not known
  int line = 0;
};

/// The line of the source that an instruction of this process was compiled from; of code inlined
/// from the simulator's own headers the line that called it. Safe to call from several threads.
/// @param pc an address within the instruction
SourceLine source_line(std::uintptr_t pc);

}  // namespace tilewise::simt
