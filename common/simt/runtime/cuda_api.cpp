#include <cfenv>
#include <chrono>
#include <cmath>
#include <cstdio>

#include "common/gpu/capability.hpp"
#include "common/simt/include/tilewise/errors.hpp"
#include "common/simt/include/tilewise/host_api.hpp"
#include "common/simt/include/tilewise/intrinsics.hpp"
#include "common/simt/runtime/device.hpp"
#include "common/simt/runtime/device_memory.hpp"
#include "common/simt/runtime/remote_device.hpp"

using namespace tilewise::simt;

cudaError_t cudaGetDeviceCount(int* count) {
  *count = 1;
  return cudaSuccess;
}

cudaError_t cudaGetDevice(int* number) {
  *number = 0;
  return cudaSuccess;
}

cudaError_t cudaSetDevice(int number) {
  return number == 0 ? cudaSuccess : device::fail(cudaErrorInvalidDevice);
}

cudaError_t cudaDeviceReset() {
  if (RemoteDevice* const remote = RemoteDevice::instance()) {
    remote->reset();
    return cudaSuccess;
  }
  DeviceMemory::instance().release_all();
  device::forget_errors();
  return cudaSuccess;
}

cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int number) {
  if (properties == nullptr) return device::fail(cudaErrorInvalidValue);
  if (number != 0) return device::fail(cudaErrorInvalidDevice);
  const tilewise::core::GpuProfile& gpu = device::profile();
  *properties = cudaDeviceProp{};
  std::snprintf(properties->name, sizeof properties->name, "%s", gpu.name.c_str());
  properties->totalGlobalMem = DeviceMemory::instance().capacity();
  properties->sharedMemPerBlock = gpu.default_shared_bytes_per_block();
  properties->sharedMemPerBlockOptin = gpu.shared_bytes_per_block;
  properties->sharedMemPerMultiprocessor = gpu.shared_bytes_per_sm;
  properties->totalConstMem = 64 * 1024;
  properties->regsPerBlock = gpu.registers_per_sm;
  properties->regsPerMultiprocessor = gpu.registers_per_sm;
  properties->warpSize = 32;
  properties->maxThreadsPerBlock = gpu.threads_per_block;
  properties->maxThreadsDim[0] = gpu.threads_per_block;
  properties->maxThreadsDim[1] = gpu.threads_per_block;
  properties->maxThreadsDim[2] = 64;
  properties->maxGridSize[0] = static_cast<int>(tilewise::core::capability_of(gpu).most_blocks_x);
  properties->maxGridSize[1] = 65535;
  properties->maxGridSize[2] = 65535;
  properties->maxThreadsPerMultiProcessor = gpu.threads_per_sm;
  properties->maxBlocksPerMultiProcessor = gpu.blocks_per_sm;
  properties->multiProcessorCount = gpu.sms;
  properties->clockRate = static_cast<int>(gpu.clock_mhz * 1000);
  properties->l2CacheSize = static_cast<int>(gpu.l2_bytes);
  properties->major = gpu.compute_major;
  properties->minor = gpu.compute_minor;
  properties->computeMode = 0;
  return cudaSuccess;
}

cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int number) {
  cudaDeviceProp properties;
  if (value == nullptr) return device::fail(cudaErrorInvalidValue);
  if (const cudaError_t error = cudaGetDeviceProperties(&properties, number);
      error != cudaSuccess) {
    return error;
  }
  switch (attribute) {
    case cudaDevAttrMaxThreadsPerBlock:
      *value = properties.maxThreadsPerBlock;
      break;
    case cudaDevAttrMaxBlockDimX:
    case cudaDevAttrMaxBlockDimY:
    case cudaDevAttrMaxBlockDimZ:
      *value = properties.maxThreadsDim[attribute - cudaDevAttrMaxBlockDimX];
      break;
    case cudaDevAttrMaxGridDimX:
    case cudaDevAttrMaxGridDimY:
    case cudaDevAttrMaxGridDimZ:
      *value = properties.maxGridSize[attribute - cudaDevAttrMaxGridDimX];
      break;
    case cudaDevAttrMaxSharedMemoryPerBlock:
      *value = static_cast<int>(properties.sharedMemPerBlock);
      break;
    case cudaDevAttrWarpSize:
      *value = properties.warpSize;
      break;
    case cudaDevAttrClockRate:
      *value = properties.clockRate;
      break;
    case cudaDevAttrMultiProcessorCount:
      *value = properties.multiProcessorCount;
      break;
    case cudaDevAttrL2CacheSize:
      *value = properties.l2CacheSize;
      break;
    case cudaDevAttrMaxThreadsPerMultiProcessor:
      *value = properties.maxThreadsPerMultiProcessor;
      break;
    case cudaDevAttrComputeCapabilityMajor:
      *value = properties.major;
      break;
    case cudaDevAttrComputeCapabilityMinor:
      *value = properties.minor;
      break;
    case cudaDevAttrMaxSharedMemoryPerMultiprocessor:
      *value = static_cast<int>(properties.sharedMemPerMultiprocessor);
      break;
    case cudaDevAttrMaxRegistersPerMultiprocessor:
      *value = properties.regsPerMultiprocessor;
      break;
    case cudaDevAttrMaxSharedMemoryPerBlockOptin:
      *value = static_cast<int>(properties.sharedMemPerBlockOptin);
      break;
    default:
      return device::fail(cudaErrorInvalidValue);
  }
  return cudaSuccess;
}

cudaError_t cudaFuncSetAttribute(const void* function, cudaFuncAttribute attribute, int value) {
  if (function == nullptr) return device::fail(cudaErrorInvalidDeviceFunction);
  if (value < 0) return device::fail(cudaErrorInvalidValue);
  if (attribute == cudaFuncAttributePreferredSharedMemoryCarveout) return cudaSuccess;
  if (RemoteDevice* const remote = RemoteDevice::instance()) {
    return remote->raise_dynamic_shared_limit(value);
  }
  return device::raise_dynamic_shared_limit(static_cast<std::size_t>(value));
}

cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attributes, const void* function) {
  if (function == nullptr) return device::fail(cudaErrorInvalidDeviceFunction);
  cudaDeviceProp properties;
  const cudaError_t error = cudaGetDeviceProperties(&properties, 0);
  if (attributes == nullptr || error != cudaSuccess) return device::fail(cudaErrorInvalidValue);
  constexpr int registers = 32;  // 65,536 of an SM's, by 2,048 threads
  const int capability = 10 * properties.major + properties.minor;
  *attributes = {.sharedSizeBytes = 0,
                 .constSizeBytes = 0,
                 .localSizeBytes = 0,
                 .maxThreadsPerBlock = properties.maxThreadsPerBlock,
                 .numRegs = registers,
                 .ptxVersion = capability,
                 .binaryVersion = capability,
                 .cacheModeCA = 0,
                 .maxDynamicSharedSizeBytes = static_cast<int>(properties.sharedMemPerBlock),
                 .preferredShmemCarveout = cudaSharedmemCarveoutDefault};
  return cudaSuccess;
}

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
  if (stream == cudaStreamLegacy || stream == cudaStreamPerThread) {
    return device::fail(cudaErrorInvalidResourceHandle);
  }
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

