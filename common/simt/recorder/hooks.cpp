// The functions that `-fsanitize=thread` calls before every load and store of a checked module, in
// place of the sanitizer's own run-time. The names and arguments are the sanitizer's (compiler-rt,
// tsan_interface.h).

#include <cmath>
#include <cstdint>
#include <cstring>

#include "common/simt/include/tilewise/loop_exit.hpp"
#include "common/simt/recorder/record.hpp"

namespace tilewise::simt {
namespace {

/// Records an access to an object that may not be aligned to its size, as far as the compiler
/// knows: word by word, as a GPU has to copy it, and byte by byte where there is no whole word.
/// @param starts whether the call has recorded nothing before
template <Action action>
void record_range(const void* address, std::size_t bytes, const void* pc, const void* frame,
                  bool starts = true) {
  const char* at = static_cast<const char*>(address);
  if (recorder.next == nullptr) {
    if (bytes == 0) return;
    watch_host(at, bytes, action == Action::write, pc);
    if (action == Action::read) return;
    guard_store(at, pc, frame);
    guard_store(at + bytes - 1, pc, frame);
    return;
  }
  const void* rest = starts ? continued(pc) : pc;
  for (; bytes > 0; pc = rest) {
    const bool word = bytes >= 4 && reinterpret_cast<std::uintptr_t>(at) % 4 == 0;
    word ? record<action, 4>(at, pc, frame) : record<action, 1>(at, pc, frame);
    const std::size_t step = word ? 4 : 1;
    at += step;
    bytes -= step;
  }
}

/// Records the write of a copy, after its read.
void record_copy(const void* address, std::size_t bytes, const void* pc, const void* frame) {
  record_range<Action::write>(address, bytes, continued(pc), frame, false);
}

/// Records an access without data. Lanes that have left a loop wait for the others at the mark
/// behind it, and lanes that have begun another pass wait at the mark with which the pass begins.
[[gnu::always_inline]] inline void record_mark(const void* pc) {
  Recorder& r = recorder;
  if (r.next == nullptr) return;
  const auto at = reinterpret_cast<std::uintptr_t>(pc);
  r.next[0] = Site32::kind(Action::none, 1) | (static_cast<std::uint32_t>(at) & Site32::code_mask);
  r.next[(trace_rows + 1) * trace_lanes] = 0;
  r.next += trace_lanes;
  if (r.next >= r.end) make_room_in_trace();
}

}  // namespace

[[gnu::noinline]] void note_loop_exit(unsigned) { record_mark(__builtin_return_address(0)); }
[[gnu::noinline]] void note_loop_pass() { record_mark(__builtin_return_address(0)); }

}  // namespace tilewise::simt

using tilewise::simt::Action;

