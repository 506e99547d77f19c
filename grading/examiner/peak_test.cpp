#include "grading/examiner/peak.hpp"

#include <gtest/gtest.h>

#include "common/gpu/gpu_profile.hpp"

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

TEST(Peak, AgreesWithTheProfilesInDoublePrecision) {
  for (const char* id : {"gtx1080", "p100", "t4", "a100", "h200"}) {
    const core::GpuProfile profile = core::gpu_profile(id);
    const auto peak = peak_fp64_gflops(device_like(profile));
    ASSERT_TRUE(peak) << id;
    EXPECT_DOUBLE_EQ(*peak, 2e-3 * profile.sms * profile.fp64_lanes_per_sm * profile.clock_mhz)
        << id;
  }
}

TEST(Peak, DoublesWhereTensorCoresTakeDoubles) {
  const struct {
    const char* id;
    double factor;
  } cases[] = {{"gtx1080", 1}, {"p100", 1}, {"t4", 1}, {"a100", 2}, {"h200", 2}};
  for (const auto& [id, factor] : cases) {
    const DeviceInfo device = device_like(core::gpu_profile(id));
    EXPECT_DOUBLE_EQ(*ceiling_fp64_gflops(device), factor * *peak_fp64_gflops(device)) << id;
  }
}

TEST(Peak, BandwidthIsTheDriversOrElseTheProfiles) {
  DeviceInfo device = device_like(core::gpu_profile("h200"));
  device.name = "NVIDIA H200";
  device.dram_gb_s = 4900;
  EXPECT_EQ(peak_bandwidth_gb_s(device), 4900);
  device.dram_gb_s = 0;
  EXPECT_EQ(peak_bandwidth_gb_s(device), 4800);
  device.name = "NVIDIA Unheard-of";
  EXPECT_FALSE(peak_bandwidth_gb_s(device));
}

TEST(Peak, IsUnknownWhereTheDriverTellsTooLittle) {
  DeviceInfo device = device_like(core::gpu_profile("h200"));
  device.clock_mhz = 0;
  EXPECT_FALSE(peak_fp32_gflops(device));
  device = device_like(core::gpu_profile("h200"));
  device.compute_major = 99;
  EXPECT_FALSE(peak_fp32_gflops(device));
  EXPECT_FALSE(peak_fp64_gflops(device));
  EXPECT_FALSE(ceiling_fp64_gflops(device));
}

}  // namespace
}  // namespace tilewise::grading
