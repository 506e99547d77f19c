#pragma once

#include <cuda_runtime.h>

#include <cstddef>

#include "common/cuda/device_buffer.hpp"
#include "common/cuda/error.hpp"

namespace tilewise::cuda {

/// Evicts what earlier work left in the L2 cache of the current device, so that every timed call
/// starts equally cold.
class L2Flush {
 public:
  /// @throws Error
  L2Flush() : buffer_(bytes_to_write()) {}

  /// Queues writes of the whole buffer on the default stream. They keep the device busy for longer
  /// than a host takes to queue a launch behind them, 20 microseconds on an H200 where other things
  /// were done in between: else that would be part of what is timed, most of it for short kernels.
  /// @throws Error
  void start() {
    if (buffer_.bytes() == 0) return;
    constexpr int times = 4;
    for (int i = 0; i < times; ++i) {
      TILEWISE_CUDA_CHECK(cudaMemsetAsync(buffer_.data(), 0, buffer_.bytes(), nullptr));
    }
  }

  /// The same, and waits for the device.
  /// @throws Error
  void run() {
    start();
    TILEWISE_CUDA_CHECK(cudaDeviceSynchronize());
  }

 private:
  // Twice the cache, because its replacement is not strictly least-recently-used.
  static std::size_t bytes_to_write() {
    int device = 0;
    int l2_bytes = 0;
    TILEWISE_CUDA_CHECK(cudaGetDevice(&device));
    TILEWISE_CUDA_CHECK(cudaDeviceGetAttribute(&l2_bytes, cudaDevAttrL2CacheSize, device));
    return 2 * static_cast<std::size_t>(l2_bytes);
  }

  DeviceBuffer buffer_;
};

}  // namespace tilewise::cuda
