// The functions that `-fsanitize=thread` calls for atomic operations, in place of the sanitizer's
// own run-time (compiler-rt, tsan_interface_atomic.h).
//
// CUDA's own atomics come here, too: atomicCAS as a strong swap, the others by
// `atomically_replace`, so that each is one access, however often blocks that run at the same time
// make it try again. Atomics that are not CUDA's (`__atomic_*`, `__sync_*` and std::atomic) leave
// as many accesses as they make.

#include <cstdint>
#include <cstring>
#include <mutex>

#include "common/simt/include/tilewise/atomics.hpp"
#include "common/simt/recorder/record.hpp"

using tilewise::simt::Action;

// Macros, because the sanitizer has one function for every size.
#define TILEWISE_RECORD(action, bits)                                                         \
  const void* const of = const_cast<const void*>(static_cast<const volatile void*>(address)); \
  if (tilewise::simt::is_of_host(of)) tilewise::simt::note_host_atomic(of);                   \
  tilewise::simt::record<Action::action, bits / 8>(of, __builtin_return_address(0))

#define TILEWISE_FETCH_HOOK(bits, T, operation)                                  \
  T __tsan_atomic##bits##_fetch_##operation(volatile T* address, T value, int) { \
    TILEWISE_RECORD(atomic, bits);                                               \
    return __atomic_fetch_##operation(address, value, __ATOMIC_SEQ_CST);         \
  }

/// The expected value is loaded; if it differs from the value in memory, the latter is stored in
/// its place.
#define TILEWISE_SWAP(bits, T)                                   \
  const void* const pc = __builtin_return_address(0);            \
  tilewise::simt::record<Action::read, bits / 8>(expected, pc);  \
  TILEWISE_RECORD(atomic, bits);                                 \
  T seen = *expected;                                            \
  if (swap_if_equal(address, &seen, wanted)) return 1;           \
  tilewise::simt::record<Action::write, bits / 8>(expected, pc); \
  *expected = seen;                                              \
  return 0;

#define TILEWISE_SWAP_HOOKS(bits, T)                                                               \
  int __tsan_atomic##bits##_compare_exchange_weak(volatile T* address, T* expected, T wanted, int, \
                                                  int) {                                           \
    TILEWISE_SWAP(bits, T)                                                                         \
  }                                                                                                \
  int __tsan_atomic##bits##_compare_exchange_strong(volatile T* address, T* expected, T wanted,    \
                                                    int, int){TILEWISE_SWAP(                       \
      bits, T)} T __tsan_atomic##bits##_compare_exchange_val(volatile T* address, T expected,      \
                                                             T wanted, int, int) {                 \
    TILEWISE_RECORD(atomic, bits);                                                                 \
    swap_if_equal(address, &expected, wanted);                                                     \
    return expected;                                                                               \
  }

#define TILEWISE_ATOMIC_HOOKS(bits, T)                                  \
  T __tsan_atomic##bits##_load(const volatile T* address, int) {        \
    TILEWISE_RECORD(read, bits);                                        \
    return __atomic_load_n(address, __ATOMIC_SEQ_CST);                  \
  }                                                                     \
  void __tsan_atomic##bits##_store(volatile T* address, T value, int) { \
    TILEWISE_RECORD(write, bits);                                       \
    __atomic_store_n(address, value, __ATOMIC_SEQ_CST);                 \
  }                                                                     \
  T __tsan_atomic##bits##_exchange(volatile T* address, T value, int) { \
    TILEWISE_RECORD(atomic, bits);                                      \
    return __atomic_exchange_n(address, value, __ATOMIC_SEQ_CST);       \
  }                                                                     \
  TILEWISE_FETCH_HOOK(bits, T, add)                                     \
  TILEWISE_FETCH_HOOK(bits, T, sub)                                     \
  TILEWISE_FETCH_HOOK(bits, T, and)                                     \
  TILEWISE_FETCH_HOOK(bits, T, or)                                      \
  TILEWISE_FETCH_HOOK(bits, T, xor)                                     \
  TILEWISE_FETCH_HOOK(bits, T, nand)                                    \
  TILEWISE_SWAP_HOOKS(bits, T)

