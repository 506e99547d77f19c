#pragma once

#include <cuda_runtime.h>
#include <gmock/gmock.h>

#include <cstddef>
#include <vector>

#include "common/simt/simt.hpp"
#include "common/simt/watch.hpp"

namespace tilewise::simt {

/// A vector in device memory, with copies both ways.
template <class T>
class DeviceVector {
 public:
  explicit DeviceVector(std::size_t size) : DeviceVector(std::vector<T>(size)) {}
  explicit DeviceVector(const std::vector<T>& values) : size_(values.size()) {
    EXPECT_EQ(cudaMalloc(&data_, bytes()), cudaSuccess);
    EXPECT_EQ(cudaMemcpy(data_, values.data(), bytes(), cudaMemcpyHostToDevice), cudaSuccess);
  }
  ~DeviceVector() { cudaFree(data_); }
  DeviceVector(const DeviceVector&) = delete;
  DeviceVector& operator=(const DeviceVector&) = delete;

  T* data() const { return data_; }
  std::size_t bytes() const { return size_ * sizeof(T); }
  std::vector<T> values() const {
    std::vector<T> copy(size_);
    EXPECT_EQ(cudaMemcpy(copy.data(), data_, bytes(), cudaMemcpyDeviceToHost), cudaSuccess);
    return copy;
  }

 private:
  std::size_t size_;
  T* data_ = nullptr;
};

/// A test on a device as after a reset, without launches or findings of the test before.
class SimtTest : public ::testing::Test {
 protected:
  void SetUp() override {
    cudaDeviceReset();
    take_launches();
    take_findings();
  }

  /// The only finding of the simulator; fails unless it is of this kind and ended the launch.
  Finding the_fatal_finding(const char* kind) {
    EXPECT_EQ(cudaDeviceSynchronize(), cudaErrorLaunchFailure);
    const std::vector<Finding> found = take_findings();
    EXPECT_EQ(found.size(), 1u);
    if (found.size() != 1) return {};
    EXPECT_EQ(found[0].kind, kind);
    return found[0];
  }
};

/// A test of what the checked build detects.
class CheckedBuild : public SimtTest {
 protected:
  void SetUp() override {
    SimtTest::SetUp();
    take_profiles();
  }
  void TearDown() override {
    watch({});
    use_device(core::gpu_profile("gtx1080"));
  }

  /// The only finding of the checks; fails if there is none or more than one.
  static Finding the_finding() {
    const std::vector<Finding> found = take_findings();
    EXPECT_EQ(found.size(), 1u);
    return found.size() == 1 ? found[0] : Finding{};
  }

  static Counters counters_of_the_launch() {
    const std::vector<KernelProfile> profiles = take_profiles();
    EXPECT_EQ(profiles.size(), 1u);
    return profiles.empty() ? Counters{} : profiles[0].counters;
  }
};

}  // namespace tilewise::simt
