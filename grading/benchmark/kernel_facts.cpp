#include "grading/benchmark/kernel_facts.hpp"

#include <stdexcept>

#include "common/cuda/error.hpp"
#include "grading/worker/launch_counter.hpp"

namespace tilewise::benchmark {

KernelFacts facts_of_kernel_in(const std::function<void()>& call) {
  auto& log = grading::binding::launch_log();
  log.count = 0;
  call();
  if (log.count == 0 || log.count > log.capacity) {
    throw std::runtime_error("no kernel was launched, or too many to know the last");
  }
  const auto [kernel, launch] = log.entries[log.count - 1];

  cudaFuncAttributes attributes{};
  TILEWISE_CUDA_CHECK(cudaFuncGetAttributes(&attributes, kernel));
  const int threads = static_cast<int>(launch.block[0] * launch.block[1] * launch.block[2]);
  int blocks = 0;
  TILEWISE_CUDA_CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, threads,
                                                                    launch.dynamic_shared_bytes));
  int device = 0, threads_per_sm = 0;
  TILEWISE_CUDA_CHECK(cudaGetDevice(&device));
  TILEWISE_CUDA_CHECK(
      cudaDeviceGetAttribute(&threads_per_sm, cudaDevAttrMaxThreadsPerMultiProcessor, device));
  constexpr int warp = 32;
  const int warps = (threads + warp - 1) / warp * blocks;
  return {.registers = attributes.numRegs,
          .local_bytes = attributes.localSizeBytes,
          .shared_bytes = attributes.sharedSizeBytes + launch.dynamic_shared_bytes,
          .occupancy_pct = 100.0 * warps * warp / threads_per_sm};
}

}  // namespace tilewise::benchmark
