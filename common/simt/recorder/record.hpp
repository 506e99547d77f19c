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

/// Kernels run beside the run-time: where they may store is looked at in all their runs.
[[gnu::always_inline]] inline void guard_store(const void* address, const void* pc,
                                               const void* frame) {
  const Recorder& r = recorder;
  if (!r.guards_stores) return;
  const auto at = reinterpret_cast<std::uintptr_t>(address);
  if (at - r.shared_base < r.shared_bytes || at - r.device_base < r.device_bytes) return;
  if (at - r.variables_base < r.variables_bytes) return;
  guard_store_elsewhere(address, pc, frame);
}

/// What stands for a place in the code in all accesses but the first that one call writes down, so
/// that these are no second pass through it (code_order.hpp).
inline const void* continued(const void* pc) { return static_cast<const char*>(pc) - 1; }

/// Writes an access into the running lane's column of its warp's trace. Inlined into each hook,
/// whose action and size are then constants.
/// @param pc     where the hook returns to
/// @param frame  of what called the hook: its lowest address
template <Action action, unsigned bytes>
[[gnu::always_inline]] inline void record(const void* address, const void* pc,
                                          const void* frame = __builtin_dwarf_cfa()) {
  Recorder& r = recorder;
  if (r.next == nullptr) {
    if constexpr (action != Action::read) guard_store(address, pc, frame);
    return;
  }
  const std::uint32_t site =
      Site32::kind(action, bytes) |
      (static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(pc)) & Site32::code_mask);
  const auto at = reinterpret_cast<std::uintptr_t>(address);
  Place place;
  if (const std::uintptr_t offset = at - r.shared_base; offset < r.shared_bytes) {
    place = shared_place + static_cast<Place>(offset);
  } else if (const std::uintptr_t global = at - r.device_base;
             global < r.device_bytes && r.device_pages[global >> device_page_bits] != 0) {
    place = static_cast<Place>(global);
  } else {
    return record_elsewhere(address, site, frame);
  }
  std::uint32_t* slot = r.next;
  constexpr std::size_t array = (trace_rows + 1) * trace_lanes;
  slot[0] = site;
  slot[array] = place;
  if constexpr (action == Action::write) slot[2 * array] = fold(address, bytes);
  r.next = slot + trace_lanes;
  if (r.next >= r.end) make_room_in_trace();
}

}  // namespace tilewise::simt
