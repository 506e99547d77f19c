#include "grading/examiner/peak.hpp"

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

std::optional<double> peak_fp32_gflops(const DeviceInfo& device) {
  const auto lanes = fp32_lanes_per_sm(device.compute_major, device.compute_minor);
  if (!lanes || device.sms == 0 || device.clock_mhz == 0) return std::nullopt;
  return 2.0 * device.sms * *lanes * device.clock_mhz * 1e-3;
}

}  // namespace tilewise::grading
