#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "common/gpu/gpu_profile.hpp"
#include "common/model/kernel_metrics.hpp"
#include "common/model/kernel_time.hpp"
#include "common/model/occupancy.hpp"
#include "grading/profile/profile_report.hpp"
#include "grading/worker/call.hpp"

namespace tilewise::grading {

/// Returns the shared memory of a block in bytes: static, dynamic and, on compute capability 1.x,
/// the kernel's arguments.
std::size_t shared_bytes(const KernelProfile& kernel, const core::GpuProfile& gpu);

/// Returns how the launch would fill an SM of a GPU with this number of registers per thread.
model::Occupancy occupancy_of(const KernelProfile& kernel, const core::GpuProfile& gpu,
                              int registers_per_thread);

/// Returns what limits the occupancy: "shared memory", or "warps and blocks" if both limit it
/// equally.
std::string limiter_of(const model::Occupancy& occupancy);

/// Returns the same in the user's language.
std::string limiter_in_words(const model::Occupancy& occupancy);

/// The registers of a thread, and where the number comes from.
struct Registers {
  int per_thread = 0;
  bool from_nvcc = false;
  bool may_spill = false;  ///< nvcc spilled registers, or its output is not known
};

/// Returns the registers that nvcc gave the kernel, or otherwise an estimate. The estimate is 24
/// for addresses and counters plus twice the number of results that a thread has at a time, rounded
/// up to a multiple of 8, and at most as many as a block may have. On compute capability 1.x, whose
/// compilers used few registers, it is 8 plus six times the results; there a kernel that only moves
/// elements counts as having one result.
Registers registers_of(const KernelProfile& kernel, const ProfileReport& report);

/// Returns the launch in the form that the model takes.
model::KernelWork work_of(const KernelProfile& kernel, const ProfileReport& report);

/// Whether the memory footprint of a block was counted.
bool has_footprint(const KernelProfile& kernel);

/// Returns how long the launch would take, or nothing if it cannot run on that GPU, or if the
/// memory footprint of a block was not counted (`lab profile --exhaustive`).
std::optional<model::KernelTime> modelled_time(const KernelProfile& kernel,
                                               const ProfileReport& report);

/// Returns the launch's metrics under the names that profilers use, or nothing if modelled_time()
/// knows no time.
std::optional<model::KernelMetrics> metrics_of(const KernelProfile& kernel,
                                               const ProfileReport& report);

/// Returns the same for all kernels of a call: sums, or means weighted by the kernels' times.
std::optional<model::KernelMetrics> metrics_of_call(const ProfileReport& report);

/// The modelled time of a call.
struct CallTime {
  double ms = 0;
  double gflops = 0;         ///< 0 if nothing is computed
  double gb_s = 0;           ///< bytes requested, loads and stores
  double gips = 0;           ///< 10^9 warp instructions per second
  double occupancy_pct = 0;  ///< for the kernel that takes longest, like the limiter
  std::string limiter;
};

/// Returns how long all kernels of a call would take, one after another, or nothing if the time of
/// any of them is not known. If there are several kernels, it is unknown how much each of them
/// computes. Their times without arithmetic are then added up, and all of the call's arithmetic is
/// assumed to run at the same time.
std::optional<CallTime> modelled_call(const ProfileReport& report);

}  // namespace tilewise::grading
