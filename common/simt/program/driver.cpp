/// CUDA's driver interface for whole programs: its functions call their counterparts of the
/// run-time, if there are any. Modules are in modules.cpp, NVRTC's compiler in
/// run_time_compilation.cpp. All other functions of the toolkit's cuda.h and nvrtc.h are weak ones
/// that refuse (refused_functions.cpp, which the build generates from common/simt/cuda_names.json).
/// The toolkit's declarations are not needed here: these are functions of C, and their error
/// numbers are the run-time's, too.
#include <cstddef>
#include <cstdint>
#include <vector>

#include "common/simt/include/tilewise/driver_types.hpp"
#include "common/simt/include/tilewise/host_api.hpp"

#define DRIVER extern "C" __attribute__((visibility("default"))) cudaError_t

namespace {

using Device = int;
using Address = unsigned long long;

void* at(Address address) { return reinterpret_cast<void*>(address); }

/// There is one device with one context; it makes no difference for which thread the context is
/// current.
char only_context = 0;
void* current_context = nullptr;

cudaError_t make_current(void** context, Device device) {
  if (device != 0) return cudaErrorInvalidDevice;
  *context = &only_context;
  return cudaSuccess;
}

/// Fills memory with elements of more than a byte, for which the run-time has no cudaMemset().
template <class Element>
cudaError_t fill(Address to, Element value, std::size_t count) {
  const std::vector<Element> values(count, value);
  return cudaMemcpy(at(to), values.data(), count * sizeof(Element), cudaMemcpyHostToDevice);
}

}  // namespace

DRIVER cuInit(unsigned /*flags*/) { return cudaSuccess; }
DRIVER cuDriverGetVersion(int* version) { return cudaDriverGetVersion(version); }
DRIVER cuGetErrorName(cudaError_t error, const char** text) {
  return *text = cudaGetErrorName(error), cudaSuccess;
}
DRIVER cuGetErrorString(cudaError_t error, const char** text) {
  return *text = cudaGetErrorString(error), cudaSuccess;
}

DRIVER cuDeviceGet(Device* device, int ordinal) {
  return *device = ordinal, ordinal == 0 ? cudaSuccess : cudaErrorInvalidDevice;
}
DRIVER cuDeviceGetCount(int* count) { return cudaGetDeviceCount(count); }
DRIVER cuDeviceGetAttribute(int* value, cudaDeviceAttr attribute, Device device) {
  return cudaDeviceGetAttribute(value, attribute, device);
}
DRIVER cuDeviceGetName(char* name, int bytes, Device device) {
  cudaDeviceProp properties;
  const cudaError_t error = cudaGetDeviceProperties(&properties, device);
  if (error != cudaSuccess || bytes < 1) return cudaErrorInvalidValue;
  int i = 0;
  for (; i + 1 < bytes && properties.name[i] != '\0'; ++i) name[i] = properties.name[i];
  return name[i] = '\0', cudaSuccess;
}
DRIVER cuDeviceTotalMem_v2(std::size_t* bytes, Device) {
  std::size_t free_bytes = 0;
  return cudaMemGetInfo(&free_bytes, bytes);
}
DRIVER cuDeviceComputeCapability(int* major, int* minor, Device device) {
  cudaDeviceGetAttribute(major, cudaDevAttrComputeCapabilityMajor, device);
  return cudaDeviceGetAttribute(minor, cudaDevAttrComputeCapabilityMinor, device);
}
DRIVER cuDeviceCanAccessPeer(int* can, Device device, Device peer) {
  return cudaDeviceCanAccessPeer(can, device, peer);
}

DRIVER cuCtxCreate_v2(void** context, unsigned /*flags*/, Device device) {
  const cudaError_t error = make_current(context, device);
  if (error == cudaSuccess) current_context = *context;
  return error;
}
DRIVER cuCtxCreate_v4(void** context, void* /*parameters*/, unsigned flags, Device device) {
  return cuCtxCreate_v2(context, flags, device);
}
DRIVER cuCtxDestroy_v2(void*) { return current_context = nullptr, cudaDeviceReset(); }
DRIVER cuCtxSetCurrent(void* context) { return current_context = context, cudaSuccess; }
DRIVER cuCtxGetCurrent(void** context) { return *context = current_context, cudaSuccess; }
DRIVER cuCtxPushCurrent_v2(void* context) { return cuCtxSetCurrent(context); }
DRIVER cuCtxPopCurrent_v2(void** context) {
  if (context != nullptr) *context = current_context;
  return current_context = nullptr, cudaSuccess;
}
DRIVER cuCtxGetDevice(Device* device) { return *device = 0, cudaSuccess; }
DRIVER cuCtxSynchronize() { return cudaDeviceSynchronize(); }
DRIVER cuDevicePrimaryCtxRetain(void** context, Device device) {
  return make_current(context, device);
}
DRIVER cuDevicePrimaryCtxRelease_v2(Device) { return cudaSuccess; }
DRIVER cuDevicePrimaryCtxReset_v2(Device) { return cudaDeviceReset(); }

