#include "common/gpu/capability.hpp"

#include <gtest/gtest.h>

#include "common/base/files.hpp"

namespace tilewise::core {
namespace {

TEST(Capability, OfEveryProfileIsInTheTableAndAgreesWithIt) {
  for (const GpuProfile& gpu : load_gpu_profiles(project_root() / "common/gpu/gpus.json")) {
    const Capability& capability = capability_of(gpu);
    EXPECT_EQ(capability.major, gpu.compute_major) << gpu.id;
    EXPECT_EQ(capability.minor, gpu.compute_minor) << gpu.id;
    EXPECT_EQ(capability.fp32_lanes_per_sm, gpu.fp32_lanes_per_sm) << gpu.id;
    EXPECT_EQ(capability.fp64_lanes_per_sm, gpu.fp64_lanes_per_sm) << gpu.id;
  }
}

TEST(Capability, IsTheOneBeforeOfTheSameMajorNumberElse) {
  const struct {
    int major, minor;
    int found_minor;  ///< -1: none
  } cases[] = {{6, 2, 1}, {7, 2, 0}, {8, 7, 6}, {12, 1, 0}, {9, 0, 0}, {3, 5, -1}, {1, 1, -1}};
  for (const auto& [major, minor, found_minor] : cases) {
    const Capability* found = find_capability(major, minor);
    ASSERT_EQ(found != nullptr, found_minor >= 0) << major << "." << minor;
    if (found == nullptr) continue;
    EXPECT_EQ(found->major, major);
    EXPECT_EQ(found->minor, found_minor) << major << "." << minor;
  }
}

TEST(Capability, IsTheNearestWhereNoneIsLikeIt) {
  GpuProfile gpu;
  gpu.compute_major = 13;
  EXPECT_EQ(capability_of(gpu).major, 12);
  gpu.compute_major = 3;
  EXPECT_EQ(capability_of(gpu).major, 1);
}

}  // namespace
}  // namespace tilewise::core
