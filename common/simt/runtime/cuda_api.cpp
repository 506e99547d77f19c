#include <algorithm>
#include <cfenv>
#include <chrono>
#include <climits>
#include <cmath>
#include <cstdio>
#include <ctime>

#include "common/gpu/capability.hpp"
#include "common/simt/include/tilewise/errors.hpp"
#include "common/simt/include/tilewise/host_api.hpp"
#include "common/simt/include/tilewise/intrinsics.hpp"
#include "common/simt/runtime/block.hpp"
#include "common/simt/runtime/device.hpp"
#include "common/simt/runtime/device_heap.hpp"
#include "common/simt/runtime/device_memory.hpp"
#include "common/simt/runtime/remote_device.hpp"
#include "common/simt/runtime/stream_order.hpp"

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
  note_leaks();
  StreamOrder::instance().host_waits();
  DeviceMemory::instance().release_all();
  DeviceHeap::instance().forget();
  device::forget_errors();
  return cudaSuccess;
}

namespace {

/// Sets the properties that all GPUs share, or that concern what the simulator does not model.
void fill_constants(cudaDeviceProp& of, const tilewise::core::GpuProfile& gpu) {
  of.memPitch = 0x7fffffff;
  of.textureAlignment = 512;
  of.texturePitchAlignment = 32;
  of.surfaceAlignment = 512;
  of.maxTexture1D = of.maxTexture2D[0] = of.maxTexture2D[1] = 131072;
  of.maxTexture2DLinear[0] = 131072;
  of.maxTexture2DLinear[1] = 65000;
  of.maxTexture2DLinear[2] = 2097120;
  for (int& extent : of.maxTexture3D) extent = 16384;
  of.maxTexture1DLayered[0] = of.maxTexture2DLayered[0] = of.maxTexture2DLayered[1] = 32768;
  of.maxTexture1DLayered[1] = of.maxTexture2DLayered[2] = 2048;
  of.maxSurface1D = of.maxSurface2D[0] = 131072;
  of.maxSurface2D[1] = 65536;
  for (int& extent : of.maxSurface3D) extent = 16384;
  of.asyncEngineCount = 1;
  of.deviceOverlap = of.concurrentKernels = of.unifiedAddressing = 1;
  of.canMapHostMemory = of.managedMemory = of.concurrentManagedAccess = 1;
  of.streamPrioritiesSupported = of.globalL1CacheSupported = of.localL1CacheSupported = 1;
  of.computePreemptionSupported = of.canUseHostPointerForRegisteredMem = 1;
  of.hostRegisterSupported = of.memoryPoolsSupported = 1;
  of.cooperativeLaunch = gpu.compute_major >= 6;
  const int doubles = std::max(gpu.fp64_lanes_per_sm, 1);
  of.singleToDoublePrecisionPerfRatio = std::max(gpu.fp32_lanes_per_sm / doubles, 1);
  // Programs compute the bandwidth as two transfers per clock times the bus width; these two values
  // give the right result.
  of.memoryBusWidth = 256;
  of.memoryClockRate = static_cast<int>(gpu.dram_gb_s * 1e6 / (2 * of.memoryBusWidth / 8));
  of.hostNumaId = of.deviceNumaId = -1;
}

}  // namespace

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
  properties->computeMode = cudaComputeModeDefault;
  fill_constants(*properties, gpu);
  return cudaSuccess;
}

cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int number) {
  cudaDeviceProp properties;
  if (value == nullptr) return device::fail(cudaErrorInvalidValue);
  if (const cudaError_t error = cudaGetDeviceProperties(&properties, number);
      error != cudaSuccess) {
    return error;
  }
  const auto whole = [](auto number) {
    return static_cast<int>(std::min<std::size_t>(static_cast<std::size_t>(number), INT_MAX));
  };
  const cudaDeviceProp& of = properties;
  switch (attribute) {
#define TILEWISE_IS(name, number) \
  case cudaDevAttr##name:         \
    return *value = whole(number), cudaSuccess
    TILEWISE_IS(MaxThreadsPerBlock, of.maxThreadsPerBlock);
    TILEWISE_IS(MaxBlockDimX, of.maxThreadsDim[0]);
    TILEWISE_IS(MaxBlockDimY, of.maxThreadsDim[1]);
    TILEWISE_IS(MaxBlockDimZ, of.maxThreadsDim[2]);
    TILEWISE_IS(MaxGridDimX, of.maxGridSize[0]);
    TILEWISE_IS(MaxGridDimY, of.maxGridSize[1]);
    TILEWISE_IS(MaxGridDimZ, of.maxGridSize[2]);
    TILEWISE_IS(MaxSharedMemoryPerBlock, of.sharedMemPerBlock);
    TILEWISE_IS(TotalConstantMemory, of.totalConstMem);
    TILEWISE_IS(WarpSize, of.warpSize);
    TILEWISE_IS(MaxPitch, of.memPitch);
    TILEWISE_IS(MaxRegistersPerBlock, of.regsPerBlock);
    TILEWISE_IS(ClockRate, of.clockRate);
    TILEWISE_IS(TextureAlignment, of.textureAlignment);
    TILEWISE_IS(GpuOverlap, of.deviceOverlap);
    TILEWISE_IS(MultiProcessorCount, of.multiProcessorCount);
    TILEWISE_IS(KernelExecTimeout, of.kernelExecTimeoutEnabled);
    TILEWISE_IS(Integrated, of.integrated);
    TILEWISE_IS(CanMapHostMemory, of.canMapHostMemory);
    TILEWISE_IS(ComputeMode, of.computeMode);
    TILEWISE_IS(MaxTexture1DWidth, of.maxTexture1D);
    TILEWISE_IS(MaxTexture2DWidth, of.maxTexture2D[0]);
    TILEWISE_IS(MaxTexture2DHeight, of.maxTexture2D[1]);
    TILEWISE_IS(MaxTexture3DWidth, of.maxTexture3D[0]);
    TILEWISE_IS(MaxTexture3DHeight, of.maxTexture3D[1]);
    TILEWISE_IS(MaxTexture3DDepth, of.maxTexture3D[2]);
    TILEWISE_IS(SurfaceAlignment, of.surfaceAlignment);
    TILEWISE_IS(ConcurrentKernels, of.concurrentKernels);
    TILEWISE_IS(EccEnabled, of.ECCEnabled);
    TILEWISE_IS(PciBusId, of.pciBusID);
    TILEWISE_IS(PciDeviceId, of.pciDeviceID);
    TILEWISE_IS(PciDomainId, of.pciDomainID);
    TILEWISE_IS(TccDriver, of.tccDriver);
    TILEWISE_IS(MemoryClockRate, of.memoryClockRate);
    TILEWISE_IS(GlobalMemoryBusWidth, of.memoryBusWidth);
    TILEWISE_IS(L2CacheSize, of.l2CacheSize);
    TILEWISE_IS(MaxThreadsPerMultiProcessor, of.maxThreadsPerMultiProcessor);
    TILEWISE_IS(AsyncEngineCount, of.asyncEngineCount);
    TILEWISE_IS(UnifiedAddressing, of.unifiedAddressing);
    TILEWISE_IS(TexturePitchAlignment, of.texturePitchAlignment);
    TILEWISE_IS(ComputeCapabilityMajor, of.major);
    TILEWISE_IS(ComputeCapabilityMinor, of.minor);
    TILEWISE_IS(StreamPrioritiesSupported, of.streamPrioritiesSupported);
    TILEWISE_IS(GlobalL1CacheSupported, of.globalL1CacheSupported);
    TILEWISE_IS(LocalL1CacheSupported, of.localL1CacheSupported);
    TILEWISE_IS(MaxSharedMemoryPerMultiprocessor, of.sharedMemPerMultiprocessor);
    TILEWISE_IS(MaxRegistersPerMultiprocessor, of.regsPerMultiprocessor);
    TILEWISE_IS(ManagedMemory, of.managedMemory);
    TILEWISE_IS(IsMultiGpuBoard, of.isMultiGpuBoard);
    TILEWISE_IS(HostNativeAtomicSupported, of.hostNativeAtomicSupported);
    TILEWISE_IS(SingleToDoublePrecisionPerfRatio, of.singleToDoublePrecisionPerfRatio);
    TILEWISE_IS(PageableMemoryAccess, of.pageableMemoryAccess);
    TILEWISE_IS(ConcurrentManagedAccess, of.concurrentManagedAccess);
    TILEWISE_IS(ComputePreemptionSupported, of.computePreemptionSupported);
    TILEWISE_IS(CanUseHostPointerForRegisteredMem, of.canUseHostPointerForRegisteredMem);
    TILEWISE_IS(CooperativeLaunch, of.cooperativeLaunch);
    TILEWISE_IS(MaxSharedMemoryPerBlockOptin, of.sharedMemPerBlockOptin);
    TILEWISE_IS(HostRegisterSupported, of.hostRegisterSupported);
    TILEWISE_IS(MaxBlocksPerMultiprocessor, of.maxBlocksPerMultiProcessor);
    TILEWISE_IS(MemoryPoolsSupported, of.memoryPoolsSupported);
    TILEWISE_IS(ReservedSharedMemoryPerBlock, of.reservedSharedMemPerBlock);
#undef TILEWISE_IS
    default:
      // All other attributes ask for something that this device does not have.
      if (attribute < 1 || attribute >= cudaDevAttrMax) return device::fail(cudaErrorInvalidValue);
      return *value = 0, cudaSuccess;
  }
}

