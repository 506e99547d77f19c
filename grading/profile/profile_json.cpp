#include "grading/profile/kernel_occupancy.hpp"
#include "grading/profile/memory_use.hpp"
#include "grading/profile/partition_spread.hpp"
#include "grading/profile/profile_report.hpp"
#include "grading/worker/counters.hpp"

namespace tilewise::grading {
namespace {

using Json = nlohmann::ordered_json;

Json counters_of(const simt::Counters& counters) {
  Json document;
  for (const NamedCounter& counter : all_counters) {
    document[counter.name] = counters.*counter.value;
  }
  document["global_load_efficiency_pct"] = efficiency_pct(counters, global_loads);
  document["global_store_efficiency_pct"] = efficiency_pct(counters, global_stores);
  return document;
}

Json kernel_document(const KernelProfile& kernel, const core::GpuProfile& gpu) {
  Json lines = Json::array();
  for (const simt::LineCounters& line : kernel.lines) {
    lines.push_back(
        {{"file", line.file}, {"line", line.line}, {"counters", counters_of(line.counters)}});
  }
  Json document = {{"name", kernel.launch.kernel},
                   {"grid", kernel.launch.grid},
                   {"block", kernel.launch.block},
                   {"shared_bytes", shared_bytes(kernel)},
                   {"blocks", kernel.blocks},
                   {"simulated_blocks", kernel.simulated_blocks},
                   {"counters", counters_of(kernel.counters)},
                   {"lines", lines}};
  if (!kernel.partition_bytes.empty()) document["partition_bytes"] = kernel.partition_bytes;
  const theory::Occupancy occupancy = occupancy_of(kernel, gpu);
  document["modelled"] = {{"occupancy_pct", occupancy.percent},
                          {"limiter", limiter_of(occupancy)},
                          {"registers_per_thread", nullptr}};
  if (const auto spread = spread_over_partitions(kernel, gpu)) {
    document["modelled"]["partitions_busy"] = {{"blocks_at_a_time", spread->blocks_at_a_time},
                                               {"loads", spread->loads.busy},
                                               {"stores", spread->stores.busy}};
  }
  return document;
}

}  // namespace

Json profile_document(const ProfileReport& report) {
  Json kernels = Json::array();
  for (const KernelProfile& kernel : report.kernels) {
    kernels.push_back(kernel_document(kernel, report.gpu));
  }
  return {{"schema", "tilewise/profile/v1"}, {"gpu", report.gpu.id},
          {"stage", report.stage},           {"call", report.call},
          {"launches", report.launches},     {"kernels", kernels}};
}

}  // namespace tilewise::grading
