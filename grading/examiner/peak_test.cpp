#include "grading/examiner/peak.hpp"

#include <gtest/gtest.h>

#include "common/core/gpu_profile.hpp"

namespace tilewise::grading {
namespace {

DeviceInfo device_like(const core::GpuProfile& profile) {
  DeviceInfo device;
  device.compute_major = profile.compute_major;
  device.compute_minor = profile.compute_minor;
  device.sms = profile.sms;
  device.clock_mhz = profile.clock_mhz;
  return device;
}

TEST(Peak, AgreesWithTheProfilesOfKnownCards) {
  for (const char* id : {"gtx1080", "p100", "t4", "a100", "h200"}) {
    const core::GpuProfile profile = core::gpu_profile(id);
    const auto peak = peak_fp32_gflops(device_like(profile));
    ASSERT_TRUE(peak) << id;
    EXPECT_DOUBLE_EQ(*peak, profile.peak_fp32_gflops()) << id;
  }
}

TEST(Peak, IsUnknownWhereTheDriverTellsTooLittle) {
  DeviceInfo device = device_like(core::gpu_profile("h200"));
  device.clock_mhz = 0;
  EXPECT_FALSE(peak_fp32_gflops(device));
  device = device_like(core::gpu_profile("h200"));
  device.compute_major = 99;
  EXPECT_FALSE(peak_fp32_gflops(device));
}

}  // namespace
}  // namespace tilewise::grading
