#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "common/simt/recorder/block_order.hpp"

namespace tilewise::simt {

/// A function as its machine code reads.
struct MachineCode {
  struct Call {
    std::uintptr_t returns_to;
    std::uintptr_t target;  ///< 0: known only when it runs
  };
  std::vector<std::uintptr_t> blocks;  ///< where each begins, sorted; the first is the function
  ControlFlow flow;
  Marks ends;               ///< of loops: LoopExit (tilewise/loop_exit.hpp)
  std::vector<Call> calls;  ///< by address
};

/// The code at [begin, end) of this process. Nothing where it cannot be told where some
/// instruction goes on: no table of jumps is read, and none is in a checked module.
std::optional<MachineCode> read_machine_code(std::uintptr_t begin, std::uintptr_t end);

}  // namespace tilewise::simt