extern "C" {

void __tsan_init() {}
void __tsan_func_entry(void*) {}
void __tsan_func_exit() {}
void __tsan_ignore_thread_begin() {}
void __tsan_ignore_thread_end() {}
// Accesses to the pointers to virtual tables, when objects are made and used.
void __tsan_vptr_read(void** address) {
  tilewise::simt::record<Action::read, sizeof(void*)>(address, __builtin_return_address(0));
}
void __tsan_vptr_update(void** address, void*) {
  tilewise::simt::record<Action::write, sizeof(void*)>(address, __builtin_return_address(0));
}

// Macros, because the sanitizer has one function for every size and alignment.
#define TILEWISE_HOOK(name, action, bytes)                                     \
  void name(void* address) {                                                   \
    const void* const pc = __builtin_return_address(0);                        \
    if (tilewise::simt::recorder.next == nullptr) {                            \
      tilewise::simt::watch_host(address, bytes, action == Action::write, pc); \
    }                                                                          \
    tilewise::simt::record<action, bytes>(address, pc);                        \
  }
// Where the compiler is asked to distinguish volatile accesses, these are not watched on the host,
// which may wait for a kernel by one.
#define TILEWISE_VOLATILE_HOOK(name, action, bytes)                              \
  void name(void* address) {                                                     \
    tilewise::simt::record<action, bytes>(address, __builtin_return_address(0)); \
  }
#define TILEWISE_HOOKS_OF_SIZE(hook, kind, bytes)                         \
  hook(__tsan_##kind##read##bytes, Action::read, bytes)                   \
      hook(__tsan_##kind##write##bytes, Action::write, bytes)             \
          hook(__tsan_unaligned_##kind##read##bytes, Action::read, bytes) \
              hook(__tsan_unaligned_##kind##write##bytes, Action::write, bytes)
#define TILEWISE_HOOKS(hook, kind)      \
  TILEWISE_HOOKS_OF_SIZE(hook, kind, 1) \
  TILEWISE_HOOKS_OF_SIZE(hook, kind, 2) \
  TILEWISE_HOOKS_OF_SIZE(hook, kind, 4) \
  TILEWISE_HOOKS_OF_SIZE(hook, kind, 8) \
  TILEWISE_HOOKS_OF_SIZE(hook, kind, 16)
TILEWISE_HOOKS(TILEWISE_HOOK, )
TILEWISE_HOOKS(TILEWISE_VOLATILE_HOOK, volatile_)
#undef TILEWISE_HOOKS
#undef TILEWISE_HOOKS_OF_SIZE
#undef TILEWISE_VOLATILE_HOOK
#undef TILEWISE_HOOK

void __tsan_read_range(void* address, std::size_t bytes) {
  tilewise::simt::record_range<Action::read>(address, bytes, __builtin_return_address(0),
                                             __builtin_dwarf_cfa());
}
void __tsan_write_range(void* address, std::size_t bytes) {
  tilewise::simt::record_range<Action::write>(address, bytes, __builtin_return_address(0),
                                              __builtin_dwarf_cfa());
}

// Compilers may turn copies of structures into calls of memcpy and similar functions. Checked
// modules are linked with `--wrap` for each of these, so that the calls come here; clang from 15 on
// calls the sanitizer's names.
#define TILEWISE_MEMORY_HOOKS(prefix)                                                           \
  void* prefix##memcpy(void* to, const void* from, std::size_t bytes) {                         \
    tilewise::simt::record_range<Action::read>(from, bytes, __builtin_return_address(0),        \
                                               __builtin_dwarf_cfa());                          \
    tilewise::simt::record_copy(to, bytes, __builtin_return_address(0), __builtin_dwarf_cfa()); \
    return std::memcpy(to, from, bytes);                                                        \
  }                                                                                             \
  void* prefix##memmove(void* to, const void* from, std::size_t bytes) {                        \
    tilewise::simt::record_range<Action::read>(from, bytes, __builtin_return_address(0),        \
                                               __builtin_dwarf_cfa());                          \
    tilewise::simt::record_copy(to, bytes, __builtin_return_address(0), __builtin_dwarf_cfa()); \
    return std::memmove(to, from, bytes);                                                       \
  }                                                                                             \
  void* prefix##memset(void* to, int byte, std::size_t bytes) {                                 \
    tilewise::simt::record_range<Action::write>(to, bytes, __builtin_return_address(0),         \
                                                __builtin_dwarf_cfa());                         \
    return std::memset(to, byte, bytes);                                                        \
  }
TILEWISE_MEMORY_HOOKS(__tsan_)
TILEWISE_MEMORY_HOOKS(__wrap_)
#undef TILEWISE_MEMORY_HOOKS

// Functions of <math.h> that store a second result through a pointer; they are wrapped as the
// copies are.
#define TILEWISE_STORING_FUNCTIONS(suffix, Real)                                              \
  Real __wrap_modf##suffix(Real x, Real* whole) {                                             \
    tilewise::simt::record<Action::write, sizeof *whole>(whole, __builtin_return_address(0)); \
    return std::modf(x, whole);                                                               \
  }                                                                                           \
  Real __wrap_frexp##suffix(Real x, int* exponent) {                                          \
    tilewise::simt::record<Action::write, 4>(exponent, __builtin_return_address(0));          \
    return std::frexp(x, exponent);                                                           \
  }                                                                                           \
  Real __wrap_remquo##suffix(Real x, Real y, int* quotient) {                                 \
    tilewise::simt::record<Action::write, 4>(quotient, __builtin_return_address(0));          \
    return std::remquo(x, y, quotient);                                                       \
  }                                                                                           \
  void __wrap_sincos##suffix(Real x, Real* sine, Real* cosine) {                              \
    tilewise::simt::record<Action::write, sizeof *sine>(sine, __builtin_return_address(0));   \
    tilewise::simt::record<Action::write, sizeof *cosine>(                                    \
        cosine, tilewise::simt::continued(__builtin_return_address(0)));                      \
    *sine = std::sin(x);                                                                      \
    *cosine = std::cos(x);                                                                    \
  }
TILEWISE_STORING_FUNCTIONS(, double)
TILEWISE_STORING_FUNCTIONS(f, float)
#undef TILEWISE_STORING_FUNCTIONS

}  // extern "C"
