#include "grading/examiner/peak.hpp"

#include "common/core/paths.hpp"
#include "common/gpu/capability.hpp"
#include "common/gpu/gpu_profile.hpp"

namespace tilewise::grading {

namespace {

const core::Capability* capability_of(const DeviceInfo& device) {
  return core::find_capability(device.compute_major, device.compute_minor);
}

std::optional<double> peak_gflops(const DeviceInfo& device, int core::Capability::*lanes_per_sm) {
  const core::Capability* capability = capability_of(device);
  if (capability == nullptr || capability->*lanes_per_sm == 0) return std::nullopt;
  if (device.sms == 0 || device.clock_mhz == 0) return std::nullopt;
  return 2.0 * device.sms * capability->*lanes_per_sm * device.clock_mhz * 1e-3;
}

}  // namespace

std::optional<double> peak_fp32_gflops(const DeviceInfo& device) {
  return peak_gflops(device, &core::Capability::fp32_lanes_per_sm);
}

std::optional<double> peak_fp64_gflops(const DeviceInfo& device) {
  return peak_gflops(device, &core::Capability::fp64_lanes_per_sm);
}

std::optional<double> ceiling_fp64_gflops(const DeviceInfo& device) {
  const auto peak = peak_fp64_gflops(device);
  return peak && capability_of(device)->fp64_tensor_cores ? 2 * *peak : peak;
}

std::optional<double> peak_bandwidth_gb_s(const DeviceInfo& device) {
  if (device.dram_gb_s > 0) return device.dram_gb_s;
  for (const core::GpuProfile& gpu :
       core::load_gpu_profiles(core::project_root() / "common/gpu/gpus.json")) {
    if (gpu.name == device.name) return gpu.dram_gb_s;
  }
  return std::nullopt;
}

}  // namespace tilewise::grading
