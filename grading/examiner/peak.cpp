#include "grading/examiner/peak.hpp"

#include "common/core/gpu_profile.hpp"
#include "common/core/paths.hpp"

namespace tilewise::grading {

std::optional<int> fp32_lanes_per_sm(int compute_major, int compute_minor) {
  switch (compute_major) {
    case 5:
      return 128;
    case 6:
      return compute_minor == 0 ? 64 : 128;
    case 7:
      return 64;
    case 8:
      return compute_minor == 0 ? 64 : 128;
    case 9:
    case 10:
    case 12:
      return 128;
    default:
      return std::nullopt;
  }
}

std::optional<int> fp64_lanes_per_sm(int compute_major, int compute_minor) {
  switch (compute_major) {
    case 5:
      return 4;
    case 6:
      return compute_minor == 0 ? 32 : 4;
    case 7:
      return compute_minor == 5 ? 2 : 32;
    case 8:
      return compute_minor == 0 ? 32 : 2;
    case 9:
      return 64;
    case 10:
      // 10.3 has far fewer than 10.0.
      return compute_minor == 0 ? std::optional(64) : std::nullopt;
    case 12:
      return 2;
    default:
      return std::nullopt;
  }
}

namespace {

std::optional<double> peak_gflops(const DeviceInfo& device, std::optional<int> lanes_per_sm) {
  if (!lanes_per_sm || device.sms == 0 || device.clock_mhz == 0) return std::nullopt;
  return 2.0 * device.sms * *lanes_per_sm * device.clock_mhz * 1e-3;
}

}  // namespace

std::optional<double> peak_fp32_gflops(const DeviceInfo& device) {
  return peak_gflops(device, fp32_lanes_per_sm(device.compute_major, device.compute_minor));
}

std::optional<double> peak_fp64_gflops(const DeviceInfo& device) {
  return peak_gflops(device, fp64_lanes_per_sm(device.compute_major, device.compute_minor));
}

std::optional<double> ceiling_fp64_gflops(const DeviceInfo& device) {
  const auto peak = peak_fp64_gflops(device);
  const bool has_tensor_cores =
      (device.compute_major == 8 && device.compute_minor == 0) || device.compute_major == 9;
  return peak && has_tensor_cores ? 2 * *peak : peak;
}

std::optional<double> peak_bandwidth_gb_s(const DeviceInfo& device) {
  if (device.dram_gb_s > 0) return device.dram_gb_s;
  for (const core::GpuProfile& gpu :
       core::load_gpu_profiles(core::project_root() / "common/core/gpus.json")) {
    if (gpu.name == device.name) return gpu.dram_gb_s;
  }
  return std::nullopt;
}

}  // namespace tilewise::grading
