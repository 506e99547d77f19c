#pragma once

namespace tilewise::simt {

/// Whether an address is the running thread's own business: a local variable, a variable of a
/// loaded module (`__constant__` and `__device__` variables are), or one of the built-in variables.
/// @param frame of a function the kernel has called
bool is_own_memory(const void* address, const void* frame);

}  // namespace tilewise::simt
