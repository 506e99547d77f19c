// What `-fsanitize=thread` makes of atomic operations, in place of the sanitizer's own run-time
// (compiler-rt, tsan_interface_atomic.h).
//
// The facade's atomics (tilewise/atomics.hpp) are one load followed by weak swaps until one
// succeeds, or a single strong swap (atomicCAS): what comes first stands for the whole CUDA
// operation. The others serve host code that happens to be in a kernel file.

#include <cstdint>

#include "common/simt/checked/record.hpp"

using tilewise::simt::Action;

// Macros, because the sanitizer has one function for every size.
#define TILEWISE_RECORD_ATOMIC(bits)                                       \
  tilewise::simt::record<Action::atomic, bits / 8>(                        \
      const_cast<const void*>(static_cast<const volatile void*>(address)), \
      __builtin_return_address(0))

#define TILEWISE_FETCH_HOOK(bits, T, operation)                                  \
  T __tsan_atomic##bits##_fetch_##operation(volatile T* address, T value, int) { \
    return __atomic_fetch_##operation(address, value, __ATOMIC_SEQ_CST);         \
  }

#define TILEWISE_ATOMIC_HOOKS(bits, T)                                                             \
  T __tsan_atomic##bits##_load(const volatile T* address, int) {                                   \
    TILEWISE_RECORD_ATOMIC(bits);                                                                  \
    return __atomic_load_n(address, __ATOMIC_SEQ_CST);                                             \
  }                                                                                                \
  void __tsan_atomic##bits##_store(volatile T* address, T value, int) {                            \
    __atomic_store_n(address, value, __ATOMIC_SEQ_CST);                                            \
  }                                                                                                \
  T __tsan_atomic##bits##_exchange(volatile T* address, T value, int) {                            \
    return __atomic_exchange_n(address, value, __ATOMIC_SEQ_CST);                                  \
  }                                                                                                \
  TILEWISE_FETCH_HOOK(bits, T, add)                                                                \
  TILEWISE_FETCH_HOOK(bits, T, sub)                                                                \
  TILEWISE_FETCH_HOOK(bits, T, and)                                                                \
  TILEWISE_FETCH_HOOK(bits, T, or)                                                                 \
  TILEWISE_FETCH_HOOK(bits, T, xor)                                                                \
  TILEWISE_FETCH_HOOK(bits, T, nand)                                                               \
  int __tsan_atomic##bits##_compare_exchange_weak(volatile T* address, T* expected, T wanted, int, \
                                                  int) {                                           \
    return __atomic_compare_exchange_n(address, expected, wanted, true, __ATOMIC_SEQ_CST,          \
                                       __ATOMIC_SEQ_CST);                                          \
  }                                                                                                \
  int __tsan_atomic##bits##_compare_exchange_strong(volatile T* address, T* expected, T wanted,    \
                                                    int, int) {                                    \
    TILEWISE_RECORD_ATOMIC(bits);                                                                  \
    return __atomic_compare_exchange_n(address, expected, wanted, false, __ATOMIC_SEQ_CST,         \
                                       __ATOMIC_SEQ_CST);                                          \
  }                                                                                                \
  T __tsan_atomic##bits##_compare_exchange_val(volatile T* address, T expected, T wanted, int,     \
                                               int) {                                              \
    TILEWISE_RECORD_ATOMIC(bits);                                                                  \
    __atomic_compare_exchange_n(address, &expected, wanted, false, __ATOMIC_SEQ_CST,               \
                                __ATOMIC_SEQ_CST);                                                 \
    return expected;                                                                               \
  }

extern "C" {

TILEWISE_ATOMIC_HOOKS(8, std::uint8_t)
TILEWISE_ATOMIC_HOOKS(16, std::uint16_t)
TILEWISE_ATOMIC_HOOKS(32, std::uint32_t)
TILEWISE_ATOMIC_HOOKS(64, std::uint64_t)

void __tsan_atomic_thread_fence(int) {
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
  tilewise::simt::note_fence();
}
void __tsan_atomic_signal_fence(int) {}

}  // extern "C"
