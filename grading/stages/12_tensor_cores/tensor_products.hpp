#pragma once

#include <cstdint>
#include <optional>

#include "common/base/language.hpp"
#include "grading/examiner/memory_limits.hpp"

namespace tilewise::grading {

/// Fewer multiply-adds by tensor cores than a call needs. `products`: of its elements' type.
/// `times`: that a product of the result takes.
std::optional<Finding> few_tensor_products(const CountedCall& call,
                                           std::uint64_t simt::Counters::*products,
                                           std::uint64_t needed, int times);

/// What blocks of 64 x 64 results fetch of A, (m, k), and B, (k, n), whose sides they divide, if
/// they do it once. The largest tiles that a warp can have on its own are 64 x 64, too, but fetched
/// by its lanes as mma.sync wants them they are scattered.
TrafficTheory tiles_fetched_once(int m, int n, int k, int element_bytes);

/// Room for tiles of 64 x 48 results; of 64 x 32 they make 1.5 times as much.
inline constexpr double slack_of_tiles = 1.6;

inline constexpr const char* advice_on_tiles = marked(
    "Let a block compute at least 64 x 64 elements of C, bring each element of its tiles into "
    "shared memory once, in units of 16 bytes, and let its warps read their operands there.");

}  // namespace tilewise::grading
