#include "grading/profile/kernel_occupancy.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdint>

namespace tilewise::grading {

std::size_t shared_bytes(const KernelProfile& kernel) {
  return kernel.static_shared_bytes + kernel.launch.dynamic_shared_bytes;
}

theory::Occupancy occupancy_of(const KernelProfile& kernel, const core::GpuProfile& gpu,
                               int registers_per_thread) {
  const auto& block = kernel.launch.block;
  theory::LaunchNeeds needs;
  // No GPU takes as many; a forged launch could name more than an int holds.
  constexpr std::uint64_t many = 1 << 20;
  needs.threads_per_block =
      static_cast<int>(std::min(std::uint64_t{block[0]} * block[1] * block[2], many));
  needs.registers_per_thread = registers_per_thread;
  needs.shared_bytes_per_block = shared_bytes(kernel);
  needs.blocks = kernel.blocks;
  return theory::occupancy(gpu, needs);
}

std::string limiter_of(const theory::Occupancy& occupancy) {
  return fmt::format("{}", fmt::join(occupancy.limited_by, " and "));
}

}  // namespace tilewise::grading
