#pragma once

#include <optional>

#include "grading/worker/call.hpp"

namespace tilewise::grading {

/// Theoretical single-precision peak of a device at its highest clock, in GFLOPS (2 operations a
/// multiply-add); nothing if the driver does not tell enough, or
/// the compute capability is not known.
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
