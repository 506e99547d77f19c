#pragma once

#include <optional>
#include <string>

#include "common/core/gpu_profile.hpp"
#include "common/theory/kernel_time.hpp"
#include "grading/profile/profile_report.hpp"
#include "grading/worker/call.hpp"

namespace tilewise::grading {

/// Registers of a thread, and how they are known.
struct Registers {
  int per_thread = 0;
  bool from_nvcc = false;
};

/// What nvcc gave the kernel, or else an estimate: 24 for addresses and counters and twice the
/// results of a thread where it has barriers, in units of 8, and as many as a block may have; on
/// compute capability 1.x, whose compilers were frugal, 8 and six times the results.
Registers registers_of(const KernelProfile& kernel, const ProfileReport& report);

/// The launch as the model takes it.
theory::KernelWork work_of(const KernelProfile& kernel, const ProfileReport& report);

/// How long the launch would take; nothing where it cannot run on that GPU, or where it was not
/// counted what a block needs of memory (`lab profile --exhaustive`).
std::optional<theory::KernelTime> modelled_time(const KernelProfile& kernel,
                                                const ProfileReport& report);

}  // namespace tilewise::grading
