#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

/// How one access is written down while it happens: where in the code, what it does, and where in
/// memory, in two 32-bit words.
namespace tilewise::simt {

enum class Action : std::uint32_t { none = 0, read = 1, write = 2, atomic = 3 };

/// A place in the kernel's code that touches memory, with what it does there. Which of two is the
/// earlier one says code_order.hpp.
///
/// bits 31-30 action, 29-27 binary logarithm of the bytes, 26-0 low bits of the code address:
/// kernels of a module lie within 128 MiB of each other.
class Site32 {
 public:
  static constexpr unsigned code_bits = 27;
  static constexpr std::uint32_t code_mask = (1u << code_bits) - 1;

  constexpr explicit Site32(std::uint32_t word) : word_(word) {}
  constexpr std::uint32_t word() const { return word_; }
  constexpr Action action() const { return static_cast<Action>(word_ >> 30); }
  constexpr unsigned bytes() const { return 1u << (word_ >> 27 & 7u); }
  constexpr std::uint32_t code() const { return word_ & code_mask; }

  /// All but the code address, known when the hook is compiled.
  static constexpr std::uint32_t kind(Action action, unsigned bytes) {
    unsigned log2 = 0;
    while ((1u << log2) < bytes) ++log2;
    return static_cast<std::uint32_t>(action) << 30 | log2 << 27;
  }

 private:
  std::uint32_t word_;
};

/// What an entry without action tells, by its number of bytes: 1 is a mark of loops.
inline constexpr unsigned note_of_begun_copy = 2;  ///< its place is a number of BlockWatch::copy()
inline constexpr unsigned note_of_wait = 4;        ///< its place is how many batches have arrived

/// Where in memory: an offset into device memory, or from `shared_place` on into the shared memory
/// of the running block.
using Place = std::uint32_t;
inline constexpr Place shared_place = 0xF000'0000u;
constexpr bool is_shared(Place place) { return place >= shared_place; }

/// What a bank of shared memory serves at a time, and what shadows keep a record of.
inline constexpr unsigned word_bytes = 4;

/// Whether an access to device memory lies in one that exists is known by pages of this size.
inline constexpr unsigned device_page_bits = 16;

/// The instruction a site stands for. Sites hold the low bits of the address that the hook returns
/// to; the code of a kernel lies around the function that calls it.
/// @param near an address in the module's code
inline std::uintptr_t code_address(std::uint32_t site, std::uintptr_t near) {
  constexpr std::uintptr_t span = std::uintptr_t{1} << Site32::code_bits;
  const auto distance = [&](std::uintptr_t at) { return at > near ? at - near : near - at; };
  std::uintptr_t best = (near & ~(span - 1)) + Site32(site).code();
  for (const std::uintptr_t candidate : {best - span, best + span}) {
    if (distance(candidate) < distance(best)) best = candidate;
  }
  return best - 1;  // within the call rather than behind it
}

/// A value of 1 to 16 bytes in a word: enough to tell whether two threads store the same.
inline std::uint32_t fold(const void* address, unsigned bytes) {
  std::uint32_t folded = 0, word = 0;
  if (bytes < sizeof word) {
    std::memcpy(&folded, address, bytes);
    return folded;
  }
  for (unsigned i = 0; i < bytes; i += sizeof word) {
    std::memcpy(&word, static_cast<const char*>(address) + i, sizeof word);
    folded = folded * 31 + word;
  }
  return folded;
}

}  // namespace tilewise::simt

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
  std::uintptr_t stack_base;  ///< of the stack where a thread last came to variables of its own
  std::uintptr_t stack_bytes;
  bool guards_stores;  ///< a kernel runs, and whether its accesses are recorded or not
  bool has_marks;      ///< something is known of variables on stacks (private_variables.hpp)
};
extern __thread Recorder recorder __attribute__((tls_model("initial-exec")));

/// Whether a thread comes to a variable of its own on the stack that the recorder knows. Below its
/// frame lie the run-time's variables, and where they return to.
[[gnu::always_inline]] inline bool is_on_own_stack(const Recorder& r, std::uintptr_t address,
                                                   const void* frame) {
  const auto lowest = reinterpret_cast<std::uintptr_t>(frame);
  return lowest >= r.stack_base && address >= lowest && address - r.stack_base < r.stack_bytes;
}

/// What is known of a byte of a variable on a stack stands so far above it, in a byte: 0 for
/// nothing.
inline constexpr std::size_t marks_distance = 655360;

/// Whether something is known of one of these bytes.
template <unsigned bytes>
[[gnu::always_inline]] inline bool has_marks(std::uintptr_t at) {
  constexpr unsigned step = bytes < sizeof(std::uint64_t) ? bytes : sizeof(std::uint64_t);
  std::uint64_t all = 0;
  for (unsigned i = 0; i < bytes; i += step) {
    std::uint64_t word = 0;
    std::memcpy(&word, reinterpret_cast<const void*>(at + marks_distance + i), step);
    all |= word;
  }
  return all != 0;
}

/// A thread comes to a variable of its own of which something is known.
[[gnu::cold]] void meet_marks(const void* address, std::uint32_t site);

/// The trace is full: lets the block's other threads catch up, then goes on.
void make_room_in_trace();

/// A store that nobody records, to neither shared nor device memory nor the module's variables.
/// Returns if it is the running thread's own.
[[gnu::cold]] void guard_store_elsewhere(const void* address, const void* pc, const void* frame);

/// The running thread has called a memory fence.
void note_fence();

/// What the host may come to while the device is at work: memory of cudaMallocManaged() and
/// cudaHostAlloc(), and the `__managed__` variables of a program. Empty where there is none.
struct SharedWithHost {
  std::uintptr_t base = 0;
  std::size_t bytes = 0;
  std::uintptr_t variables_base = 0;
  std::size_t variables_bytes = 0;
};
extern SharedWithHost shared_with_host;

/// The host comes to what it shares with the device.
[[gnu::cold]] void note_host_access(const void* address, std::size_t bytes, bool writes,
                                    const void* pc);

/// It does so by an atomic operation, by which it may wait for a kernel.
[[gnu::cold]] void note_host_atomic(const void* address);

/// Whether an access is the host's, to what it shares with the device.
[[gnu::always_inline]] inline bool is_of_host(const void* address) {
  const auto at = reinterpret_cast<std::uintptr_t>(address);
  return !recorder.guards_stores &&
         (at - shared_with_host.base < shared_with_host.bytes ||
          at - shared_with_host.variables_base < shared_with_host.variables_bytes);
}

[[gnu::always_inline]] inline void watch_host(const void* address, std::size_t bytes, bool writes,
                                              const void* pc) {
  if (is_of_host(address)) note_host_access(address, bytes, writes, pc);
}

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
  if (at - r.variables_base < r.variables_bytes || is_on_own_stack(r, at, frame)) return;
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
  } else if (is_on_own_stack(r, at, frame)) {
    if (r.has_marks && has_marks<bytes>(at)) meet_marks(address, site);
    return;
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