DRIVER cuMemGetInfo_v2(std::size_t* free_bytes, std::size_t* bytes) {
  return cudaMemGetInfo(free_bytes, bytes);
}
DRIVER cuMemAlloc_v2(void** pointer, std::size_t bytes) { return cudaMalloc(pointer, bytes); }
DRIVER cuMemAllocPitch_v2(void** pointer, std::size_t* pitch, std::size_t width, std::size_t height,
                          unsigned /*element_bytes*/) {
  return cudaMallocPitch(pointer, pitch, width, height);
}
DRIVER cuMemAllocManaged(void** pointer, std::size_t bytes, unsigned flags) {
  return cudaMallocManaged(pointer, bytes, flags);
}
DRIVER cuMemFree_v2(Address pointer) { return cudaFree(at(pointer)); }
DRIVER cuMemAllocHost_v2(void** pointer, std::size_t bytes) {
  return cudaMallocHost(pointer, bytes);
}
DRIVER cuMemHostAlloc(void** pointer, std::size_t bytes, unsigned flags) {
  return cudaHostAlloc(pointer, bytes, flags);
}
DRIVER cuMemFreeHost(void* pointer) { return cudaFreeHost(pointer); }
DRIVER cuMemcpyHtoD_v2(Address to, const void* from, std::size_t bytes) {
  return cudaMemcpy(at(to), from, bytes, cudaMemcpyHostToDevice);
}
DRIVER cuMemcpyDtoH_v2(void* to, Address from, std::size_t bytes) {
  return cudaMemcpy(to, at(from), bytes, cudaMemcpyDeviceToHost);
}
DRIVER cuMemcpyDtoD_v2(Address to, Address from, std::size_t bytes) {
  return cudaMemcpy(at(to), at(from), bytes, cudaMemcpyDeviceToDevice);
}
DRIVER cuMemcpyHtoDAsync_v2(Address to, const void* from, std::size_t bytes, cudaStream_t stream) {
  return cudaMemcpyAsync(at(to), from, bytes, cudaMemcpyHostToDevice, stream);
}
DRIVER cuMemcpyDtoHAsync_v2(void* to, Address from, std::size_t bytes, cudaStream_t stream) {
  return cudaMemcpyAsync(to, at(from), bytes, cudaMemcpyDeviceToHost, stream);
}
DRIVER cuMemsetD8_v2(Address to, unsigned char value, std::size_t count) {
  return cudaMemset(at(to), value, count);
}
DRIVER cuMemsetD16_v2(Address to, std::uint16_t value, std::size_t count) {
  return fill(to, value, count);
}
DRIVER cuMemsetD32_v2(Address to, std::uint32_t value, std::size_t count) {
  return fill(to, value, count);
}

DRIVER cuStreamCreate(cudaStream_t* stream, unsigned flags) {
  return cudaStreamCreateWithFlags(stream, flags);
}
DRIVER cuStreamDestroy_v2(cudaStream_t stream) { return cudaStreamDestroy(stream); }
DRIVER cuStreamSynchronize(cudaStream_t stream) { return cudaStreamSynchronize(stream); }
DRIVER cuStreamQuery(cudaStream_t stream) { return cudaStreamQuery(stream); }
DRIVER cuStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags) {
  return cudaStreamWaitEvent(stream, event, flags);
}
DRIVER cuEventCreate(cudaEvent_t* event, unsigned flags) {
  return cudaEventCreateWithFlags(event, flags);
}
DRIVER cuEventDestroy_v2(cudaEvent_t event) { return cudaEventDestroy(event); }
DRIVER cuEventRecord(cudaEvent_t event, cudaStream_t stream) {
  return cudaEventRecord(event, stream);
}
DRIVER cuEventSynchronize(cudaEvent_t event) { return cudaEventSynchronize(event); }
DRIVER cuEventQuery(cudaEvent_t event) { return cudaEventQuery(event); }
DRIVER cuEventElapsedTime_v2(float* milliseconds, cudaEvent_t start, cudaEvent_t stop) {
  return cudaEventElapsedTime(milliseconds, start, stop);
}
