#pragma once

#include <array>
#include <cstdint>

#include "common/gpu/gpu_profile.hpp"
#include "common/simt/recorder/record.hpp"
#include "common/simt/watch.hpp"

/// The memory traffic that one instruction of one warp causes.
namespace tilewise::simt {

/// How a GPU serves a warp.
struct MemoryRules {
  bool half_warps = false;  ///< compute capability 1.x: 16 lanes at a time, and segments of memory
  unsigned banks = 32;
  bool partitions = false;  ///< addresses go to DRAM partitions in turn, unhashed (GT200)

  explicit MemoryRules(const core::GpuProfile& gpu);
};

/// The addresses of the lanes that take part; all accesses have the same size.
struct LaneAddresses {
  std::uint32_t lanes;  ///< the lanes that take part
  unsigned bytes;       ///< size of each access: 1, 2, 4, 8 or 16
  bool load;
  std::uint32_t at[32];
  bool atomic = false;  ///< lanes that access one word of a bank are served one after another
};

struct SharedCost {
  unsigned requests = 0;    ///< 1; on 1.x the number of half-warps that take part
  unsigned wavefronts = 0;  ///< passes over the banks
  unsigned conflicts = 0;   ///< passes that bank conflicts add
  unsigned bytes = 0;       ///< number of distinct bytes asked for
};

/// Computes the cost of a request to shared memory. It is served in phases, each of as many lanes
/// as 128 bytes hold: all 32, a half-warp for 8 bytes a lane, a quarter-warp for 16. Phases of a
/// load are joined two by two if lanes come in pairs that read the same: all lanes l and l ^ 1, or
/// all lanes l and l ^ 2. A phase takes as many passes as the busiest bank has distinct words to
/// deliver.
///
/// Sources: CUDA C++ Programming Guide, "Shared Memory" of each compute capability; the phases of
/// wide accesses reproduce what an H200 counts for 1,618 patterns (docs/measurements) and what
/// put2025 counted on a GTX 1080.
SharedCost shared_cost(const LaneAddresses& addresses, const MemoryRules& rules);

struct GlobalCost {
  unsigned requests = 0;      ///< 1; on 1.x the number of half-warps that take part
  unsigned sectors = 0;       ///< sectors of 32 bytes; on 1.x the bytes moved, divided by 32
  unsigned transactions = 0;  ///< on 1.x segments of 32, 64 or 128 bytes; otherwise not counted
  unsigned bytes = 0;         ///< number of distinct bytes asked for
};

/// Computes the cost of a request to global memory.
/// Sources: CUDA C++ Programming Guide, "Global Memory"; segments of 1.x: version 3.2, G.3.2.2.
GlobalCost global_cost(const LaneAddresses& addresses, const MemoryRules& rules);

/// Adds the bytes that the segments of a request move from or to each partition.
void add_partition_bytes(const LaneAddresses& addresses,
                         std::array<std::uint64_t, dram_partitions>& bytes);

}  // namespace tilewise::simt
