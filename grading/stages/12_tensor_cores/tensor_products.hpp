#pragma once

#include <cstdint>
#include <optional>

#include "common/base/language.hpp"
#include "grading/examiner/memory_limits.hpp"

namespace tilewise::grading {

/// Returns a finding if tensor cores make fewer multiply-adds than a call needs.
/// @param products the counter for the type of the call's elements
/// @param times the number of tensor-core products for each product of the result
std::optional<Finding> few_tensor_products(const CountedCall& call,
                                           std::uint64_t simt::Counters::*products,
                                           std::uint64_t needed, int times);

/// Returns the elements of A, (m, k), and B, (k, n), that blocks of 64 x 64 results fetch if they
/// fetch each once; 64 divides m and n. The largest tile that a single warp can have is 64 x 64,
/// too, but if its lanes fetch elements as mma.sync needs them, the accesses are scattered.
TrafficTheory tiles_fetched_once(int m, int n, int k, int element_bytes);

/// The slack allows tiles of 64 x 48 and of 64 x 32 results; the latter fetch 1.5 times as much.
inline constexpr double slack_of_tiles = 1.6;

inline constexpr const char* advice_on_tiles = marked(
    "Let a block compute at least 64 x 64 elements of C, bring each element of its tiles into "
    "shared memory once, in units of 16 bytes, and let its warps read their operands there.");

}  // namespace tilewise::grading
