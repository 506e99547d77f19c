#pragma once

#include <cstddef>

/// What the run-time notes of copies between memories.
namespace tilewise::simt {

/// Tells the checks what of device memory holds values now.
void note_copy(void* to, const void* from, std::size_t bytes);

void note_bytes_to_host(std::size_t bytes);

}  // namespace tilewise::simt
