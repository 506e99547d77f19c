#pragma once

#include <cstdint>
#include <string>

namespace tilewise::simt {

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
