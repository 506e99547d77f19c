#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

/// How an access is recorded while it happens: where in the code it is, what it does, and which
/// memory it accesses, in two 32-bit words.
namespace tilewise::simt {

enum class Action : std::uint32_t { none = 0, read = 1, write = 2, atomic = 3 };

/// A place in the kernel's code that accesses memory, with what it does there. control_flow.hpp
/// determines which of two places comes first.
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

  /// Returns all bits but the code address; known when the hook is compiled.
  static constexpr std::uint32_t kind(Action action, unsigned bytes) {
    unsigned log2 = 0;
    while ((1u << log2) < bytes) ++log2;
    return static_cast<std::uint32_t>(action) << 30 | log2 << 27;
  }

 private:
  std::uint32_t word_;
};

/// The meaning of an entry without action depends on its number of bytes; 1 is a mark of a loop.
/// The entry's place is a number for BlockWatch::copy().
inline constexpr unsigned note_of_begun_copy = 2;
/// The entry's place is the number of batches that have arrived.
inline constexpr unsigned note_of_wait = 4;

/// A place in memory: an offset into device memory, or from `shared_place` on an offset into the
/// shared memory of the running block.
using Place = std::uint32_t;
inline constexpr Place shared_place = 0xF000'0000u;
constexpr bool is_shared(Place place) { return place >= shared_place; }

/// The width of a bank of shared memory, and of the units for which shadows keep a record.
inline constexpr unsigned word_bytes = 4;

/// The size of the pages by which the recorder knows where device memory is allocated, as a binary
/// logarithm.
inline constexpr unsigned device_page_bits = 16;

/// Returns the address of the instruction that a site stands for. Sites hold the low bits of the
/// address that the hook returns to; all code of a kernel lies near the function that calls it.
/// @param near an address in the module's code
inline std::uintptr_t code_address(std::uint32_t site, std::uintptr_t near) {
  constexpr std::uintptr_t span = std::uintptr_t{1} << Site32::code_bits;
  const auto distance = [&](std::uintptr_t at) { return at > near ? at - near : near - at; };
  std::uintptr_t best = (near & ~(span - 1)) + Site32(site).code();
  for (const std::uintptr_t candidate : {best - span, best + span}) {
    if (distance(candidate) < distance(best)) best = candidate;
  }
  return best - 1;  // within the call instruction rather than behind it
}

/// Folds a value of 1 to 16 bytes into a word, which suffices to tell whether two threads store the
/// same value.
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

/// The fast path from an access of a kernel into the trace of its warp.
namespace tilewise::simt {

/// The number of accesses that one thread can make before its warp's trace has to be read.
inline constexpr std::size_t trace_rows = 1024;
inline constexpr std::size_t trace_lanes = 32;

/// A warp's accesses since its trace was last read. Row i of each array holds the i-th access of
/// every lane, so that lanes that run alike are read as a warp.
struct WarpRows {
  std::uint32_t sites[trace_rows + 1][trace_lanes];  ///< Site32 words; 0: to be ignored
  Place places[trace_rows + 1][trace_lanes];
  std::uint32_t olds[trace_rows + 1][trace_lanes];  ///< for a write: the value before it
};

/// What the hooks need to know of the running CUDA thread and its operating-system thread.
struct Recorder {
  /// In WarpRows::sites, in the running lane's column; null: nothing is recorded.
  std::uint32_t* next;
  std::uint32_t* end;  ///< in the row after the last one
  std::uintptr_t shared_base;
  std::size_t shared_bytes;
  std::uintptr_t device_base;
  std::size_t device_bytes;
  const std::uint8_t* device_pages;  ///< by page: not 0 where memory is allocated
  std::uintptr_t variables_base;     ///< the memory that the module may write to
  std::size_t variables_bytes;
  std::uintptr_t stack_base;  ///< the stack on which a thread last accessed variables of its own
  std::uintptr_t stack_bytes;
  bool guards_stores;  ///< a kernel runs, whether or not its accesses are recorded
  bool has_marks;      ///< something is known of variables on stacks (private_variables.hpp)
};
extern __thread Recorder recorder __attribute__((tls_model("initial-exec")));

/// Whether a thread accesses a variable of its own on the stack that the recorder knows. The
/// run-time's variables and return addresses lie below the thread's frame.
[[gnu::always_inline]] inline bool is_on_own_stack(const Recorder& r, std::uintptr_t address,
                                                   const void* frame) {
  const auto lowest = reinterpret_cast<std::uintptr_t>(frame);
  return lowest >= r.stack_base && address >= lowest && address - r.stack_base < r.stack_bytes;
}

/// The distance from a byte of a variable on a stack up to the byte that says what is known of it;
/// that byte is 0 if nothing is known.
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

/// Handles an access of a thread to a variable of its own of which something is known.
[[gnu::cold]] void meet_marks(const void* address, std::uint32_t site);

/// Called when the trace is full: lets the block's other threads catch up, then returns.
void make_room_in_trace();

/// Checks an unrecorded store that goes neither to shared memory, device memory nor the module's
/// variables. Returns if the place is the running thread's own.
[[gnu::cold]] void guard_store_elsewhere(const void* address, const void* pc, const void* frame);

/// Notes that the running thread has called a memory fence.
void note_fence();

/// The memory that the host may access while the device is at work: memory of cudaMallocManaged()
/// and cudaHostAlloc(), and the `__managed__` variables of a program. Both ranges are empty if
/// there is none.
struct SharedWithHost {
  std::uintptr_t base = 0;
  std::size_t bytes = 0;
  std::uintptr_t variables_base = 0;
  std::size_t variables_bytes = 0;
};
extern SharedWithHost shared_with_host;

/// Notes that the host accesses memory that it shares with the device.
[[gnu::cold]] void note_host_access(const void* address, std::size_t bytes, bool writes,
                                    const void* pc);

/// Notes that the host accesses such memory by an atomic operation, by which it may wait for a
/// kernel.
[[gnu::cold]] void note_host_atomic(const void* address);

/// Whether the host makes this access, to memory that it shares with the device.
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

/// Records an access to neither shared nor allocated device memory, perhaps to a variable.
/// @param frame the lowest address of the function that makes the access
[[gnu::cold]] void record_elsewhere(const void* address, std::uint32_t site, const void* frame);

/// Checks where kernels store in all their runs, because kernels run in the same process as the
/// run-time.
[[gnu::always_inline]] inline void guard_store(const void* address, const void* pc,
                                               const void* frame) {
  const Recorder& r = recorder;
  if (!r.guards_stores) return;
  const auto at = reinterpret_cast<std::uintptr_t>(address);
  if (at - r.shared_base < r.shared_bytes || at - r.device_base < r.device_bytes) return;
  if (at - r.variables_base < r.variables_bytes || is_on_own_stack(r, at, frame)) return;
  guard_store_elsewhere(address, pc, frame);
}

/// Returns the address to record as the place in the code for all but the first access that one
/// call records, so that these do not count as another pass through the code (control_flow.hpp).
inline const void* continued(const void* pc) { return static_cast<const char*>(pc) - 1; }

/// Writes an access into the running lane's column of its warp's trace. It is inlined into each
/// hook, so that action and size are constants there.
/// @param pc the address that the hook returns to
/// @param frame the lowest address of the function that called the hook
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
