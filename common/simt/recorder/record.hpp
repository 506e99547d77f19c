#pragma once

#include <cstddef>
#include <cstdint>

#include "common/simt/recorder/fold.hpp"
#include "common/simt/recorder/recorder.hpp"

namespace tilewise::simt {

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