namespace {

template <class T>
int swap_if_equal(volatile T* address, T* expected, T wanted) {
  return __atomic_compare_exchange_n(address, expected, wanted, false, __ATOMIC_SEQ_CST,
                                     __ATOMIC_SEQ_CST);
}

// None of the supported processors has all operations on 128 bits, and the library for them is not
// linked.
__extension__ typedef unsigned __int128 Wide;

std::mutex wide_mutex;

template <class Change>
Wide change_wide(volatile Wide* address, Change change) {
  const std::lock_guard lock(wide_mutex);
  const Wide old = *address;
  *address = change(old);
  return old;
}

int swap_if_equal(volatile Wide* address, Wide* expected, Wide wanted) {
  const Wide old =
      change_wide(address, [&](Wide value) { return value == *expected ? wanted : value; });
  const bool equal = old == *expected;
  *expected = old;
  return equal;
}

}  // namespace

namespace tilewise::simt {

template <class Word>
static Word replace(Word* address, Word operand, Word (*change)(Word old, Word operand)) {
  Word old = __atomic_load_n(address, __ATOMIC_RELAXED);
  while (!__atomic_compare_exchange_n(address, &old, change(old, operand), true, __ATOMIC_RELAXED,
                                      __ATOMIC_RELAXED)) {
  }
  return old;
}

[[gnu::noinline]] uint16_t atomically_replace(uint16_t* address, uint16_t operand,
                                              uint16_t (*change)(uint16_t, uint16_t)) {
  TILEWISE_RECORD(atomic, 16);
  return replace(address, operand, change);
}

[[gnu::noinline]] uint32_t atomically_replace(uint32_t* address, uint32_t operand,
                                              uint32_t (*change)(uint32_t, uint32_t)) {
  TILEWISE_RECORD(atomic, 32);
  return replace(address, operand, change);
}

[[gnu::noinline]] uint64_t atomically_replace(uint64_t* address, uint64_t operand,
                                              uint64_t (*change)(uint64_t, uint64_t)) {
  TILEWISE_RECORD(atomic, 64);
  return replace(address, operand, change);
}

}  // namespace tilewise::simt

extern "C" {

TILEWISE_ATOMIC_HOOKS(8, std::uint8_t)
TILEWISE_ATOMIC_HOOKS(16, std::uint16_t)
TILEWISE_ATOMIC_HOOKS(32, std::uint32_t)
TILEWISE_ATOMIC_HOOKS(64, std::uint64_t)

Wide __tsan_atomic128_load(const volatile Wide* address, int) {
  TILEWISE_RECORD(read, 128);
  return change_wide(const_cast<volatile Wide*>(address), [](Wide old) { return old; });
}
void __tsan_atomic128_store(volatile Wide* address, Wide value, int) {
  TILEWISE_RECORD(write, 128);
  change_wide(address, [&](Wide) { return value; });
}
#define TILEWISE_WIDE_HOOK(name, result)                                            \
  Wide __tsan_atomic128_##name(volatile Wide* address, Wide value, int) {           \
    TILEWISE_RECORD(atomic, 128);                                                   \
    return change_wide(address, [&]([[maybe_unused]] Wide old) { return result; }); \
  }
TILEWISE_WIDE_HOOK(exchange, value)
TILEWISE_WIDE_HOOK(fetch_add, old + value)
TILEWISE_WIDE_HOOK(fetch_sub, old - value)
TILEWISE_WIDE_HOOK(fetch_and, (old & value))
TILEWISE_WIDE_HOOK(fetch_or, (old | value))
TILEWISE_WIDE_HOOK(fetch_xor, (old ^ value))
TILEWISE_WIDE_HOOK(fetch_nand, ~(old& value))
TILEWISE_SWAP_HOOKS(128, Wide)

void __tsan_atomic_thread_fence(int) {
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
  tilewise::simt::note_fence();
}
void __tsan_atomic_signal_fence(int) {}

}  // extern "C"
