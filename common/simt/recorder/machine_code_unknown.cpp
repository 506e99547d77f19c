#include "common/simt/recorder/machine_code.hpp"

namespace tilewise::simt {

std::optional<MachineCode> read_machine_code(std::uintptr_t, std::uintptr_t) { return {}; }

}  // namespace tilewise::simt
