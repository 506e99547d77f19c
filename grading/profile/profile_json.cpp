#include "grading/profile/kernel_occupancy.hpp"
#include "grading/profile/memory_use.hpp"
#include "grading/profile/modelled_time.hpp"
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

/// Null for what is not known.
Json known(double value, bool is_known) { return is_known ? Json(value) : Json(nullptr); }

Json modelled_document(const KernelProfile& kernel, const ProfileReport& report) {
  const Registers registers = registers_of(kernel, report);
  const theory::Occupancy occupancy = occupancy_of(kernel, report.gpu, registers.per_thread);
  const auto time = modelled_time(kernel, report);
  Json document = {{"ms", known(time ? time->ms : 0, time.has_value())},
                   {"gflops", known(time ? time->gflops : 0, time && time->gflops > 0)},
                   {"gb_s", known(time ? time->gb_s : 0, time.has_value())},
                   {"limiter", time ? Json(time->limiter) : Json(nullptr)},
                   {"occupancy_pct", occupancy.percent},
                   {"occupancy_limiter", limiter_of(occupancy)},
                   {"registers_per_thread", registers.per_thread},
                   {"registers_from", registers.from_nvcc ? "nvcc" : "estimate"}};
  if (!time) return document;
  Json parts = Json::array();
  for (const theory::TimePart& part : time->parts) {
    parts.push_back({{"name", part.name}, {"ms", part.ms}});
  }
  document["parts"] = parts;
  return document;
}

Json kernel_document(const KernelProfile& kernel, const ProfileReport& report) {
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
  document["modelled"] = modelled_document(kernel, report);
  if (const auto spread = spread_over_partitions(kernel, report.gpu)) {
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
    kernels.push_back(kernel_document(kernel, report));
  }
  Json document = {{"schema", "tilewise/profile/v1"}, {"gpu", report.gpu.id},
                   {"stage", report.stage},           {"call", report.call},
                   {"launches", report.launches},     {"kernels", kernels}};
  if (const auto call = modelled_call(report)) {
    document["modelled"] = {{"ms", call->ms},
                            {"gflops", known(call->gflops, call->gflops > 0)},
                            {"gb_s", call->gb_s},
                            {"gips", call->gips},
                            {"limiter", call->limiter}};
  }
  return document;
}

}  // namespace tilewise::grading
