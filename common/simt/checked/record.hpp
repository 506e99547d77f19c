#pragma once

#include <cstddef>
#include <cstdint>

#include "common/simt/checked/fold.hpp"
#include "common/simt/checked/recorder.hpp"

namespace tilewise::simt {

/// Writes an access into the running lane's column of its warp's trace. Inlined into each hook,
/// whose action and size are then constants.
/// @param pc where the hook returns to
template <Action action, unsigned bytes>
[[gnu::always_inline]] inline void record(const void* address, const void* pc) {
  Recorder& r = recorder;
  if (r.next == nullptr) return;
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
    return record_elsewhere(address, site, __builtin_dwarf_cfa());
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
