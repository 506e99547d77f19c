/// \file
/// Counts the kernels that a cuda module launches. The module is linked with `--wrap=SYMBOL` for
/// `cudaLaunchKernel`, `cudaLaunchKernelExC`, `cudaLaunchCooperativeKernel` and
/// `__cudaLaunchKernel` (listed in cmake/TilewiseWrappedCalls.cmake). The linker then sends every
/// call of SYMBOL to __wrap_SYMBOL here and offers the original as __real_SYMBOL.
///
/// Every launch goes to the default stream, whichever stream it names, and streams are created so
/// that they wait for the default stream. A timed call begins behind work that is queued there
/// (common/cuda/call_timer.hpp), and no kernel may run before its timing begins.
///
/// The compiler turns `kernel<<<...>>>()` (crt/host_runtime.h) into cudaLaunchKernel up to CUDA 12
/// (nvcc 12 defines __NV_LEGACY_LAUNCH), and into __cudaLaunchKernel from CUDA 13 on. Wrapping a
/// symbol that nothing refers to is harmless, so one list of flags serves every toolkit.
///
/// Defines symbols with external linkage, so include it only once per module (binding.hpp does).
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <mutex>
#include <utility>

#include "grading/worker/binding_abi.hpp"

namespace tilewise::grading::binding {

/// Successful launches since the last take_launches(). A student may launch from several threads.
struct LaunchLog {
  static constexpr std::size_t capacity = 64;  ///< further launches are counted, not kept
  struct Entry {
    const void* kernel;  ///< host function or cudaKernel_t
    RecordedLaunch launch;
  };
  std::mutex mutex;
  std::size_t count = 0;
  Entry entries[capacity];
};

inline LaunchLog& launch_log() {
  static LaunchLog log;
  return log;
}

inline void record_launch(const void* kernel, dim3 grid, dim3 block,
                          std::size_t dynamic_shared_bytes) {
  LaunchLog& log = launch_log();
  const std::lock_guard<std::mutex> lock(log.mutex);
  if (log.count < LaunchLog::capacity) {
    log.entries[log.count] = {
        kernel,
        {"", {grid.x, grid.y, grid.z}, {block.x, block.y, block.z}, dynamic_shared_bytes, 0}};
  }
  ++log.count;
}

inline void look_up_name(const void* kernel, RecordedLaunch& launch) {
#if CUDART_VERSION >= 12030
  const char* name = nullptr;
  if (cudaFuncGetName(&name, kernel) == cudaSuccess && name != nullptr) {
    std::strncpy(launch.kernel, name, sizeof launch.kernel - 1);
  } else {
    cudaGetLastError();  // the student's next call must not find this error
  }
#else
  static_cast<void>(kernel);
  static_cast<void>(launch);
#endif
}

inline void look_up_shared_memory(const void* kernel, RecordedLaunch& launch) {
  cudaFuncAttributes attributes = {};
  if (cudaFuncGetAttributes(&attributes, kernel) == cudaSuccess) {
    launch.static_shared_bytes = attributes.sharedSizeBytes;
  } else {
    cudaGetLastError();
  }
}

/// Names are looked up here rather than at the launch, which may be timed.
inline std::size_t take_launches(RecordedLaunch* first, std::size_t capacity) {
  LaunchLog& log = launch_log();
  const std::lock_guard<std::mutex> lock(log.mutex);
  const std::size_t kept = std::min({log.count, capacity, LaunchLog::capacity});
  for (std::size_t i = 0; i < kept; ++i) {
    first[i] = log.entries[i].launch;
    look_up_name(log.entries[i].kernel, first[i]);
    look_up_shared_memory(log.entries[i].kernel, first[i]);
  }
  return std::exchange(log.count, 0);
}

}  // namespace tilewise::grading::binding

extern "C" {

cudaError_t __real_cudaLaunchKernel(const void* kernel, dim3 grid, dim3 block, void** arguments,
                                    size_t dynamic_shared_bytes, cudaStream_t stream);
cudaError_t __wrap_cudaLaunchKernel(const void* kernel, dim3 grid, dim3 block, void** arguments,
                                    size_t dynamic_shared_bytes, cudaStream_t) {
  const cudaError_t status =
      __real_cudaLaunchKernel(kernel, grid, block, arguments, dynamic_shared_bytes, nullptr);
  if (status == cudaSuccess) {
    tilewise::grading::binding::record_launch(kernel, grid, block, dynamic_shared_bytes);
  }
  return status;
}

cudaError_t __real_cudaLaunchCooperativeKernel(const void* kernel, dim3 grid, dim3 block,
                                               void** arguments, size_t dynamic_shared_bytes,
                                               cudaStream_t stream);
cudaError_t __wrap_cudaLaunchCooperativeKernel(const void* kernel, dim3 grid, dim3 block,
                                               void** arguments, size_t dynamic_shared_bytes,
                                               cudaStream_t) {
  const cudaError_t status = __real_cudaLaunchCooperativeKernel(kernel, grid, block, arguments,
                                                                dynamic_shared_bytes, nullptr);
  if (status == cudaSuccess) {
    tilewise::grading::binding::record_launch(kernel, grid, block, dynamic_shared_bytes);
  }
  return status;
}

cudaError_t __real_cudaLaunchKernelExC(const cudaLaunchConfig_t* configuration, const void* kernel,
                                       void** arguments);
cudaError_t __wrap_cudaLaunchKernelExC(const cudaLaunchConfig_t* configuration, const void* kernel,
                                       void** arguments) {
  cudaLaunchConfig_t on_default_stream = *configuration;
  on_default_stream.stream = nullptr;
  const cudaError_t status = __real_cudaLaunchKernelExC(&on_default_stream, kernel, arguments);
  if (status == cudaSuccess) {
    tilewise::grading::binding::record_launch(
        kernel, configuration->gridDim, configuration->blockDim, configuration->dynamicSmemBytes);
  }
  return status;
}

#if CUDART_VERSION >= 13000
cudaError_t __real___cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void** arguments,
                                      size_t dynamic_shared_bytes, cudaStream_t stream);
cudaError_t __wrap___cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void** arguments,
                                      size_t dynamic_shared_bytes, cudaStream_t) {
  const cudaError_t status =
      __real___cudaLaunchKernel(kernel, grid, block, arguments, dynamic_shared_bytes, nullptr);
  if (status == cudaSuccess) {
    tilewise::grading::binding::record_launch(reinterpret_cast<const void*>(kernel), grid, block,
                                              dynamic_shared_bytes);
  }
  return status;
}
#endif

cudaError_t __real_cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned flags);
cudaError_t __wrap_cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned flags) {
  return __real_cudaStreamCreateWithFlags(stream, flags & ~unsigned{cudaStreamNonBlocking});
}

cudaError_t __real_cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned flags, int priority);
cudaError_t __wrap_cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned flags,
                                                int priority) {
  return __real_cudaStreamCreateWithPriority(stream, flags & ~unsigned{cudaStreamNonBlocking},
                                             priority);
}

}  // extern "C"
