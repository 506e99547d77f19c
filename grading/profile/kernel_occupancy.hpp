#pragma once

#include <cstddef>
#include <string>

#include "common/gpu/gpu_profile.hpp"
#include "common/theory/occupancy.hpp"
#include "grading/worker/call.hpp"

namespace tilewise::grading {

/// Shared memory of a block, static and dynamic.
std::size_t shared_bytes(const KernelProfile& kernel);

/// How the launch would fill an SM of a GPU, with so many registers a thread.
theory::Occupancy occupancy_of(const KernelProfile& kernel, const core::GpuProfile& gpu,
                               int registers_per_thread);

/// "shared memory", or "warps and blocks" where both run out at once.
std::string limiter_of(const theory::Occupancy& occupancy);

}  // namespace tilewise::grading
