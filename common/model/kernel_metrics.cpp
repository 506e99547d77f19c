#include "common/model/kernel_metrics.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "common/gpu/capability.hpp"
#include "common/model/occupancy.hpp"

namespace tilewise::model {

namespace {

constexpr double bytes_of_bank = 4;

double share_of(double part, double whole) { return whole > 0 ? part / whole : 0; }

/// How a launch fills the SMs of a GPU while it runs. Clocks are summed over all SMs.
struct Filling {
  double at_work = 0;       ///< clocks in which an SM has a block
  double of_blocks = 0;     ///< the same clocks, counted once for each block that the SM has then
  double whole_launch = 0;  ///< clocks from the start of the first block to the end of the last
};

/// Blocks go to the SMs in turns, and each SM runs its blocks in waves of as many as it holds.
Filling filling_of(const core::GpuProfile& gpu, double blocks, const KernelTime& time) {
  const double resident = time.resident_blocks;
  // All SMs wait until L2 or DRAM has served the blocks of a wave.
  const auto lasting = [&](double on_an_sm, double on_the_gpu) {
    return std::max(time.block.together(on_an_sm), time.clocks_of_whole_gpu / blocks * on_the_gpu);
  };
  const double wave = lasting(resident, resident * gpu.sms);
  const double whole_waves = std::floor(blocks / (resident * gpu.sms));
  const double rest = blocks - whole_waves * resident * gpu.sms;

  const double most = std::ceil(blocks / gpu.sms);
  // This many SMs; the others have one block less.
  const double with_most = blocks - (most - 1) * gpu.sms;
  Filling filling;
  for (const auto& [sms, of_sm] : {std::pair{with_most, most}, {gpu.sms - with_most, most - 1}}) {
    const double waves = std::min(whole_waves, std::floor(of_sm / resident));
    const double last = of_sm - waves * resident;
    const double clocks_of_last = last > 0 ? lasting(last, rest) : 0;
    filling.at_work += sms * (waves * wave + clocks_of_last);
    // Places become free one SM at a time, so the SMs that are still at work in the last of several
    // waves are full.
    filling.of_blocks +=
        sms * (waves * wave * resident + clocks_of_last * (whole_waves > 0 ? resident : last));
    filling.whole_launch =
        std::max(filling.whole_launch, gpu.sms * (waves * wave + clocks_of_last));
  }
  return filling;
}

/// The share that remains if an SM has several blocks at a time, which neither start nor end
/// together: all waves together lose this share of one wave. In a launch of less than a wave no
/// block waits for others.
double without(double lost_of_a_wave, double blocks, const core::GpuProfile& gpu,
               const KernelTime& time) {
  const double waves = blocks / (time.resident_blocks * double(gpu.sms));
  return time.resident_blocks > 1 && waves >= 1 ? 1 - lost_of_a_wave / waves : 1;
}

/// The operations that are carried out. Where threads meet at barriers, those beyond the matrix's
/// edge calculate like the others, with zeros.
double operations_done(const KernelWork& work) {
  if (work.barriers == 0) return work.operations;
  const double blocks = static_cast<double>(work.blocks_x) * static_cast<double>(work.blocks_y);
  const double results_as_inside =
      share_of(work.block.store_bytes * blocks, work.global_store_bytes);
  return work.operations * std::max(1.0, results_as_inside);
}

/// Sets what a warp waits for, as shares of the clocks of its life in a wave in which it does not
/// issue.
void set_stalls(KernelMetrics& metrics, const KernelWork& work, const KernelTime& time,
                const core::GpuProfile& gpu) {
  const double blocks = static_cast<double>(work.blocks_x) * static_cast<double>(work.blocks_y);
  const double warps = blocks * std::ceil(work.threads_per_block / double{threads_per_warp});
  const double on_an_sm = std::min<double>(time.resident_blocks, std::ceil(blocks / gpu.sms));
  const double of_sm = time.block.together(on_an_sm);
  const double of_gpu = time.clocks_of_whole_gpu / blocks * std::min(blocks, on_an_sm * gpu.sms);
  const double issuing = time.warp_instructions / warps;
  const double memory = time.block.memory_wait + std::max(0.0, of_gpu - of_sm);
  const double dependency = std::max(0.0, time.block.chain - issuing);
  const double others = std::max(
      0.0, std::max(of_sm, of_gpu) - issuing - memory - dependency - time.block.barrier_wait);
  const double pipes = others * share_of(time.block.pipes, time.block.pipes + time.block.issue);
  const double all = memory + dependency + time.block.barrier_wait + others;
  metrics.stall_memory_dependency_pct = 100 * share_of(memory, all);
  metrics.stall_exec_dependency_pct = 100 * share_of(dependency, all);
  metrics.stall_sync_pct = 100 * share_of(time.block.barrier_wait, all);
  metrics.stall_pipe_busy_pct = 100 * share_of(pipes, all);
  metrics.stall_not_selected_pct = 100 * share_of(others - pipes, all);
}

}  // namespace

double shared_gb_s(const core::GpuProfile& gpu) {
  const double clocks_of_wavefront = core::capability_of(gpu).serves_half_warps ? 2 : 1;
  return gpu.sms * gpu.banks * bytes_of_bank / clocks_of_wavefront * gpu.clock_mhz * 1e-3;
}

KernelMetrics kernel_metrics(const core::GpuProfile& gpu, const KernelWork& work,
                             const KernelTime& time) {
  KernelMetrics metrics;
  const double blocks = static_cast<double>(work.blocks_x) * static_cast<double>(work.blocks_y);
  const double warps_of_block = std::ceil(work.threads_per_block / double{threads_per_warp});
  const Filling filling = filling_of(gpu, blocks, time);
  // These three were fitted to what put2025 measured, and fing2020 for its product from global
  // memory: without barriers the warps of a block drift apart, and the block stays until the last
  // one has ended.
  constexpr double idle_of_a_wave = 0.3, unfilled_of_a_wave = 0.15, drifting = 0.92;
  const double at_work =
      share_of(filling.at_work, filling.whole_launch) * without(idle_of_a_wave, blocks, gpu, time);
  metrics.sm_efficiency_pct = 100 * at_work;
  metrics.achieved_occupancy_pct =
      100 * warps_of_block / gpu.warps_per_sm * share_of(filling.of_blocks, filling.at_work) *
      without(unfilled_of_a_wave, blocks, gpu, time) * (work.barriers == 0 ? drifting : 1);
  metrics.ipc = share_of(time.warp_instructions, time.clocks * gpu.sms * at_work);

  const double operations = operations_done(work);
  (work.double_precision ? metrics.flop_count_dp : metrics.flop_count_sp) =
      std::max(0.0, operations - 2 * tensor_products(work));
  metrics.l2_read_sectors = time.l2_load_sectors;
  metrics.l2_write_sectors = time.l2_store_sectors;
  metrics.l2_read_bytes = sector_bytes * time.l2_load_sectors;
  metrics.l2_write_bytes = sector_bytes * time.l2_store_sectors;
  metrics.dram_read_sectors = time.dram.load_sectors;
  metrics.dram_write_sectors = time.dram.store_sectors;
  metrics.dram_read_bytes = sector_bytes * time.dram.load_sectors;
  metrics.dram_write_bytes = sector_bytes * time.dram.store_sectors;
  metrics.flop_per_dram_byte =
      share_of(operations, metrics.dram_read_bytes + metrics.dram_write_bytes);

  const double most =
      (work.shared_load_wavefronts + work.shared_store_wavefronts) * gpu.banks * bytes_of_bank;
  metrics.shared_bytes_moved = most + work.shared_atomic_wavefronts * gpu.banks * bytes_of_bank;
  metrics.shared_efficiency_pct = 100 * share_of(work.shared_bytes, most);
  metrics.shared_efficiency_of_lanes_pct = 100 * share_of(work.shared_lane_bytes, most);
  set_stalls(metrics, work, time, gpu);
  return metrics;
}

}  // namespace tilewise::model
