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

/// Shared memory of a block: static, dynamic and, on compute capability 1.x, the kernel's
/// arguments.
std::size_t shared_bytes(const KernelProfile& kernel, const core::GpuProfile& gpu);

/// How the launch would fill an SM of a GPU, with so many registers a thread.
model::Occupancy occupancy_of(const KernelProfile& kernel, const core::GpuProfile& gpu,
                              int registers_per_thread);

/// "shared memory", or "warps and blocks" where both run out at once.
std::string limiter_of(const model::Occupancy& occupancy);

/// The same in the language spoken.
std::string limiter_in_words(const model::Occupancy& occupancy);

/// Registers of a thread, and how they are known.
struct Registers {
  int per_thread = 0;
  bool from_nvcc = false;
  bool may_spill = false;  ///< nvcc had no register for everything, or nobody knows
};

/// What nvcc gave the kernel, or else an estimate: 24 for addresses and counters and twice the
/// results that a thread has at a time, in units of 8, and as many as a block may have; on compute
/// capability 1.x, whose compilers were frugal, 8 and six times the results, of which a kernel that
/// only moves elements has one.
Registers registers_of(const KernelProfile& kernel, const ProfileReport& report);

/// The launch as the model takes it.
model::KernelWork work_of(const KernelProfile& kernel, const ProfileReport& report);

/// Whether it was counted what a block needs of memory.
bool has_footprint(const KernelProfile& kernel);

/// How long the launch would take; nothing where it cannot run on that GPU, or where it was not
/// counted what a block needs of memory (`lab profile --exhaustive`).
std::optional<model::KernelTime> modelled_time(const KernelProfile& kernel,
                                               const ProfileReport& report);

/// The launch's metrics under the names of profilers; nothing where modelled_time() knows no time.
std::optional<model::KernelMetrics> metrics_of(const KernelProfile& kernel,
                                               const ProfileReport& report);

/// The same of all kernels of a call: sums, and means over their time.
std::optional<model::KernelMetrics> metrics_of_call(const ProfileReport& report);

/// The modelled time of a call.
struct CallTime {
  double ms = 0;
  double gflops = 0;         ///< 0 where nothing is computed
  double gb_s = 0;           ///< bytes asked for, loads and stores
  double gips = 0;           ///< instructions of warps, 10^9 a second
  double occupancy_pct = 0;  ///< of the kernel that takes longest, as the limiter
  std::string limiter;
};

/// How long all kernels of a call would take, one after another; nothing where that is not known of
/// each. Of several kernels nobody knows which computes how much: their times without arithmetic
/// are added up, and all of the call's arithmetic goes on beside them.
std::optional<CallTime> modelled_call(const ProfileReport& report);

}  // namespace tilewise::grading
