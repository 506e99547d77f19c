#pragma once

#include <optional>

#include "grading/worker/call.hpp"

namespace tilewise::grading {

/// Single-precision fused multiply-adds one multiprocessor completes a clock, or nothing for a
/// compute capability that is not known. Source: CUDA C++ Programming Guide, "Throughput of Native
/// Arithmetic Instructions".
std::optional<int> fp32_lanes_per_sm(int compute_major, int compute_minor);

/// Theoretical single-precision peak of a device at its highest clock, in GFLOPS (2 operations a
/// multiply-add); nothing if the driver does not tell enough.
std::optional<double> peak_fp32_gflops(const DeviceInfo& device);

}  // namespace tilewise::grading
