#include "common/theory/one_block_more.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace tilewise::theory {

namespace {

/// Most registers a thread, none more than the launch has now, of which so many blocks fit.
int registers_that_fit(const core::GpuProfile& gpu, LaunchNeeds launch, int blocks) {
  while (occupancy(gpu, launch).limit_by_registers < blocks) --launch.registers_per_thread;
  return launch.registers_per_thread;
}

/// Most bytes, none more than the launch has now, of which so many blocks fit.
std::size_t shared_that_fits(const core::GpuProfile& gpu, LaunchNeeds launch, int blocks) {
  const auto fits = [&](std::size_t bytes) {
    launch.shared_bytes_per_block = bytes;
    return occupancy(gpu, launch).limit_by_shared >= blocks;
  };
  std::size_t too_many = launch.shared_bytes_per_block + 1;
  std::size_t fit = 0;
  while (too_many - fit > 1) {
    const std::size_t middle = fit + (too_many - fit) / 2;
    (fits(middle) ? fit : too_many) = middle;
  }
  return fit;
}

}  // namespace

std::optional<LaunchNeeds> for_one_block_more(const core::GpuProfile& gpu,
                                              const LaunchNeeds& launch) {
  const Occupancy now = occupancy(gpu, launch);
  const int wanted = now.active_blocks + 1;
  if (!now.cannot_run.empty() || wanted > std::min(gpu.blocks_per_sm, gpu.warps_per_sm)) return {};

  LaunchNeeds changed = launch;
  if (now.limit_by_warps < wanted) {
    changed.threads_per_block = gpu.warps_per_sm / wanted * threads_per_warp;
  }
  // Of the smaller block more may fit without further change.
  changed.registers_per_thread = registers_that_fit(gpu, changed, wanted);
  changed.shared_bytes_per_block = shared_that_fits(gpu, changed, wanted);
  if (launch.blocks) {
    // Blocks go to the SMs in turn: the first of the next round makes one SM hold one more.
    changed.blocks = std::max(*launch.blocks, std::uint64_t(gpu.sms) * now.active_blocks + 1);
  }
  return changed;
}

}  // namespace tilewise::theory
