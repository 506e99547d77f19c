#include "common/model/kernel_work.hpp"

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <stdexcept>

namespace tilewise::model {

void demand_counts(const KernelWork& work) {
  for (const double count : {work.operations,
                             work.global_load_requests,
                             work.global_load_sectors,
                             work.global_load_bytes,
                             work.global_store_requests,
                             work.global_store_sectors,
                             work.global_store_bytes,
                             work.shared_load_requests,
                             work.shared_load_wavefronts,
                             work.shared_store_requests,
                             work.shared_store_wavefronts,
                             work.global_atomic_requests,
                             work.global_atomic_sectors,
                             work.global_atomic_bytes,
                             work.global_atomic_passes,
                             work.shared_atomic_requests,
                             work.shared_atomic_wavefronts,
                             work.constant_passes,
                             work.barriers,
                             work.shuffles,
                             work.tensor_instructions,
                             work.tensor_half_products,
                             work.tensor_tf32_products,
                             work.tensor_double_products,
                             work.tensor_integer_products,
                             work.block.load_sectors,
                             work.block.shared_along_x,
                             work.block.shared_along_y,
                             work.block.store_sectors,
                             work.block.store_bytes,
                             work.block.load_lines,
                             work.block.store_lines,
                             work.block.load_intervals,
                             work.block.waiting_intervals,
                             work.block.store_rounds,
                             work.spilled_words}) {
    if (!std::isfinite(count) || count < 0) {
      throw std::invalid_argument("a kernel's counters are finite and not negative");
    }
  }
  if (work.blocks_x == 0 || work.blocks_y == 0 || !(work.partition_imbalance >= 1)) {
    throw std::invalid_argument(
        "a grid has blocks, and no partition less than the mean is busiest");
  }
}

double times_of_storing(const KernelWork& work) {
  const double warps_of_block = std::ceil(work.threads_per_block / lanes_per_warp);
  return std::max(1.0, work.block.store_rounds / warps_of_block);
}

double tensor_products(const KernelWork& work) {
  return work.tensor_half_products + work.tensor_tf32_products + work.tensor_double_products +
         work.tensor_integer_products;
}

double results_at_a_time(const KernelWork& work) {
  if (work.barriers == 0) return 1;
  const double stored = work.block.store_bytes / (work.double_precision ? 8 : 4);
  return std::max(1.0, stored / work.threads_per_block / times_of_storing(work));
}

double spilled_words(const KernelWork& work, const core::Capability& capability) {
  const double words = work.double_precision ? 2 : 1;
  const double results = results_at_a_time(work);
  if (words * results > 2 * capability.allocation.most_registers_per_thread) return words * results;
  const double needed = words * (results + 2 * std::sqrt(results));
  return work.registers_per_thread > 0 ? std::max(0.0, needed - work.registers_per_thread) : 0;
}

DramTraffic dram_traffic(const core::GpuProfile& gpu, const KernelWork& work,
                         std::uint64_t resident) {
  const double blocks = static_cast<double>(work.blocks_x) * static_cast<double>(work.blocks_y);
  const double loaded = work.global_load_sectors + work.global_atomic_sectors;
  const double all_stored = work.global_store_sectors + work.global_atomic_sectors;
  if (gpu.l2_bytes == 0) return {loaded, all_stored};
  const KernelWork::Footprint& block = work.block;
  const double stored = std::min(all_stored, block.store_sectors * blocks);
  if (block.load_sectors == 0) return {0, stored};

  // Divides a block's sectors by who else loads them: blocks beside it, as for A in a product;
  // blocks below it, as for B; all blocks; or no other block.
  const double beside = block.shared_along_x / block.load_sectors;
  const double below = block.shared_along_y / block.load_sectors;
  const double all_over = std::max(0.0, beside + below - 1);
  const double alone = std::max(0.0, 1 - beside - below);
  const auto distinct = [&](double width, double height) {
    return block.load_sectors * (alone * width * height + (beside - all_over) * height +
                                 (below - all_over) * width + all_over);
  };
  const double columns = static_cast<double>(work.blocks_x);
  const double at_a_time = std::min(blocks, std::max(1.0, static_cast<double>(resident)));
  const double width = std::min(columns, at_a_time);
  const double height = std::max(1.0, std::floor(at_a_time / columns));
  const double once = distinct(columns, static_cast<double>(work.blocks_y));
  const double anew = distinct(width, height) * blocks / (width * height);
  // Data that is used again only after more than L2 holds has passed through it is no longer there.
  const double fits = static_cast<double>(gpu.l2_bytes) / (sector_bytes * (once + stored));
  const double kept = std::clamp(2 * fits - 1, 0.0, 1.0);
  const double loads = std::min(loaded, once + std::max(0.0, anew - once) * (1 - kept));
  return {loads, stored};
}

}  // namespace tilewise::model
