#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <utility>

#include "common/cuda/device_buffer.hpp"

namespace tilewise::cuda {

/// Owns a CUDA event on the default stream.
class Event {
 public:
  /// @throws Error
  Event() { TILEWISE_CUDA_CHECK(cudaEventCreate(&event_)); }
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;
  ~Event() { static_cast<void>(cudaEventDestroy(event_)); }

  /// @throws Error
  void record() { TILEWISE_CUDA_CHECK(cudaEventRecord(event_, nullptr)); }

  /// Waits until the device has reached the event.
  /// @throws Error, also for a kernel that failed before it.
  void wait() { TILEWISE_CUDA_CHECK(cudaEventSynchronize(event_)); }

  /// Milliseconds from `start` to this event, both recorded and reached.
  /// @throws Error
  float ms_since(const Event& start) const {
    float ms = 0;
    TILEWISE_CUDA_CHECK(cudaEventElapsedTime(&ms, start.event_, event_));
    return ms;
  }

 private:
  cudaEvent_t event_ = nullptr;
};

/// Evicts the data of earlier work from the L2 cache of the current device, so that every timed
/// call starts equally cold.
class L2Flush {
 public:
  /// @throws Error
  L2Flush() : buffer_(bytes_to_write()) {}

  /// Queues writes of the whole buffer on the default stream. They keep the device busy for longer
  /// than the host takes to queue a launch behind them, 20 microseconds on an H200 if it does other
  /// things in between. Without them the timing would include that delay, which would be most of it
  /// for short kernels.
  /// @throws Error
  void start() {
    if (buffer_.bytes() == 0) return;
    constexpr int times = 4;
    for (int i = 0; i < times; ++i) {
      TILEWISE_CUDA_CHECK(cudaMemsetAsync(buffer_.data(), 0, buffer_.bytes(), nullptr));
    }
  }

  /// Does the same, and waits for the device.
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

/// Times host functions that launch kernels, with device events.
class CallTimer {
 public:
  /// Returns the milliseconds of device time that `call()` takes on all streams that it launches
  /// on, except those that do not wait for the default stream (modules get none:
  /// launch_counter.hpp). The L2 cache is flushed before; neither that nor what the host does
  /// meanwhile is timed.
  /// @param after  called at once after the timed work
  /// @throws Error, also for a kernel that failed.
  template <class Call, class After>
  float measure(Call&& call, After&& after) {
    flush_.start();
    start_.record();
    std::forward<Call>(call)();
    // Otherwise work on a stream other than the default one would escape the stop event.
    TILEWISE_CUDA_CHECK(cudaDeviceSynchronize());
    stop_.record();
    std::forward<After>(after)();
    stop_.wait();
    return stop_.ms_since(start_);
  }

 private:
  L2Flush flush_;
  Event start_;
  Event stop_;
};

}  // namespace tilewise::cuda
