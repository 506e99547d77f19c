#pragma once

#include <stdint.h>

#include <type_traits>

#include "fibers.hpp"
#include "qualifiers.hpp"

namespace tilewise::simt {

/// Lets the block's other threads run, because a thread that spins on an atomic waits for one of
/// them.
Switch let_others_run();

/// The unsigned integer of T's size, on which the host's compare-and-swap works.
template <class T>
using Bits = std::conditional_t<sizeof(T) == 8, uint64_t,
                                std::conditional_t<sizeof(T) == 2, uint16_t, uint32_t>>;

template <class T>
Bits<T> bits_of(T value) {
  static_assert(sizeof(T) == sizeof(Bits<T>), "atomics work on types of 2, 4 and 8 bytes");
  return __builtin_bit_cast(Bits<T>, value);
}

template <class T>
T value_of(Bits<T> bits) {
  return __builtin_bit_cast(T, bits);
}

/// Replaces *address by change(*address, operand) and returns the old value. The checked build uses
/// it, because there an atomic operation has to be a single access.
uint16_t atomically_replace(uint16_t* address, uint16_t operand,
                            uint16_t (*change)(uint16_t old, uint16_t operand));
uint32_t atomically_replace(uint32_t* address, uint32_t operand,
                            uint32_t (*change)(uint32_t old, uint32_t operand));
uint64_t atomically_replace(uint64_t* address, uint64_t operand,
                            uint64_t (*change)(uint64_t old, uint64_t operand));

/// Replaces *address by Change()(*address, operand) and returns the old value. It is inlined, as
/// all atomics are, so that the checked build knows the kernel's line.
template <class Change, class T>
[[gnu::always_inline]] inline T atomically(T* address, T operand) {
  using Word = Bits<T>;
  auto* word = reinterpret_cast<Word*>(address);
  const auto change = [](Word old, Word value) -> Word {
    return bits_of<T>(Change()(value_of<T>(old), value_of<T>(value)));
  };
#ifdef TILEWISE_CHECKED
  return value_of<T>(atomically_replace(word, bits_of<T>(operand), change));
#else
  Word old = __atomic_load_n(word, __ATOMIC_RELAXED);
  while (!__atomic_compare_exchange_n(word, &old, change(old, bits_of<T>(operand)), true,
                                      __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
  }
  return value_of<T>(old);
#endif
}

// How the old value and the operand are combined.
struct Sum {
  template <class T>
  T operator()(T a, T b) const {
    return static_cast<T>(a + b);
  }
};
struct Difference {
  template <class T>
  T operator()(T a, T b) const {
    return static_cast<T>(a - b);
  }
};
struct Smaller {
  template <class T>
  T operator()(T a, T b) const {
    return static_cast<T>(b < a ? b : a);
  }
};
struct Larger {
  template <class T>
  T operator()(T a, T b) const {
    return static_cast<T>(a < b ? b : a);
  }
};
struct BitsOfBoth {
  template <class T>
  T operator()(T a, T b) const {
    return static_cast<T>(a & b);
  }
};
struct BitsOfEither {
  template <class T>
  T operator()(T a, T b) const {
    return static_cast<T>(a | b);
  }
};
struct BitsOfOne {
  template <class T>
  T operator()(T a, T b) const {
    return static_cast<T>(a ^ b);
  }
};
struct Second {
  template <class T>
  T operator()(T, T b) const {
    return b;
  }
};
struct UpTo {
  unsigned operator()(unsigned old, unsigned limit) const { return old >= limit ? 0 : old + 1; }
};
struct DownFrom {
  unsigned operator()(unsigned old, unsigned limit) const {
    return old == 0 || old > limit ? limit : old - 1;
  }
};

/// Keeps a parameter out of template deduction, so that atomicAdd(&unsigned, 1) works as in CUDA.
template <class T>
using Operand = typename std::enable_if<true, T>::type;

}  // namespace tilewise::simt

template <class T>
[[gnu::always_inline]] inline T atomicAdd(T* address, tilewise::simt::Operand<T> value) {
  return tilewise::simt::atomically<tilewise::simt::Sum>(address, T(value));
}

template <class T>
[[gnu::always_inline]] inline T atomicSub(T* address, tilewise::simt::Operand<T> value) {
  return tilewise::simt::atomically<tilewise::simt::Difference>(address, T(value));
}

template <class T>
[[gnu::always_inline]] inline T atomicMin(T* address, tilewise::simt::Operand<T> value) {
  return tilewise::simt::atomically<tilewise::simt::Smaller>(address, T(value));
}

template <class T>
[[gnu::always_inline]] inline T atomicMax(T* address, tilewise::simt::Operand<T> value) {
  return tilewise::simt::atomically<tilewise::simt::Larger>(address, T(value));
}

template <class T>
[[gnu::always_inline]] inline T atomicAnd(T* address, tilewise::simt::Operand<T> value) {
  return tilewise::simt::atomically<tilewise::simt::BitsOfBoth>(address, T(value));
}

template <class T>
[[gnu::always_inline]] inline T atomicOr(T* address, tilewise::simt::Operand<T> value) {
  return tilewise::simt::atomically<tilewise::simt::BitsOfEither>(address, T(value));
}

template <class T>
[[gnu::always_inline]] inline T atomicXor(T* address, tilewise::simt::Operand<T> value) {
  return tilewise::simt::atomically<tilewise::simt::BitsOfOne>(address, T(value));
}

/// Counts up to `limit`, then starts again at 0.
[[gnu::always_inline]] inline unsigned atomicInc(unsigned* address, unsigned limit) {
  return tilewise::simt::atomically<tilewise::simt::UpTo>(address, limit);
}

/// Counts down to 0, then starts again at `limit`.
[[gnu::always_inline]] inline unsigned atomicDec(unsigned* address, unsigned limit) {
  return tilewise::simt::atomically<tilewise::simt::DownFrom>(address, limit);
}

template <class T>
[[gnu::always_inline]] inline T atomicExch(T* address, tilewise::simt::Operand<T> value) {
  const T old = tilewise::simt::atomically<tilewise::simt::Second>(address, T(value));
  // A spin lock sees that it must wait when it stores a value that was there already.
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

// Atomics for one block, and those that the host takes part in, behave as all others.
#define TILEWISE_OF_SCOPE(name, scope)                                                        \
  template <class T>                                                                          \
  [[gnu::always_inline]] inline T name##scope(T* address, tilewise::simt::Operand<T> value) { \
    return name(address, value);                                                              \
  }
#define TILEWISE_SCOPES(name) TILEWISE_OF_SCOPE(name, _block) TILEWISE_OF_SCOPE(name, _system)
TILEWISE_SCOPES(atomicAdd)
TILEWISE_SCOPES(atomicSub)
TILEWISE_SCOPES(atomicMin)
TILEWISE_SCOPES(atomicMax)
TILEWISE_SCOPES(atomicAnd)
TILEWISE_SCOPES(atomicOr)
TILEWISE_SCOPES(atomicXor)
TILEWISE_SCOPES(atomicInc)
TILEWISE_SCOPES(atomicDec)
TILEWISE_SCOPES(atomicExch)
#undef TILEWISE_SCOPES
#undef TILEWISE_OF_SCOPE

template <class T>
[[gnu::always_inline]] inline T atomicCAS_block(T* address, tilewise::simt::Operand<T> compare,
                                                tilewise::simt::Operand<T> value) {
  return atomicCAS(address, compare, value);
}
template <class T>
[[gnu::always_inline]] inline T atomicCAS_system(T* address, tilewise::simt::Operand<T> compare,
                                                 tilewise::simt::Operand<T> value) {
  return atomicCAS(address, compare, value);
}
