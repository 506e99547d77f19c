// Compares the course's occupancy with NVIDIA's own calculator, a header of the CUDA Toolkit.

#include <cuda_occupancy.h>
#include <gtest/gtest.h>

#include "common/model/occupancy.hpp"
#include "common/model/testing_gpus.hpp"

namespace tilewise::model {
namespace {

/// What cudaGetDeviceProperties() would report.
cudaOccDeviceProp properties_of(const core::GpuProfile& gpu) {
  cudaOccDeviceProp properties;
  properties.computeMajor = gpu.compute_major;
  properties.computeMinor = gpu.compute_minor;
  properties.maxThreadsPerBlock = gpu.threads_per_block;
  properties.maxThreadsPerMultiprocessor = gpu.threads_per_sm;
  properties.regsPerBlock = gpu.registers_per_sm;
  properties.regsPerMultiprocessor = gpu.registers_per_sm;
  properties.warpSize = 32;
  properties.sharedMemPerBlock = gpu.default_shared_bytes_per_block();
  properties.sharedMemPerMultiprocessor = gpu.shared_bytes_per_sm;
  properties.numSms = gpu.sms;
  properties.sharedMemPerBlockOptin = gpu.shared_bytes_per_block;
  properties.reservedSharedMemPerBlock = gpu.compute_major >= 8 ? 1024 : 0;
  return properties;
}

cudaOccResult nvidias_result(const cudaOccDeviceProp& properties, const LaunchNeeds& launch) {
  cudaOccFuncAttributes attributes;
  attributes.maxThreadsPerBlock = properties.maxThreadsPerBlock;
  attributes.numRegs = launch.registers_per_thread;
  attributes.shmemLimitConfig = FUNC_SHMEM_LIMIT_OPTIN;
  attributes.maxDynamicSharedSizeBytes = launch.shared_bytes_per_block;
  attributes.numBlockBarriers = 1;
  const cudaOccDeviceState state;
  cudaOccResult result;
  EXPECT_EQ(cudaOccMaxActiveBlocksPerMultiprocessor(&result, &properties, &attributes, &state,
                                                    launch.threads_per_block,
                                                    launch.shared_bytes_per_block),
            CUDA_OCC_SUCCESS);
  return result;
}

/// Demands that all values that both of them have are the same.
void compare(const core::GpuProfile& gpu, const cudaOccDeviceProp& properties,
             const LaunchNeeds& launch) {
  const Occupancy ours = occupancy(gpu, launch);
  const cudaOccResult theirs = nvidias_result(properties, launch);
  ASSERT_EQ(ours.active_blocks, theirs.activeBlocksPerMultiprocessor) << ours.cannot_run;
  ASSERT_EQ(ours.cannot_run.empty(), theirs.activeBlocksPerMultiprocessor > 0);
  if (!ours.cannot_run.empty()) return;
  ASSERT_EQ(ours.limit_by_warps, theirs.blockLimitWarps);
  ASSERT_EQ(ours.limit_by_blocks, theirs.blockLimitBlocks);
  ASSERT_EQ(ours.limit_by_registers, theirs.blockLimitRegs);
  ASSERT_EQ(ours.limit_by_shared, theirs.blockLimitSharedMem);
  ASSERT_EQ(ours.registers_per_block, theirs.allocatedRegistersPerBlock);
  ASSERT_EQ(ours.shared_bytes_per_block, theirs.allocatedSharedMemPerBlock);
}

TEST(Occupancy, IsThatOfTheToolkitsHeader) {
  for (const char* id : {"p100", "gtx1080", "7.0", "t4", "a100", "8.6", "8.9", "h200"}) {
    const core::GpuProfile gpu = testing_gpu(id);
    const cudaOccDeviceProp properties = properties_of(gpu);
    for (int threads = 1; threads <= 1025; threads += 8) {
      for (int registers = 0; registers <= 255; registers += 3) {
        for (std::size_t shared = 0; shared <= gpu.shared_bytes_per_block + 1000; shared += 4100) {
          SCOPED_TRACE(testing::Message() << id << ", " << threads << " threads of " << registers
                                          << " registers, " << shared << " bytes");
          compare(gpu, properties, {threads, registers, shared, {}});
          if (HasFatalFailure()) return;
        }
      }
    }
  }
}

}  // namespace
}  // namespace tilewise::model
