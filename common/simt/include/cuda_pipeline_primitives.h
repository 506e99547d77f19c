/// Copies from global into shared memory that continue while the thread does something else, in C.
#pragma once

#include "cuda_runtime.h"
#include "tilewise/copies_on_their_way.hpp"

/// Begins a copy of 4, 8 or 16 bytes. The last `zfill` bytes are set to zero and not read.
[[gnu::always_inline]] inline void __pipeline_memcpy_async(void* dst_shared, const void* src_global,
                                                           size_t size_and_align,
                                                           size_t zfill = 0) {
  tilewise::simt::begin_copy(dst_shared, src_global, size_and_align, zfill);
}

/// Ends a batch, which consists of the copies that this thread has begun since the last batch.
[[gnu::always_inline]] inline void __pipeline_commit() { tilewise::simt::commit_copies(); }

/// Waits until all but the last `prior` batches of this thread have arrived.
[[gnu::always_inline]] inline void __pipeline_wait_prior(size_t prior) {
  tilewise::simt::wait_for_copies(prior);
}
