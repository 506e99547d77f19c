#pragma once

#include <optional>

#include "grading/worker/call.hpp"

namespace tilewise::grading {

/// Single-precision fused multiply-adds one multiprocessor completes a clock, or nothing for a
/// compute capability that is not known. Source: CUDA C++ Programming Guide, "Throughput of Native
/// Arithmetic Instructions".
std::optional<int> fp32_lanes_per_sm(int compute_major, int compute_minor);

/// The same in double precision.
std::optional<int> fp64_lanes_per_sm(int compute_major, int compute_minor);

/// Theoretical single-precision peak of a device at its highest clock, in GFLOPS (2 operations a
/// multiply-add); nothing if the driver does not tell enough.
std::optional<double> peak_fp32_gflops(const DeviceInfo& device);

/// The same in double precision, without tensor cores.
std::optional<double> peak_fp64_gflops(const DeviceInfo& device);

/// What double-precision sums of products can reach at most: tensor cores that take doubles are
/// twice as fast (A100 and H100 data sheets).
std::optional<double> ceiling_fp64_gflops(const DeviceInfo& device);

/// Theoretical bandwidth of a device's memory, from the driver or else from the profile of a card
/// of the same name; nothing if neither knows.
std::optional<double> peak_bandwidth_gb_s(const DeviceInfo& device);

}  // namespace tilewise::grading
