#include "grading/profile/occupancy_report.hpp"

namespace tilewise::grading {
namespace {

using Json = nlohmann::ordered_json;

Json limit(int blocks) { return blocks == theory::unlimited ? Json() : Json(blocks); }

Json launch_document(const theory::LaunchNeeds& launch) {
  const int registers = launch.registers_per_thread;
  return {{"threads_per_block", launch.threads_per_block},
          {"registers_per_thread", registers == 0 ? Json() : Json(registers)},
          {"shared_bytes_per_block", launch.shared_bytes_per_block},
          {"blocks", launch.blocks ? Json(*launch.blocks) : Json()}};
}

Json gpu_document(const OccupancyOnGpu& answer, bool registers_known) {
  const theory::Occupancy& occupancy = answer.occupancy;
  Json document = {
      {"gpu", answer.gpu.id},
      {"warps_per_block", occupancy.warps_per_block},
      {"registers_per_block", registers_known ? Json(occupancy.registers_per_block) : Json()},
      {"shared_bytes_per_block", occupancy.shared_bytes_per_block},
      {"limit_by_warps", limit(occupancy.limit_by_warps)},
      {"limit_by_blocks", limit(occupancy.limit_by_blocks)},
      {"limit_by_registers", limit(occupancy.limit_by_registers)},
      {"limit_by_shared", limit(occupancy.limit_by_shared)},
      {"active_blocks", occupancy.active_blocks},
      {"active_warps", occupancy.active_warps},
      {"active_threads", occupancy.active_threads},
      {"percent", occupancy.percent},
      {"limited_by", occupancy.limited_by},
      {"cannot_run", occupancy.cannot_run}};
  document["one_block_more"] =
      answer.one_block_more ? launch_document(*answer.one_block_more) : Json();
  document["saturation"] = nullptr;
  if (const auto& saturation = answer.saturation) {
    document["saturation"] = {{"n", saturation->n},
                              {"blocks_along_x", saturation->blocks_along_x},
                              {"blocks_along_y", saturation->blocks_along_y},
                              {"blocks_wanted", saturation->blocks_wanted}};
  }
  return document;
}

}  // namespace

Json occupancy_document(const OccupancyReport& report) {
  Json gpus = Json::array();
  for (const OccupancyOnGpu& answer : report.gpus) {
    gpus.push_back(gpu_document(answer, report.launch.registers_per_thread != 0));
  }
  return {{"schema", "tilewise/occupancy/v1"},
          {"block", report.question.block},
          {"results", report.question.results},
          {"launch", launch_document(report.launch)},
          {"gpus", gpus}};
}

}  // namespace tilewise::grading
