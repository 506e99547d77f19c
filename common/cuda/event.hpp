#pragma once

#include <cuda_runtime.h>

#include "common/cuda/error.hpp"

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

}  // namespace tilewise::cuda