cudaError_t cudaChooseDevice(int* number, const cudaDeviceProp*) { return cudaGetDevice(number); }

cudaError_t cudaInitDevice(int number, unsigned, unsigned) { return cudaSetDevice(number); }

cudaError_t cudaSetValidDevices(int*, int) { return cudaSuccess; }

// How the host waits makes no difference, because work runs when it is issued.
cudaError_t cudaSetDeviceFlags(unsigned) { return cudaSuccess; }

cudaError_t cudaGetDeviceFlags(unsigned* flags) {
  return flags ? (*flags = cudaDeviceMapHost, cudaSuccess) : device::fail(cudaErrorInvalidValue);
}

cudaError_t cudaDeviceGetByPCIBusId(int* number, const char*) { return cudaGetDevice(number); }

cudaError_t cudaDeviceGetPCIBusId(char* bus_id, int length, int) {
  if (bus_id == nullptr || length < 1) return device::fail(cudaErrorInvalidValue);
  std::snprintf(bus_id, static_cast<std::size_t>(length), "0000:00:00.0");
  return cudaSuccess;
}

namespace {

/// The limits, indexed by cudaLimit; they begin with a GPU's values.
std::size_t limits[cudaLimitPersistingL2CacheSize + 1] = {1024, 1 << 20, 8 << 20, 2, 2048, 64, 0};

bool is_limit(cudaLimit limit) { return limit >= 0 && limit <= cudaLimitPersistingL2CacheSize; }

}  // namespace

cudaError_t cudaDeviceSetLimit(cudaLimit limit, size_t value) {
  if (!is_limit(limit)) return device::fail(cudaErrorUnsupportedLimit);
  limits[limit] = value;
  if (limit == cudaLimitMallocHeapSize) DeviceHeap::instance().set_limit(value);
  return cudaSuccess;
}

cudaError_t cudaDeviceGetLimit(size_t* value, cudaLimit limit) {
  if (value == nullptr) return device::fail(cudaErrorInvalidValue);
  if (!is_limit(limit)) return device::fail(cudaErrorUnsupportedLimit);
  *value = limits[limit];
  return cudaSuccess;
}

// These functions return errors, because there is only one device.
cudaError_t cudaDeviceGetP2PAttribute(int* value, cudaDeviceP2PAttr, int, int) {
  if (value != nullptr) *value = 0;
  return device::fail(cudaErrorInvalidDevice);
}
cudaError_t cudaDeviceCanAccessPeer(int* can, int from, int to) {
  if (can == nullptr) return device::fail(cudaErrorInvalidValue);
  *can = 0;
  return from == 0 && to == 0 ? cudaSuccess : device::fail(cudaErrorInvalidDevice);
}
cudaError_t cudaDeviceEnablePeerAccess(int, unsigned) {
  return device::fail(cudaErrorInvalidDevice);
}
cudaError_t cudaDeviceDisablePeerAccess(int) { return device::fail(cudaErrorInvalidDevice); }

cudaError_t cudaFuncSetAttribute(const void* function, cudaFuncAttribute attribute, int value) {
  if (function == nullptr) return device::fail(cudaErrorInvalidDeviceFunction);
  if (value < 0) return device::fail(cudaErrorInvalidValue);
  if (attribute == cudaFuncAttributePreferredSharedMemoryCarveout) return cudaSuccess;
  if (RemoteDevice* const remote = RemoteDevice::instance()) {
    return remote->raise_dynamic_shared_limit(function, value);
  }
  return device::raise_dynamic_shared_limit(function, static_cast<std::size_t>(value));
}

cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attributes, const void* function) {
  if (function == nullptr) return device::fail(cudaErrorInvalidDeviceFunction);
  cudaDeviceProp properties;
  const cudaError_t error = cudaGetDeviceProperties(&properties, 0);
  if (attributes == nullptr || error != cudaSuccess) return device::fail(cudaErrorInvalidValue);
  constexpr int registers = 32;  // the 65,536 of an SM, divided by 2,048 threads
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
                 .preferredShmemCarveout = cudaSharedmemCarveoutDefault,
                 .clusterDimMustBeSet = 0,
                 .requiredClusterWidth = 0,
                 .requiredClusterHeight = 0,
                 .requiredClusterDepth = 0,
                 .clusterSchedulingPolicyPreference = 0,
                 .nonPortableClusterSizeAllowed = 0};
  return cudaSuccess;
}

long long clock64() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

/// In kernels, clock() counts a GPU's ticks; elsewhere it counts microseconds of processor time.
/// Programs of both kinds wait until it has advanced far enough.
extern "C" std::clock_t __wrap_clock() {
  const Block* const running = Block::if_any_of_this_thread();
  return running != nullptr && running->runs_device_code() ? clock64() : std::clock();
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

// Volatile accesses keep the arithmetic between the two changes of the rounding mode, because the
// compiler must make them where they stand.
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
