#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common/gpu/gpu_profile.hpp"
#include "grading/examiner/test_end.hpp"
#include "grading/profile/memory_use.hpp"

namespace tilewise::grading {

/// What the kernels of a call did in memory.
struct CountedCall {
  std::string text;  ///< "matmul_shared(n=384, tile=32)"
  MemoryUse use;
  std::vector<KernelProfile> launches = {};  ///< one by one, in order
};

/// The traffic that a call needs in global memory, for loads or for stores.
struct TrafficTheory {
  std::uint64_t requests = 0;
  std::uint64_t sectors = 0;
  std::string reason;  ///< continues "that suffice, since "
};

/// Reports more requests, or more sectors, than `slack` times what the theory needs: either
/// something is fetched more often than it needs to be, or what is fetched does not lie together.
/// The message names the line to look at. `advice` is the hint where something is fetched too
/// often.
std::optional<Finding> excess_traffic(const CountedCall& call, const AccessKind& kind,
                                      const TrafficTheory& theory, double slack,
                                      const std::string& advice);

/// Reports the line that scatters most, if its requests move more than three times the sectors that
/// would do and are at least a twentieth of all. Totals hide such a line where the rest of the
/// traffic, which joins, is several times as much.
std::optional<Finding> scattered_line(const CountedCall& call, const AccessKind& kind);

/// Reports bank conflicts in more than a tenth of all wavefronts. A padded tile, which is meant to
/// avoid them, may well have some where it is filled.
/// @param lanes how many lanes' accesses become one request
std::optional<Finding> excess_bank_conflicts(const CountedCall& call, int lanes);

/// Reports DRAM partitions that blocks wait for while others are idle: the blocks that are on the
/// GPU at the same time keep fewer than 3 of 8 busy. Returns nothing where addresses are hashed
/// over the partitions.
std::optional<Finding> partition_camping(const CountedCall& call, const core::GpuProfile& gpu);

}  // namespace tilewise::grading
