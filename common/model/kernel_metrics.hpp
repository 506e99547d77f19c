#pragma once

#include <cstddef>

#include "common/gpu/gpu_profile.hpp"
#include "common/model/kernel_time.hpp"

namespace tilewise::model {

/// What a profiler shows of a launch in addition to its time and its counts of requests.
/// Percentages are from 0 to 100, except that shared efficiency may be higher.
struct KernelMetrics {
  double achieved_occupancy_pct = 0;
  double sm_efficiency_pct = 0;
  double ipc = 0;  ///< warp instructions per clock in which an SM is at work
  double flop_count_sp = 0;
  double flop_count_dp = 0;
  double l2_read_sectors = 0;  ///< sectors of 32 bytes; 0 without an L2
  double l2_write_sectors = 0;
  double l2_read_bytes = 0;
  double l2_write_bytes = 0;
  double dram_read_sectors = 0;
  double dram_write_sectors = 0;
  double dram_read_bytes = 0;
  double dram_write_bytes = 0;
  double flop_per_dram_byte = 0;
  /// The bytes that the wavefronts of shared memory could move if each used all banks: what its
  /// bandwidth is spent on.
  double shared_bytes_moved = 0;
  /// The distinct bytes that requests to shared memory want, as a share of those that their
  /// wavefronts could move.
  double shared_efficiency_pct = 0;
  /// The same with the bytes that each lane wants, so that one word for a whole warp counts 32
  /// times. nvprof shows this value for doubles on a P100 (fing2020), above 100%.
  double shared_efficiency_of_lanes_pct = 0;
  // The shares of the clocks in which a warp cannot go on, by what it waits for.
  double stall_memory_dependency_pct = 0;
  double stall_exec_dependency_pct = 0;
  double stall_sync_pct = 0;
  double stall_pipe_busy_pct = 0;
  double stall_not_selected_pct = 0;
};

/// A metric and its names.
struct NamedMetric {
  const char* name;            ///< nvprof's, if it has the metric
  const char* nsight_compute;  ///< its nearest equivalent there
  const char* unit;            ///< "%", "bytes" or ""
  /// How it is known: "counted"; "worked out" from counts, such as L2's traffic from what L1 keeps;
  /// or "modelled".
  const char* known;
  double KernelMetrics::*value;
  /// Whether it adds up over several launches; the others are averaged over the launches' times.
  bool adds_up = false;
};

/// All metrics, for code that treats them alike. Nsight Compute's names are from NVIDIA's table
/// "nvprof Metric Comparison" in the manual of Nsight Compute CLI.
inline constexpr NamedMetric all_metrics[] = {
    {"achieved_occupancy", "sm__warps_active.avg.pct_of_peak_sustained_active", "%", "modelled",
     &KernelMetrics::achieved_occupancy_pct},
    {"sm_efficiency", "smsp__cycles_active.avg.pct_of_peak_sustained_elapsed", "%", "modelled",
     &KernelMetrics::sm_efficiency_pct},
    {"ipc", "sm__inst_executed.avg.per_cycle_active", "", "modelled", &KernelMetrics::ipc},
    {"flop_count_sp", "2 x smsp__sass_thread_inst_executed_op_ffma_pred_on.sum", "", "worked out",
     &KernelMetrics::flop_count_sp, true},
    {"flop_count_dp", "2 x smsp__sass_thread_inst_executed_op_dfma_pred_on.sum", "", "worked out",
     &KernelMetrics::flop_count_dp, true},
    {"l2_read_transactions", "lts__t_sectors_op_read.sum", "", "worked out",
     &KernelMetrics::l2_read_sectors, true},
    {"l2_write_transactions", "lts__t_sectors_op_write.sum", "", "worked out",
     &KernelMetrics::l2_write_sectors, true},
    {"l2_read_bytes", "32 x lts__t_sectors_op_read.sum", "bytes", "worked out",
     &KernelMetrics::l2_read_bytes, true},
    {"l2_write_bytes", "32 x lts__t_sectors_op_write.sum", "bytes", "worked out",
     &KernelMetrics::l2_write_bytes, true},
    {"dram_read_transactions", "dram__sectors_read.sum", "", "modelled",
     &KernelMetrics::dram_read_sectors, true},
    {"dram_write_transactions", "dram__sectors_write.sum", "", "modelled",
     &KernelMetrics::dram_write_sectors, true},
    {"dram_read_bytes", "dram__bytes_read.sum", "bytes", "modelled",
     &KernelMetrics::dram_read_bytes, true},
    {"dram_write_bytes", "dram__bytes_write.sum", "bytes", "modelled",
     &KernelMetrics::dram_write_bytes, true},
    {"flop_per_dram_byte", "FLOP / dram__bytes.sum", "", "modelled",
     &KernelMetrics::flop_per_dram_byte},
    {"shared_bytes_moved", "128 x l1tex__data_pipe_lsu_wavefronts_mem_shared.sum", "bytes",
     "counted", &KernelMetrics::shared_bytes_moved, true},
    {"shared_efficiency", "smsp__sass_average_data_bytes_per_wavefront_mem_shared.pct", "%",
     "counted", &KernelMetrics::shared_efficiency_pct},
    {"shared_efficiency_of_lanes", "the same, each lane's bytes", "%", "counted",
     &KernelMetrics::shared_efficiency_of_lanes_pct},
    {"stall_memory_dependency", "smsp__warp_issue_stalled_long_scoreboard_per_warp_active.pct", "%",
     "modelled", &KernelMetrics::stall_memory_dependency_pct},
    {"stall_exec_dependency", "smsp__warp_issue_stalled_wait_per_warp_active.pct", "%", "modelled",
     &KernelMetrics::stall_exec_dependency_pct},
    {"stall_sync", "smsp__warp_issue_stalled_barrier_per_warp_active.pct", "%", "modelled",
     &KernelMetrics::stall_sync_pct},
    {"stall_pipe_busy", "smsp__warp_issue_stalled_math_pipe_throttle_per_warp_active.pct", "%",
     "modelled", &KernelMetrics::stall_pipe_busy_pct},
    {"stall_not_selected", "smsp__warp_issue_stalled_not_selected_per_warp_active.pct", "%",
     "modelled", &KernelMetrics::stall_not_selected_pct},
};

/// The most that all SMs together move to and from shared memory, in 10^9 bytes a second: each SM
/// serves a wavefront a clock, in which every bank moves one word; on compute capability 1.x a
/// wavefront takes two clocks.
double shared_gb_s(const core::GpuProfile& gpu);

/// The metrics of a launch whose time was modelled: counts, and ratios that follow from the model's
/// waves of blocks and their waiting (docs/decisions/0042).
/// @param time  kernel_time() of the same launch
KernelMetrics kernel_metrics(const core::GpuProfile& gpu, const KernelWork& work,
                             const KernelTime& time);

}  // namespace tilewise::model
