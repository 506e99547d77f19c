#include "grading/profile/occupancy_report.hpp"

#include "common/theory/matmul_counts.hpp"
#include "common/theory/one_block_more.hpp"

namespace tilewise::grading {
namespace {

theory::LaunchNeeds needs_of(const OccupancyQuestion& question) {
  return {question.block[0] * question.block[1], question.registers_per_thread,
          question.shared_bytes_per_block, question.blocks};
}

Saturation saturation_of(const OccupancyQuestion& question, const core::GpuProfile& gpu) {
  // A small grid is what to grow out of, so it does not count.
  theory::LaunchNeeds launch = needs_of(question);
  launch.blocks.reset();
  const int resident = theory::occupancy(gpu, launch).active_blocks;
  // Tilings know square blocks only. To the grid it is all the same how a block comes by its
  // columns and rows: one thread with all of them makes the same grid.
  const theory::Tiling whole_block{1, question.block[0] * question.results[0],
                                   question.block[1] * question.results[1]};
  const std::uint64_t n = theory::saturating_order(whole_block, gpu, resident);
  return {n, theory::blocks_along_x(whole_block, n), theory::blocks_along_y(whole_block, n),
          std::uint64_t(gpu.sms) * resident};
}

}  // namespace

OccupancyReport occupancy_report(const OccupancyQuestion& question,
                                 const std::vector<core::GpuProfile>& gpus) {
  OccupancyReport report{question, needs_of(question), {}};
  for (const core::GpuProfile& gpu : gpus) {
    OccupancyOnGpu& answer = report.gpus.emplace_back();
    answer.gpu = gpu;
    answer.occupancy = theory::occupancy(gpu, report.launch);
    if (!answer.occupancy.cannot_run.empty()) continue;
    answer.one_block_more = theory::for_one_block_more(gpu, report.launch);
    answer.saturation = saturation_of(question, gpu);
  }
  return report;
}

}  // namespace tilewise::grading
