#include "common/model/occupancy.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <stdexcept>

#include "common/base/language.hpp"
#include "common/gpu/capability.hpp"

namespace tilewise::model {

namespace {

using Allocation = core::Capability::Allocation;

const Allocation& rules_of(const core::GpuProfile& gpu) {
  const core::Capability* known = core::find_capability(gpu.compute_major, gpu.compute_minor);
  if (known != nullptr) return known->allocation;
  throw std::invalid_argument(
      "the occupancy rules of compute capability " + std::to_string(gpu.compute_major) + "." +
      std::to_string(gpu.compute_minor) + " (" + gpu.name + ") are not known");
}

template <class Count>
Count round_up(Count count, Count unit) {
  return (count + unit - 1) / unit * unit;
}

struct RegisterShare {
  int per_block;
  int blocks;  ///< the blocks that fit on an SM
};

RegisterShare share_registers(const core::GpuProfile& gpu, const Allocation& rules, int warps,
                              int registers_per_thread) {
  if (registers_per_thread == 0) return {0, unlimited};
  const int of_a_warp = threads_per_warp * registers_per_thread;
  if (rules.partitions == 0) {
    const int of_a_block = round_up(round_up(warps, 2) * of_a_warp, rules.register_unit);
    return {of_a_block, gpu.registers_per_sm / of_a_block};
  }
  const int allocated = round_up(of_a_warp, rules.register_unit);
  const auto blocks_in = [&](int partitions) {
    return gpu.registers_per_sm / partitions / allocated * partitions / warps;
  };
  // CUDA runs on 6.0 only kernels that also fit the rest of its family, which has four partitions.
  const bool runs = blocks_in(4) > 0;
  return {allocated * warps, runs ? blocks_in(rules.partitions) : 0};
}

std::string why_not(const core::GpuProfile& gpu, const Allocation& rules, const LaunchNeeds& launch,
                    const Occupancy& result) {
  if (launch.threads_per_block < 1 || launch.threads_per_block > gpu.threads_per_block) {
    return tr("a block of {} threads: {} takes 1 to {}", launch.threads_per_block, gpu.name,
              gpu.threads_per_block);
  }
  if (launch.registers_per_thread > rules.most_registers_per_thread) {
    return tr("{} registers a thread: {} has at most {}", launch.registers_per_thread, gpu.name,
              rules.most_registers_per_thread);
  }
  if (result.limit_by_registers == 0) {
    int registers_that_fit = launch.registers_per_thread;
    while (share_registers(gpu, rules, result.warps_per_block, registers_that_fit).blocks == 0) {
      --registers_that_fit;
    }
    return tr(
        "{0} threads of {1} registers take more than the {2} of {3}; with __launch_bounds__({0}) "
        "on "
        "the kernel the compiler keeps to {4}",
        launch.threads_per_block, launch.registers_per_thread, gpu.registers_per_sm, gpu.name,
        registers_that_fit);
  }
  if (launch.shared_bytes_per_block > gpu.shared_bytes_per_block) {
    return tr("{} bytes of shared memory a block: {} has at most {}", launch.shared_bytes_per_block,
              gpu.name, gpu.shared_bytes_per_block);
  }
  return "";
}

}  // namespace

std::size_t arguments_in_shared(const core::GpuProfile& gpu, std::size_t argument_bytes) {
  constexpr std::size_t for_extents = 16;
  const int most = core::capability_of(gpu).argument_bytes_in_shared;
  return most == 0 ? 0 : for_extents + std::min<std::size_t>(argument_bytes, most);
}

Occupancy occupancy(const core::GpuProfile& gpu, const LaunchNeeds& launch) {
  const Allocation& rules = rules_of(gpu);
  Occupancy result;
  result.warps_per_block =
      round_up(std::max(launch.threads_per_block, 1), threads_per_warp) / threads_per_warp;
  result.limit_by_warps = gpu.warps_per_sm / result.warps_per_block;
  result.limit_by_blocks = gpu.blocks_per_sm;

  const RegisterShare registers =
      share_registers(gpu, rules, result.warps_per_block, launch.registers_per_thread);
  result.registers_per_block = registers.per_block;
  result.limit_by_registers = registers.blocks;

  result.shared_bytes_per_block = round_up<std::size_t>(
      launch.shared_bytes_per_block + rules.shared_reserved, rules.shared_unit);
  result.limit_by_shared =
      result.shared_bytes_per_block == 0
          ? unlimited
          : static_cast<int>(gpu.shared_bytes_per_sm / result.shared_bytes_per_block);

  result.cannot_run = why_not(gpu, rules, launch, result);
  if (!result.cannot_run.empty()) return result;

  // Blocks go to the SMs in turn, so the fullest SM has this many.
  const std::uint64_t share_of_grid =
      launch.blocks ? (*launch.blocks + gpu.sms - 1) / gpu.sms : std::uint64_t{unlimited};
  const struct {
    const char* name;
    std::uint64_t blocks;
  } limits[] = {
      {"warps", std::uint64_t(result.limit_by_warps)},
      {"blocks", std::uint64_t(result.limit_by_blocks)},
      {"registers", std::uint64_t(result.limit_by_registers)},
      {"shared memory", std::uint64_t(result.limit_by_shared)},
      {"the grid's size", share_of_grid},
  };
  std::uint64_t fewest = unlimited;
  for (const auto& limit : limits) fewest = std::min(fewest, limit.blocks);
  for (const auto& limit : limits) {
    if (limit.blocks == fewest) result.limited_by.push_back(limit.name);
  }
  result.active_blocks = static_cast<int>(fewest);
  result.active_warps = result.active_blocks * result.warps_per_block;
  result.active_threads = result.active_blocks * launch.threads_per_block;
  result.percent = 100.0 * result.active_warps / gpu.warps_per_sm;
  return result;
}

namespace {

/// The most registers a thread, but no more than the launch has now, with which `blocks` blocks
/// fit.
int registers_that_fit(const core::GpuProfile& gpu, LaunchNeeds launch, int blocks) {
  while (occupancy(gpu, launch).limit_by_registers < blocks) --launch.registers_per_thread;
  return launch.registers_per_thread;
}

/// The most bytes, but no more than the launch has now, with which `blocks` blocks fit.
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
  // More of the smaller blocks may fit without further change.
  changed.registers_per_thread = registers_that_fit(gpu, changed, wanted);
  changed.shared_bytes_per_block = shared_that_fits(gpu, changed, wanted);
  if (launch.blocks) {
    // Blocks go to the SMs in turn, so the first block of the next round gives one SM one block
    // more.
    changed.blocks = std::max(*launch.blocks, std::uint64_t(gpu.sms) * now.active_blocks + 1);
  }
  return changed;
}

}  // namespace tilewise::model
