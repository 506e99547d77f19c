#pragma once

#include <cuda_runtime.h>

#include <utility>

#include "common/cuda/error.hpp"
#include "common/cuda/event.hpp"
#include "common/cuda/l2_flush.hpp"

namespace tilewise::cuda {

/// Times host functions that launch kernels, by device events.
class CallTimer {
 public:
  /// Milliseconds of device time that `call()` takes, on whatever streams it launches but those
  /// that do not wait for the default one (modules get none: launch_counter.hpp). The L2 cache is
  /// flushed before, outside of the time; what the host does meanwhile is outside of it, too.
  /// @param after  called at once after that time
  /// @throws Error, also for a kernel that failed.
  template <class Call, class After>
  float measure(Call&& call, After&& after) {
    flush_.start();
    start_.record();
    std::forward<Call>(call)();
    // Without this, work on a stream other than the default one would escape the stop event.
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
