#include "grading/labreport/peaks.hpp"

#include <algorithm>

#include "grading/stages/stage_contracts.hpp"

namespace tilewise::grading {
namespace {

bool computes_in_doubles(const BenchRow& row) {
  const auto& contracts = contracts_of(row.stage);
  const auto contract = std::ranges::find(contracts, row.function, &ContractInfo::function);
  return contract != contracts.end() &&
         std::ranges::any_of(contract->parameters, [](const ParameterInfo& parameter) {
           return parameter.element_bytes == sizeof(double);
         });
}

std::optional<double> if_known(double peak) {
  if (peak > 0) return peak;
  return std::nullopt;
}

}  // namespace

double peak_fp64_gflops(const core::GpuProfile& gpu) {
  return 2.0 * gpu.sms * gpu.fp64_lanes_per_sm * gpu.clock_mhz * 1e-3;
}

std::optional<double> peak_of(const core::GpuProfile& gpu, const BenchRow& row) {
  if (row.unit == "GB/s") return if_known(gpu.dram_gb_s);
  return if_known(computes_in_doubles(row) ? peak_fp64_gflops(gpu) : gpu.peak_fp32_gflops());
}

}  // namespace tilewise::grading
