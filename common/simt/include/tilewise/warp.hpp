#pragma once

#include <stdint.h>
#include <string.h>

#include <type_traits>

#include "barriers.hpp"

namespace tilewise::simt {

/// Registers the thread's arrival at a warp-wide operation of the lanes in `mask`. `value` is what
/// it offers the others, `source_lane` the lane whose value it asks for.
Switch arrive_at_warp_operation(const char* what, Site site, unsigned mask, uint64_t value,
                                int source_lane);

/// The value this thread asked for in the operation just passed.
uint64_t value_from_passed_warp_operation();

/// The lanes that came to the operation just passed with a value other than zero.
unsigned ballot_of_passed_warp_operation();

/// How a warp-wide operation combines the values of all lanes, 64 bits from each, instead of
/// passing on the value of one lane.
enum class WarpFold {
  match_any = 256,  ///< the lanes with the same value; 256 is no lane's number
  match_all,        ///< all lanes if all have the same value, else none
  add,
  min_signed,
  max_signed,
  min_unsigned,
  max_unsigned,
  bits_of_both,
  bits_of_either,
  bits_of_one,
  product,  ///< of matrices; a lane's value is the address of its part
  /// Of small matrices, passed between lanes as ldmatrix does; a lane's value is an address, too.
  rows,
};

/// As exchange(), but with a result that combines the values of all lanes.
template <class T>
[[gnu::always_inline]] inline uint64_t fold(const char* what, Site site, unsigned mask, T value,
                                            WarpFold how) {
  static_assert(std::is_arithmetic_v<T> && sizeof(T) <= 8);
  uint64_t bits = 0;
  if constexpr (std::is_integral_v<T>) {
    bits = static_cast<uint64_t>(value);
  } else {
    __builtin_memcpy(&bits, &value, sizeof(T));
  }
  follow(arrive_at_warp_operation(what, site, mask, bits, static_cast<int>(how)));
  return value_from_passed_warp_operation();
}

/// The lane of the running thread in its warp, 0 to 31.
int lane_index();

/// The lanes of this warp that have not returned from the kernel.
unsigned live_lanes();

/// Waits for the lanes of this warp that are on their way to this place in the code.
/// ballot_of_passed_warp_operation() says which they were.
Switch arrive_at_active_mask(Site site);

/// Whether a type is arithmetic or one of those of cuda_fp16.h and cuda_bf16.h.
template <class T>
inline constexpr bool can_be_shuffled = std::is_arithmetic_v<T>;

template <class T>
[[gnu::always_inline]] inline T exchange(const char* what, Site site, unsigned mask, T value,
                                         int source_lane) {
  static_assert(can_be_shuffled<T> && sizeof(T) <= 8,
                "shuffles move the arithmetic types of up to 8 bytes");
  // The builtin works in place: a call of memcpy would have to be checked, as calls in kernels are.
  uint64_t bits = 0;
  __builtin_memcpy(&bits, &value, sizeof(T));
  follow(arrive_at_warp_operation(what, site, mask, bits, source_lane));
  bits = value_from_passed_warp_operation();
  __builtin_memcpy(&value, &bits, sizeof(T));
  return value;
}

/// Reports a shuffle over at least as many lanes as a warp has, which moves nothing.
void note_lost_shuffle(const char* what, Site site, int distance);

/// First lane of the sub-group of `width` lanes (a power of two) that holds `lane`.
inline int group_start(int lane, int width) { return lane & ~(width - 1); }

}  // namespace tilewise::simt

[[gnu::always_inline]] inline void __syncwarp(unsigned mask = 0xffffffffu, TILEWISE_SITE) {
  using namespace tilewise::simt;
  follow(arrive_at_warp_operation("__syncwarp()", {file, line}, mask, 0, lane_index()));
}

// Shuffles. "Warp Shuffle Functions" in the CUDA C++ Programming Guide defines which lane each form
// reads, and that a lane which would read beyond its sub-group gets its own value.

template <class T>
[[gnu::always_inline]] inline T __shfl_sync(unsigned mask, T value, int source, int width = 32,
                                            TILEWISE_SITE) {
  using namespace tilewise::simt;
  const int lane = group_start(lane_index(), width) + (source & (width - 1));
  return exchange("__shfl_sync()", {file, line}, mask, value, lane);
}

template <class T>
[[gnu::always_inline]] inline T __shfl_up_sync(unsigned mask, T value, unsigned delta,
                                               int width = 32, TILEWISE_SITE) {
  using namespace tilewise::simt;
  const int lane = lane_index(), source = lane - static_cast<int>(delta);
  if (static_cast<int>(delta) >= 32) [[unlikely]]
    note_lost_shuffle("__shfl_up_sync()", {file, line}, static_cast<int>(delta));
  return exchange("__shfl_up_sync()", {file, line}, mask, value,
                  source < group_start(lane, width) ? lane : source);
}