namespace {

struct Description {
  cudaError_t error;
  const char* name;
  const char* meaning;  // CUDA's words
};

constexpr Description descriptions[] = {
    {cudaSuccess, "cudaSuccess", "no error"},
    {cudaErrorInvalidValue, "cudaErrorInvalidValue", "invalid argument"},
    {cudaErrorMemoryAllocation, "cudaErrorMemoryAllocation", "out of memory"},
    {cudaErrorInitializationError, "cudaErrorInitializationError", "initialization error"},
    {cudaErrorInvalidConfiguration, "cudaErrorInvalidConfiguration",
     "invalid configuration argument"},
    {cudaErrorInvalidPitchValue, "cudaErrorInvalidPitchValue", "invalid pitch argument"},
    {cudaErrorInvalidSymbol, "cudaErrorInvalidSymbol", "invalid device symbol"},
    {cudaErrorInvalidDevicePointer, "cudaErrorInvalidDevicePointer", "invalid device pointer"},
    {cudaErrorInvalidMemcpyDirection, "cudaErrorInvalidMemcpyDirection",
     "invalid copy direction for memcpy"},
    {cudaErrorDevicesUnavailable, "cudaErrorDevicesUnavailable",
     "CUDA-capable device(s) is/are busy or unavailable"},
    {cudaErrorInvalidDeviceFunction, "cudaErrorInvalidDeviceFunction", "invalid device function"},
    {cudaErrorNoDevice, "cudaErrorNoDevice", "no CUDA-capable device is detected"},
    {cudaErrorInvalidDevice, "cudaErrorInvalidDevice", "invalid device ordinal"},
    {cudaErrorInvalidResourceHandle, "cudaErrorInvalidResourceHandle", "invalid resource handle"},
    {cudaErrorNotReady, "cudaErrorNotReady", "device not ready"},
    {cudaErrorIllegalAddress, "cudaErrorIllegalAddress",
     "an illegal memory access was encountered"},
    {cudaErrorLaunchOutOfResources, "cudaErrorLaunchOutOfResources",
     "too many resources requested for launch"},
    {cudaErrorLaunchTimeout, "cudaErrorLaunchTimeout", "the launch timed out and was terminated"},
    {cudaErrorLaunchFailure, "cudaErrorLaunchFailure", "unspecified launch failure"},
    {cudaErrorNotSupported, "cudaErrorNotSupported", "operation not supported"},
    {cudaErrorUnknown, "cudaErrorUnknown", "unknown error"},
};

const Description* find(cudaError_t error) {
  for (const Description& description : descriptions) {
    if (description.error == error) return &description;
  }
  return nullptr;
}

}  // namespace

const char* cudaGetErrorName(cudaError_t error) {
  const Description* description = find(error);
  return description ? description->name : "unrecognized error code";
}

const char* cudaGetErrorString(cudaError_t error) {
  const Description* description = find(error);
  return description ? description->meaning : "unrecognized error code";
}

namespace tilewise::simt {
namespace {

constexpr int mode_of(Rounding rounding) {
  switch (rounding) {
    case Rounding::down:
      return FE_DOWNWARD;
    case Rounding::up:
      return FE_UPWARD;
    case Rounding::to_zero:
      return FE_TOWARDZERO;
  }
  return FE_TONEAREST;
}

template <class Real>
Real calculate(Arithmetic arithmetic, Real x, Real y, Real z) {
  switch (arithmetic) {
    case Arithmetic::add:
      return x + y;
    case Arithmetic::multiply:
      return x * y;
    case Arithmetic::divide:
      return x / y;
    case Arithmetic::multiply_and_add:
      return std::fma(x, y, z);
    case Arithmetic::root:
      return std::sqrt(x);
  }
  return 0;
}

// Loads and stores that a compiler must make where they stand keep the arithmetic between the two
// changes of the mode.
template <class Real>
Real calculate_rounded(Rounding rounding, Arithmetic arithmetic, Real x, Real y, Real z) {
  const volatile Real operands[] = {x, y, z};
  const int before = std::fegetround();
  std::fesetround(mode_of(rounding));
  const volatile Real result = calculate<Real>(arithmetic, operands[0], operands[1], operands[2]);
  std::fesetround(before);
  return result;
}

}  // namespace

float rounded(Rounding rounding, Arithmetic arithmetic, float x, float y, float z) {
  return calculate_rounded(rounding, arithmetic, x, y, z);
}

double rounded(Rounding rounding, Arithmetic arithmetic, double x, double y, double z) {
  return calculate_rounded(rounding, arithmetic, x, y, z);
}

}  // namespace tilewise::simt
