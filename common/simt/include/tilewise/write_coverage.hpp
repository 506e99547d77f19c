/// \file
/// Included in front of every kernel file whose lines are counted (`lab coverage`).
#pragma once

extern "C" {

// The compiler's run-time for coverage; hidden in the module that is linked with it.
void __gcov_dump();
void __gcov_reset();

/// Adds what was counted to gcov's files and starts anew. A worker may be killed at any time: it
/// calls this after every call.
[[gnu::weak, gnu::visibility("default")]] void tilewise_write_coverage() {
  __gcov_dump();
  __gcov_reset();
}
}