template <class T>
[[gnu::always_inline]] inline T __shfl_down_sync(unsigned mask, T value, unsigned delta,
                                                 int width = 32, TILEWISE_SITE) {
  using namespace tilewise::simt;
  const int lane = lane_index(), source = lane + static_cast<int>(delta);
  if (static_cast<int>(delta) >= 32) [[unlikely]]
    note_lost_shuffle("__shfl_down_sync()", {file, line}, static_cast<int>(delta));
  return exchange("__shfl_down_sync()", {file, line}, mask, value,
                  source >= group_start(lane, width) + width ? lane : source);
}

template <class T>
[[gnu::always_inline]] inline T __shfl_xor_sync(unsigned mask, T value, int lane_mask,
                                                int width = 32, TILEWISE_SITE) {
  using namespace tilewise::simt;
  const int lane = lane_index(), source = lane ^ lane_mask;
  if (lane_mask >= 32) [[unlikely]]
    note_lost_shuffle("__shfl_xor_sync()", {file, line}, lane_mask);
  return exchange("__shfl_xor_sync()", {file, line}, mask, value,
                  source >= group_start(lane, width) + width ? lane : source);
}

[[gnu::always_inline]] inline unsigned __ballot_sync(unsigned mask, int predicate, TILEWISE_SITE) {
  using namespace tilewise::simt;
  follow(arrive_at_warp_operation("__ballot_sync()", {file, line}, mask, predicate != 0,
                                  lane_index()));
  return ballot_of_passed_warp_operation();
}

[[gnu::always_inline]] inline int __any_sync(unsigned mask, int predicate, TILEWISE_SITE) {
  using namespace tilewise::simt;
  follow(
      arrive_at_warp_operation("__any_sync()", {file, line}, mask, predicate != 0, lane_index()));
  return ballot_of_passed_warp_operation() != 0;
}

[[gnu::always_inline]] inline int __all_sync(unsigned mask, int predicate, TILEWISE_SITE) {
  using namespace tilewise::simt;
  // The lanes that say no are counted, so that lanes that have returned do not matter.
  follow(
      arrive_at_warp_operation("__all_sync()", {file, line}, mask, predicate == 0, lane_index()));
  return ballot_of_passed_warp_operation() == 0;
}

[[gnu::always_inline]] inline unsigned __activemask(TILEWISE_SITE) {
  using namespace tilewise::simt;
  follow(arrive_at_active_mask({file, line}));
  return ballot_of_passed_warp_operation();
}

/// Whether the predicate is the same in all lanes.
[[gnu::always_inline]] inline int __uni_sync(unsigned mask, int predicate, TILEWISE_SITE) {
  const unsigned truths = __ballot_sync(mask, predicate, file, line);
  return truths == 0 || truths == (mask & tilewise::simt::live_lanes());
}

/// The lanes that came with the same value.
template <class T>
[[gnu::always_inline]] inline unsigned __match_any_sync(unsigned mask, T value, TILEWISE_SITE) {
  using namespace tilewise::simt;
  return static_cast<unsigned>(
      fold("__match_any_sync()", {file, line}, mask, value, WarpFold::match_any));
}

/// All lanes if they came with the same value, else 0.
template <class T>
[[gnu::always_inline]] inline unsigned __match_all_sync(unsigned mask, T value, int* same,
                                                        TILEWISE_SITE) {
  using namespace tilewise::simt;
  const auto lanes = static_cast<unsigned>(
      fold("__match_all_sync()", {file, line}, mask, value, WarpFold::match_all));
  *same = lanes != 0;
  return lanes;
}

#define TILEWISE_REDUCE(name, T, how)                                                             \
  [[gnu::always_inline]] inline T __reduce_##name##_sync(unsigned mask, T value, TILEWISE_SITE) { \
    using namespace tilewise::simt;                                                               \
    return static_cast<T>(                                                                        \
        fold("__reduce_" #name "_sync()", {file, line}, mask, value, WarpFold::how));             \
  }
TILEWISE_REDUCE(add, unsigned, add)
TILEWISE_REDUCE(add, int, add)
TILEWISE_REDUCE(min, unsigned, min_unsigned)
TILEWISE_REDUCE(min, int, min_signed)
TILEWISE_REDUCE(max, unsigned, max_unsigned)
TILEWISE_REDUCE(max, int, max_signed)
TILEWISE_REDUCE(and, unsigned, bits_of_both)
TILEWISE_REDUCE(or, unsigned, bits_of_either)
TILEWISE_REDUCE(xor, unsigned, bits_of_one)
#undef TILEWISE_REDUCE
