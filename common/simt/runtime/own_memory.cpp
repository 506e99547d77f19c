#include "common/simt/runtime/own_memory.hpp"

#include "common/simt/include/tilewise/builtin_variables.hpp"
#include "common/simt/recorder/module_symbols.hpp"

namespace tilewise::simt {

bool is_for_all_to_read(std::uintptr_t address) {
  for (const uint3* variable : {&threadIdx, &blockIdx, &blockDim, &gridDim}) {
    if (address - reinterpret_cast<std::uintptr_t>(variable) < sizeof *variable) return true;
  }
  return is_read_only_in_a_module(address);
}

}  // namespace tilewise::simt
