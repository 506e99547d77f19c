#include <chrono>

#include "common/simt/include/tilewise/host_api.hpp"
#include "common/simt/include/tilewise/intrinsics.hpp"
#include "common/simt/runtime/device.hpp"

// Work runs when it is issued, so a stream needs no state beyond being one.
struct CUstream_st {};

struct CUevent_st {
  bool times = true;
  bool recorded = false;
  std::chrono::steady_clock::time_point moment{};
};

using namespace tilewise::simt;

cudaError_t cudaStreamCreate(cudaStream_t* stream) {
  if (stream == nullptr) return device::fail(cudaErrorInvalidValue);
  *stream = new CUstream_st;
  return cudaSuccess;
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned) {
  return cudaStreamCreate(stream);
}

cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  delete stream;
  return cudaSuccess;
}

cudaError_t cudaStreamSynchronize(cudaStream_t) { return device::lasting_error(); }
cudaError_t cudaStreamQuery(cudaStream_t) { return device::lasting_error(); }
cudaError_t cudaStreamWaitEvent(cudaStream_t, cudaEvent_t, unsigned) {
  return device::lasting_error();
}
cudaError_t cudaDeviceSynchronize() { return device::lasting_error(); }

cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned flags) {
  if (event == nullptr) return device::fail(cudaErrorInvalidValue);
  *event = new CUevent_st;
  (*event)->times = (flags & cudaEventDisableTiming) == 0;
  return cudaSuccess;
}

cudaError_t cudaEventCreate(cudaEvent_t* event) {
  return cudaEventCreateWithFlags(event, cudaEventDefault);
}

cudaError_t cudaEventDestroy(cudaEvent_t event) {
  delete event;
  return cudaSuccess;
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t) {
  if (event == nullptr) return device::fail(cudaErrorInvalidResourceHandle);
  event->recorded = true;
  event->moment = std::chrono::steady_clock::now();
  return device::lasting_error();
}

cudaError_t cudaEventSynchronize(cudaEvent_t) { return device::lasting_error(); }
cudaError_t cudaEventQuery(cudaEvent_t) { return device::lasting_error(); }

cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t start, cudaEvent_t stop) {
  if (milliseconds == nullptr) return device::fail(cudaErrorInvalidValue);
  if (start == nullptr || stop == nullptr || !start->recorded || !stop->recorded || !start->times ||
      !stop->times) {
    return device::fail(cudaErrorInvalidResourceHandle);
  }
  *milliseconds = std::chrono::duration<float, std::milli>(stop->moment - start->moment).count();
  return cudaSuccess;
}

long long clock64() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}
