#pragma once

#include <cstdint>

namespace tilewise::simt {

/// The file of the one module whose kernels run in a process that may not open files any more
/// (host_apart.hpp). Otherwise a module is read from where it was loaded from.
struct ModuleFile {
  int descriptor = -1;
  std::uintptr_t base = 0;  ///< that the module is loaded at

  bool is_given() const { return descriptor >= 0; }
};

const ModuleFile& module_file();

}  // namespace tilewise::simt
