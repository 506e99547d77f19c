#pragma once

#include <cstddef>
#include <cstdint>

#include "common/simt/recorder/access.hpp"

/// The short way from an access of a kernel into the trace of its warp.
namespace tilewise::simt {

/// Accesses one thread can make before its warp's trace has to be read.
inline constexpr std::size_t trace_rows = 1024;
inline constexpr std::size_t trace_lanes = 32;

/// A warp's accesses since its trace was last read. Row i of each array holds every lane's i-th
/// access, so that lanes which run alike are read as a warp.
struct WarpRows {
  std::uint32_t sites[trace_rows + 1][trace_lanes];  ///< Site32 words; 0: not to be looked at
  Place places[trace_rows + 1][trace_lanes];
  std::uint32_t olds[trace_rows + 1][trace_lanes];  ///< of a write: what was there before
};

/// What the hooks need of the running CUDA thread and its operating-system thread.
struct Recorder {
  std::uint32_t* next;  ///< in WarpRows::sites, in the running lane's column; null: nothing to see
  std::uint32_t* end;   ///< in the row behind the last
  std::uintptr_t shared_base;
  std::size_t shared_bytes;
  std::uintptr_t device_base;
  std::size_t device_bytes;
  const std::uint8_t* device_pages;  ///< by page: not 0 where memory is allocated
  std::uintptr_t variables_base;     ///< what the module may write to
  std::size_t variables_bytes;
  bool guards_stores;  ///< a kernel runs, and whether its accesses are recorded or not
};
extern __thread Recorder recorder __attribute__((tls_model("initial-exec")));

/// The trace is full: lets the block's other threads catch up, then goes on.
void make_room_in_trace();

/// A store that nobody records, to neither shared nor device memory nor the module's variables.
/// Returns if it is the running thread's own.
[[gnu::cold]] void guard_store_elsewhere(const void* address, const void* pc, const void* frame);

/// The running thread has called a memory fence.
void note_fence();

/// An access to neither shared nor allocated device memory: to a variable perhaps.
/// @param frame of the function that makes it: its lowest address
[[gnu::cold]] void record_elsewhere(const void* address, std::uint32_t site, const void* frame);

}  // namespace tilewise::simt
