// What `-fsanitize=thread` calls before every load and store of a checked module, in place of the
// sanitizer's own run-time. The names and arguments are the sanitizer's (compiler-rt,
// tsan_interface.h).

#include <cstdint>
#include <cstring>

#include "common/simt/checked/fold.hpp"
#include "common/simt/checked/recorder.hpp"

namespace tilewise::simt {
namespace {

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
    return record_elsewhere(address, site, __builtin_frame_address(0));
  }
  std::uint32_t* slot = r.next;
  constexpr std::size_t array = (trace_rows + 1) * trace_lanes;
  slot[0] = site;
  slot[array] = place;
  if constexpr (action == Action::write) slot[2 * array] = fold(address, bytes);
  r.next = slot + trace_lanes;
  if (r.next >= r.end) make_room_in_trace();
}

/// An object of another size than a load or store has, word by word.
template <Action action>
void record_range(const void* address, std::size_t bytes, const void* pc) {
  const char* at = static_cast<const char*>(address);
  for (; bytes >= 4; at += 4, bytes -= 4) record<action, 4>(at, pc);
  for (; bytes > 0; ++at, --bytes) record<action, 1>(at, pc);
}

}  // namespace

// Lanes that leave a loop wait behind it for those that go on, as hardware makes them: the mark
// stands behind the loop in the code, and what stands first is read first.
[[gnu::noinline]] void note_loop_exit() {
  Recorder& r = recorder;
  if (r.next == nullptr) return;
  const auto pc = reinterpret_cast<std::uintptr_t>(__builtin_return_address(0));
  r.next[0] = Site32::kind(Action::none, 1) | (static_cast<std::uint32_t>(pc) & Site32::code_mask);
  r.next[(trace_rows + 1) * trace_lanes] = 0;
  r.next += trace_lanes;
  if (r.next >= r.end) make_room_in_trace();
}

}  // namespace tilewise::simt

using tilewise::simt::Action;

extern "C" {

void __tsan_init() {}
void __tsan_func_entry(void*) {}
void __tsan_func_exit() {}
void __tsan_ignore_thread_begin() {}
void __tsan_ignore_thread_end() {}
void __tsan_vptr_read(void**) {}
void __tsan_vptr_update(void**, void*) {}

// A macro, because the sanitizer has one function for every size and alignment.
#define TILEWISE_HOOKS(bytes)                                                           \
  void __tsan_read##bytes(void* address) {                                              \
    tilewise::simt::record<Action::read, bytes>(address, __builtin_return_address(0));  \
  }                                                                                     \
  void __tsan_write##bytes(void* address) {                                             \
    tilewise::simt::record<Action::write, bytes>(address, __builtin_return_address(0)); \
  }                                                                                     \
  void __tsan_unaligned_read##bytes(void* address) {                                    \
    tilewise::simt::record<Action::read, bytes>(address, __builtin_return_address(0));  \
  }                                                                                     \
  void __tsan_unaligned_write##bytes(void* address) {                                   \
    tilewise::simt::record<Action::write, bytes>(address, __builtin_return_address(0)); \
  }
TILEWISE_HOOKS(1)
TILEWISE_HOOKS(2)
TILEWISE_HOOKS(4)
TILEWISE_HOOKS(8)
TILEWISE_HOOKS(16)
#undef TILEWISE_HOOKS

void __tsan_read_range(void* address, std::size_t bytes) {
  tilewise::simt::record_range<Action::read>(address, bytes, __builtin_return_address(0));
}
void __tsan_write_range(void* address, std::size_t bytes) {
  tilewise::simt::record_range<Action::write>(address, bytes, __builtin_return_address(0));
}

// clang calls these where g++ calls memcpy and its kin.
void* __tsan_memcpy(void* to, const void* from, std::size_t bytes) {
  tilewise::simt::record_range<Action::read>(from, bytes, __builtin_return_address(0));
  tilewise::simt::record_range<Action::write>(to, bytes, __builtin_return_address(0));
  return std::memcpy(to, from, bytes);
}
void* __tsan_memmove(void* to, const void* from, std::size_t bytes) {
  tilewise::simt::record_range<Action::read>(from, bytes, __builtin_return_address(0));
  tilewise::simt::record_range<Action::write>(to, bytes, __builtin_return_address(0));
  return std::memmove(to, from, bytes);
}
void* __tsan_memset(void* to, int byte, std::size_t bytes) {
  tilewise::simt::record_range<Action::write>(to, bytes, __builtin_return_address(0));
  return std::memset(to, byte, bytes);
}

// Atomics as the facade's atomics.hpp writes them: one load and weak swaps until one succeeds, or a
// single strong swap (atomicCAS). What comes first stands for the whole CUDA operation.
#define TILEWISE_ATOMIC_HOOKS(bits, T)                                                             \
  T __tsan_atomic##bits##_load(const volatile T* address, int) {                                   \
    tilewise::simt::record<Action::atomic, bits / 8>(const_cast<const T*>(address),                \
                                                     __builtin_return_address(0));                 \
    return __atomic_load_n(address, __ATOMIC_SEQ_CST);                                             \
  }                                                                                                \
  int __tsan_atomic##bits##_compare_exchange_weak(volatile T* address, T* expected, T wanted, int, \
                                                  int) {                                           \
    return __atomic_compare_exchange_n(address, expected, wanted, true, __ATOMIC_SEQ_CST,          \
                                       __ATOMIC_SEQ_CST);                                          \
  }                                                                                                \
  int __tsan_atomic##bits##_compare_exchange_strong(volatile T* address, T* expected, T wanted,    \
                                                    int, int) {                                    \
    tilewise::simt::record<Action::atomic, bits / 8>(const_cast<T*>(address),                      \
                                                     __builtin_return_address(0));                 \
    return __atomic_compare_exchange_n(address, expected, wanted, false, __ATOMIC_SEQ_CST,         \
                                       __ATOMIC_SEQ_CST);                                          \
  }
TILEWISE_ATOMIC_HOOKS(32, std::uint32_t)
TILEWISE_ATOMIC_HOOKS(64, std::uint64_t)
#undef TILEWISE_ATOMIC_HOOKS

void __tsan_atomic_thread_fence(int) {
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
  tilewise::simt::note_fence();
}
void __tsan_atomic_signal_fence(int) {}

}  // extern "C"
