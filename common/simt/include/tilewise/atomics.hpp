#pragma once

#include <stdint.h>

#include <type_traits>

#include "fibers.hpp"

namespace tilewise::simt {

/// Lets the block's other threads run: a thread that spins on an atomic waits for one of them.
Switch let_others_run();

/// Unsigned integer of T's size, the type the host's compare-and-swap works on.
template <class T>
using Bits = std::conditional_t<sizeof(T) == 8, uint64_t, uint32_t>;

template <class T>
Bits<T> bits_of(T value) {
  static_assert(sizeof(T) == sizeof(Bits<T>), "atomics work on 4- and 8-byte types");
  return __builtin_bit_cast(Bits<T>, value);
}

template <class T>
T value_of(Bits<T> bits) {
  return __builtin_bit_cast(T, bits);
}

/// Replaces *address by change(*address) and returns the old value. Inlined, as all atomics are, so
/// that the checked build knows the kernel's line.
template <class T, class Change>
[[gnu::always_inline]] inline T atomically(T* address, Change change) {
  auto* word = reinterpret_cast<Bits<T>*>(address);
  Bits<T> old = __atomic_load_n(word, __ATOMIC_RELAXED);
  while (!__atomic_compare_exchange_n(word, &old, bits_of<T>(change(value_of<T>(old))), true,
                                      __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
  }
  return value_of<T>(old);
}

/// Keeps a parameter out of template deduction, so that atomicAdd(&unsigned, 1) works as in CUDA.
template <class T>
using Operand = typename std::enable_if<true, T>::type;

}  // namespace tilewise::simt

template <class T>
[[gnu::always_inline]] inline T atomicAdd(T* address, tilewise::simt::Operand<T> value) {
  return tilewise::simt::atomically(address, [=](T old) { return static_cast<T>(old + value); });
}

template <class T>
[[gnu::always_inline]] inline T atomicSub(T* address, tilewise::simt::Operand<T> value) {
  return tilewise::simt::atomically(address, [=](T old) { return static_cast<T>(old - value); });
}

template <class T>
[[gnu::always_inline]] inline T atomicMin(T* address, tilewise::simt::Operand<T> value) {
  return tilewise::simt::atomically(address, [=](T old) { return value < old ? value : old; });
}

template <class T>
[[gnu::always_inline]] inline T atomicMax(T* address, tilewise::simt::Operand<T> value) {
  return tilewise::simt::atomically(address, [=](T old) { return old < value ? value : old; });
}

template <class T>
[[gnu::always_inline]] inline T atomicAnd(T* address, tilewise::simt::Operand<T> value) {
  return tilewise::simt::atomically(address, [=](T old) { return static_cast<T>(old & value); });
}

template <class T>
[[gnu::always_inline]] inline T atomicOr(T* address, tilewise::simt::Operand<T> value) {
  return tilewise::simt::atomically(address, [=](T old) { return static_cast<T>(old | value); });
}

template <class T>
[[gnu::always_inline]] inline T atomicXor(T* address, tilewise::simt::Operand<T> value) {
  return tilewise::simt::atomically(address, [=](T old) { return static_cast<T>(old ^ value); });
}

/// Counts up to `limit`, then starts again at 0.
[[gnu::always_inline]] inline unsigned atomicInc(unsigned* address, unsigned limit) {
  return tilewise::simt::atomically(address,
                                    [=](unsigned old) { return old >= limit ? 0 : old + 1; });
}

/// Counts down to 0, then starts again at `limit`.
[[gnu::always_inline]] inline unsigned atomicDec(unsigned* address, unsigned limit) {
  return tilewise::simt::atomically(
      address, [=](unsigned old) { return old == 0 || old > limit ? limit : old - 1; });
}

template <class T>
[[gnu::always_inline]] inline T atomicExch(T* address, tilewise::simt::Operand<T> value) {
  const T old = tilewise::simt::atomically(address, [=](T) { return value; });
  // Storing what was there already is how a spin lock sees that it must wait.
  if (tilewise::simt::bits_of<T>(old) == tilewise::simt::bits_of<T>(value)) {
    tilewise::simt::follow(tilewise::simt::let_others_run());
  }
  return old;
}

template <class T>
[[gnu::always_inline]] inline T atomicCAS(T* address, tilewise::simt::Operand<T> compare,
                                          tilewise::simt::Operand<T> value) {
  using namespace tilewise::simt;
  Bits<T> seen = bits_of<T>(compare);
  const bool swapped =
      __atomic_compare_exchange_n(reinterpret_cast<Bits<T>*>(address), &seen, bits_of<T>(value),
                                  false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
  if (!swapped) follow(let_others_run());
  return value_of<T>(seen);
}
