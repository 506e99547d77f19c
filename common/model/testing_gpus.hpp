#pragma once

#include <cstddef>
#include <string>

#include "common/gpu/gpu_profile.hpp"

namespace tilewise::model {

/// A GPU for tests, by its profile's name or, if the course has no profile of its compute
/// capability, by that capability.
inline core::GpuProfile testing_gpu(const std::string& name) {
  // Programming Guide, "Technical Specifications per Compute Capability".
  struct Limits {
    const char* name;
    int major, minor;
    int warps_per_sm, blocks_per_sm;
    std::size_t shared_bytes_per_sm, shared_bytes_per_block;
  };
  constexpr Limits without_profile[] = {
      {"3.5", 3, 5, 64, 16, 48 << 10, 48 << 10},
      {"7.0", 7, 0, 64, 32, 96 << 10, 96 << 10},
      {"8.6", 8, 6, 48, 16, 100 << 10, 99 << 10},
      {"8.9", 8, 9, 48, 24, 100 << 10, 99 << 10},
  };
  for (const Limits& limits : without_profile) {
    if (name != limits.name) continue;
    core::GpuProfile gpu = core::gpu_profile("a100");
    gpu.name = "a GPU of compute capability " + name;
    gpu.compute_major = limits.major;
    gpu.compute_minor = limits.minor;
    gpu.warps_per_sm = limits.warps_per_sm;
    gpu.threads_per_sm = 32 * limits.warps_per_sm;
    gpu.blocks_per_sm = limits.blocks_per_sm;
    gpu.shared_bytes_per_sm = limits.shared_bytes_per_sm;
    gpu.shared_bytes_per_block = limits.shared_bytes_per_block;
    return gpu;
  }
  return core::gpu_profile(name);
}

}  // namespace tilewise::model
