/// \file
/// Included in front of every kernel file whose lines are counted (`lab coverage`).
#pragma once

#include "../cuda_runtime.h"

extern "C" {

// From the compiler's run-time for coverage; they are hidden in the module that is linked with it.
void __gcov_dump();
void __gcov_reset();

/// Adds the counts to gcov's files and starts counting anew. The worker calls it after every call,
/// since it may be killed at any time.
[[gnu::weak, gnu::visibility("default")]] void tilewise_write_coverage() {
  __gcov_dump();
  __gcov_reset();
}
}

namespace tilewise::simt {

// Functions that are always inlined leave no code on the line that calls them. If such a call is a
// statement of its own, its line would not be counted; so these calls stay calls.

[[gnu::noinline]] inline void counted_syncthreads(TILEWISE_SITE) { __syncthreads(file, line); }

[[gnu::noinline]] inline void counted_syncwarp(unsigned mask = 0xffffffffu, TILEWISE_SITE) {
  __syncwarp(mask, file, line);
}

}  // namespace tilewise::simt

#define __syncthreads(...) ::tilewise::simt::counted_syncthreads(__VA_ARGS__)
#define __syncwarp(...) ::tilewise::simt::counted_syncwarp(__VA_ARGS__)
