#pragma once

#include <cstdint>

namespace tilewise::simt {

/// Whether an address is one of the built-in variables, or lies in what a loaded module has for
/// reading: literals, tables, and what they are made from.
bool is_for_all_to_read(std::uintptr_t address);

}  // namespace tilewise::simt
