#pragma once

#include <stddef.h>

namespace tilewise::simt {

// Copies into shared memory that a thread begins. They arrive when it waits for them and no sooner,
// so a kernel that does not wait computes with what was there before.

/// Begins a copy of 1, 2, 4, 8 or 16 bytes. The last `zeros` bytes are set to zero and not read.
void begin_copy(void* to, const void* from, size_t bytes, size_t zeros);

/// Ends a batch, which consists of the copies that this thread has begun since the last batch.
void commit_copies();

/// Waits until all but the last `but_last` batches of this thread have arrived.
void wait_for_copies(size_t but_last);

}  // namespace tilewise::simt
