// Launches: what runs, how often, with which arguments; and CUDA's errors for what cannot run.

#include <cuda.h>  // the first three are here to be seen to compile
#include <cuda_runtime_api.h>
#include <device_launch_parameters.h>

#include <atomic>

#include "common/simt/test/testing.hpp"

namespace tilewise::simt {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

class Launches : public SimtTest {};

__global__ void count_visits(int* visits) {
  const unsigned block = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
  const unsigned thread = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
  atomicAdd(&visits[block * blockDim.x * blockDim.y * blockDim.z + thread], 1);
}

TEST_F(Launches, RunEveryThreadOfEveryBlockOnce) {
  struct Case {
    dim3 grid, block;
  };
  const Case cases[] = {{1, 1},          {{7, 5, 3}, {4, 3, 2}}, {1000, 1},
                        {{1, 1, 9}, 33}, {{3, 50}, {8, 8}},      {2, 1024}};
  for (const auto& [grid, block] : cases) {
    DeviceVector<int> visits(std::size_t{grid.x} * grid.y * grid.z * block.x * block.y * block.z);
    count_visits<<<grid, block>>>(visits.data());
    EXPECT_EQ(cudaGetLastError(), cudaSuccess);
    EXPECT_THAT(visits.values(), Each(1));
  }
}

template <class T, int Step>
__global__ void add(T* values, T amount) {
  values[threadIdx.x] += amount * Step;
}

TEST_F(Launches, TakeTemplatedKernelsAndKernelPointers) {
  DeviceVector<float> floats(4);
  add<float, 3><<<1, 4>>>(floats.data(), 2);  // int to float, as a call would
  EXPECT_THAT(floats.values(), Each(6.0f));
  DeviceVector<int> ints(4);
  void (*kernel)(int*, int) = add<int, 1>;
  kernel<<<1, 4>>>(ints.data(), 5);
  EXPECT_THAT(ints.values(), Each(5));
}

template <class Kernel>
void launch_what_is_called_as_a_kernel(Kernel add, int* values) {
  add<<<1, 4>>>(values, 5);
}

TEST_F(Launches, TakeVariablesThatAreCalledAsAKernelIs) {
  DeviceVector<int> ints(4);
  const auto choose = [](bool twice) { return twice ? add<int, 2> : add<int, 1>; };
  launch_what_is_called_as_a_kernel(choose(false), ints.data());
  EXPECT_THAT(ints.values(), Each(5));
  const auto add = choose(true);
  add<<<1, 4>>>(ints.data(), 5);
  EXPECT_THAT(ints.values(), Each(15));
}

__global__ void store(int* out, int value) { out[blockIdx.x * blockDim.x + threadIdx.x] = value; }
template <int Value>
__global__ void store_as(int* out) {
  out[threadIdx.x] = Value;
}

TEST_F(Launches, HaveBlocksOfOneThreadWhereNoneIsGiven) {
  DeviceVector<int> out(3);
  store<<<3>>>(out.data(), 4);
  EXPECT_THAT(out.values(), Each(4));
}

TEST_F(Launches, EvaluateArgumentsOnce) {
  DeviceVector<int> out(64);
  int calls = 0;
  store<<<2, 32>>>(out.data(), ++calls);
  EXPECT_EQ(calls, 1);
  EXPECT_THAT(out.values(), Each(1));
}

struct Size {
  int rows, cols;
};
__global__ void store_size(int* out, const int* mask, Size size) {
  if (mask == nullptr) out[0] = size.rows, out[1] = size.cols;
}
__global__ void overloaded(int* out, int value) { out[0] = value; }
__global__ void overloaded(int* out, Size size) { out[0] = size.rows; }
template <class T>
__global__ void fill(T* out, T value, int step = 1) {
  out[threadIdx.x] = value + step;
}

// What the macro is given stands for a kernel, for several or for a variable.
#define LAUNCH(kernel, ...) kernel<<<1, 1>>>(__VA_ARGS__)
#define CONFIGURED(kernel) kernel<<<1, 1>>>

TEST_F(Launches, ConvertArgumentsToTheParametersTypes) {
  DeviceVector<int> out(2);
  store_size<<<1, 1>>>(out.data(), NULL, {1, 2});
  EXPECT_THAT(out.values(), ElementsAre(1, 2));
  store_size<<<1, 1>>>(out.data(), 0, {3, 0});
  EXPECT_THAT(out.values(), ElementsAre(3, 0));
  fill<int><<<1, 2>>>(out.data(), 4.5);
  EXPECT_THAT(out.values(), Each(5));
  fill<<<1, 2>>>(out.data(), 5, 2);
  EXPECT_THAT(out.values(), Each(7));
}

TEST_F(Launches, MayStandInMacros) {
  DeviceVector<int> out(2);
  LAUNCH(store_size, out.data(), 0, {1, 2});
  EXPECT_THAT(out.values(), ElementsAre(1, 2));
  LAUNCH(overloaded, out.data(), Size{3, 1});
  LAUNCH((add<int, 2>), out.data() + 1, 1);
  EXPECT_THAT(out.values(), ElementsAre(3, 4));
  void (*chosen)(int*, int) = overloaded;
  LAUNCH(chosen, out.data(), 5);
  CONFIGURED(fill)(out.data() + 1, 5);
  EXPECT_THAT(out.values(), ElementsAre(5, 6));
}

/// Counts who shares it, as smart pointers do.
class Counted {
 public:
  explicit Counted(int* count) : count_(count) { ++*count_; }
  __host__ __device__ Counted(const Counted& other) : count_(other.count_) { ++*count_; }
  __host__ __device__ ~Counted() { --*count_; }
  int value = 1;

 private:
  int* count_;
};
__global__ void change_counted(int* out, Counted counted, int value) {
  counted.value += static_cast<int>(threadIdx.x);
  out[threadIdx.x] = counted.value + value;
}

TEST_F(Launches, CopyParametersOnTheHostAlone) {
  DeviceVector<int> out(3);
  int count = 0;
  {
    const Counted counted(&count);
    change_counted<<<1, 3>>>(out.data(), counted, 10);
    EXPECT_EQ(count, 1);
  }
  EXPECT_EQ(count, 0);
  EXPECT_THAT(out.values(), ElementsAre(11, 12, 13));
}

__global__ void change_parameter(int* out, int value) {
  value += static_cast<int>(threadIdx.x);
  out[threadIdx.x] = value;
}

TEST_F(Launches, GiveEveryThreadParametersOfItsOwn) {
  DeviceVector<int> out(3);
  change_parameter<<<1, 3>>>(out.data(), 10);
  EXPECT_THAT(out.values(), ElementsAre(10, 11, 12));
}

TEST_F(Launches, AreRecorded) {
  DeviceVector<int> out(32);
  store<<<dim3(2, 1), dim3(4, 4), 128>>>(out.data(), 1);
  store<<<0, 1>>>(out.data(), 1);  // does not run
  const std::vector<LaunchRecord> launches = take_launches();
  ASSERT_EQ(launches.size(), 1u);
  EXPECT_EQ(launches[0].kernel, "store");
  EXPECT_THAT(launches[0].grid, ElementsAre(2, 1, 1));
  EXPECT_THAT(launches[0].block, ElementsAre(4, 4, 1));
  EXPECT_EQ(launches[0].dynamic_shared_bytes, 128u);
  EXPECT_EQ(launches[0].line, __LINE__ - 8);
  EXPECT_THAT(take_launches(), IsEmpty());
}

TEST_F(Launches, BeyondTheDeviceGetCudasErrors) {
  struct Case {
    const char* what;
    dim3 grid, block;
    std::size_t dynamic_shared;
    cudaError_t error;
  };
  const Case cases[] = {
      {"1024 threads", 1, {32, 32}, 0, cudaSuccess},
      {"1025 threads", 1, 1025, 0, cudaErrorInvalidConfiguration},
      {"33x32 threads", 1, {33, 32}, 0, cudaErrorInvalidConfiguration},
      {"z of 65", 1, {1, 1, 65}, 0, cudaErrorInvalidConfiguration},
      {"empty grid", {1, 0}, 1, 0, cudaErrorInvalidConfiguration},
      {"empty block", 1, {0, 1}, 0, cudaErrorInvalidConfiguration},
      {"grid y too long", {1, 65536}, 1, 0, cudaErrorInvalidConfiguration},
      {"48 KiB shared", 1, 1, 48 * 1024, cudaSuccess},
      {"too much shared", 1, 1, 48 * 1024 + 1, cudaErrorInvalidValue},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.what);
    DeviceVector<int> out(1024);
    store<<<c.grid, c.block, c.dynamic_shared>>>(out.data(), 7);
    EXPECT_EQ(cudaPeekAtLastError(), c.error);
    EXPECT_EQ(cudaGetLastError(), c.error);
    EXPECT_EQ(cudaGetLastError(), cudaSuccess) << "an error is told once";
    EXPECT_EQ(out.values()[0], c.error == cudaSuccess ? 7 : 0);
  }
}

TEST_F(Launches, FollowTheChosenDevicesLimits) {
  use_device(core::gpu_profile("gt240"));
  DeviceVector<int> out(1024);
  store<<<1, 513>>>(out.data(), 1);
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidConfiguration);
  store<<<1, 512, 16 * 1024 + 1>>>(out.data(), 1);
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidValue);

  use_device(core::gpu_profile("h200"));
  store<<<1, 32, 200 * 1024>>>(out.data(), 1);
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidValue);
  EXPECT_EQ(cudaFuncSetAttribute(store, cudaFuncAttributeMaxDynamicSharedMemorySize, 200 * 1024),
            cudaSuccess);
  store<<<1, 32, 200 * 1024>>>(out.data(), 1);
  EXPECT_EQ(cudaGetLastError(), cudaSuccess);
  EXPECT_EQ(cudaFuncSetAttribute(store, cudaFuncAttributeMaxDynamicSharedMemorySize, 1 << 20),
            cudaErrorInvalidValue);

  // Each kernel asks for itself, and so does each instance of a template.
  static_cast<void>(take_findings());
  store_as<1><<<1, 32, 200 * 1024>>>(out.data());
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidValue);
  const auto kernel = store_as<1>;
  EXPECT_EQ(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, 200 * 1024),
            cudaSuccess);
  store_as<1><<<1, 32, 200 * 1024>>>(out.data());
  EXPECT_EQ(cudaGetLastError(), cudaSuccess);
  store_as<2><<<1, 32, 200 * 1024>>>(out.data());
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidValue);
  void (*const pointers[])(int*) = {store_as<1>, store_as<2>};
  pointers[0]<<<1, 32, 200 * 1024>>>(out.data());
  EXPECT_EQ(cudaGetLastError(), cudaSuccess);
  pointers[1]<<<1, 32, 200 * 1024>>>(out.data());
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidValue);
  use_device(core::gpu_profile("gtx1080"));
}

TEST_F(Launches, SeeThePropertiesOfTheChosenDevice) {
  cudaDeviceProp properties;
  ASSERT_EQ(cudaGetDeviceProperties(&properties, 0), cudaSuccess);
  EXPECT_STREQ(properties.name, "NVIDIA GeForce GTX 1080");
  EXPECT_EQ(properties.multiProcessorCount, 20);
  EXPECT_EQ(properties.sharedMemPerBlock, 49152u);
  EXPECT_EQ(properties.major, 6);
  int threads = 0;
  EXPECT_EQ(cudaDeviceGetAttribute(&threads, cudaDevAttrMaxThreadsPerMultiProcessor, 0),
            cudaSuccess);
  EXPECT_EQ(threads, 2048);
  EXPECT_EQ(cudaGetDeviceProperties(&properties, 1), cudaErrorInvalidDevice);
  EXPECT_EQ(cudaSetDevice(3), cudaErrorInvalidDevice);
}

__global__ void launches_another() { store<<<1, 1>>>(nullptr, 0); }

TEST_F(Launches, FromAKernelAreRefused) {
  launches_another<<<1, 1>>>();
  EXPECT_THAT(the_fatal_finding("launch").message, ::testing::HasSubstr("launch it from the host"));
}

template <int factor>
__global__ void scale(int* out, long long offset, float2 pair) {
  out[threadIdx.x] = factor * static_cast<int>(threadIdx.x + offset + pair.x + pair.y);
}

TEST_F(Launches, TakeAKernelsAddressAndThoseOfItsArguments) {
  DeviceVector<int> out(4);
  int* pointer = out.data();
  long long offset = 1;
  float2 pair = {2, 3};
  void* arguments[] = {&pointer, &offset, &pair};
  EXPECT_EQ(cudaLaunchKernel(scale<1>, 1, 4, arguments), cudaSuccess);
  EXPECT_THAT(out.values(), ElementsAre(6, 7, 8, 9));
  const void* const kernels[] = {(const void*)scale<2>, reinterpret_cast<void*>(&scale<3>)};
  EXPECT_EQ(cudaLaunchKernel(kernels[0], dim3(1), dim3(4), arguments, 0, nullptr), cudaSuccess);
  EXPECT_THAT(out.values(), ElementsAre(12, 14, 16, 18));
  EXPECT_EQ(cudaLaunchKernel(kernels[1], 1, 4, arguments, 0, cudaStreamPerThread), cudaSuccess);
  EXPECT_THAT(out.values(), ElementsAre(18, 21, 24, 27));
  EXPECT_EQ(cudaLaunchKernel(static_cast<const void*>(arguments), 1, 4, arguments),
            cudaErrorInvalidDeviceFunction);
  EXPECT_EQ(take_launches().back().kernel, "scale<3>");
}

#define WITH(grid, block) <<<grid, block>>>
#define WITH_ONE_BLOCK(block) WITH(1, block)
#define LAUNCH_WITH(kernel, configuration, ...) kernel configuration(__VA_ARGS__)
#define RUN(kernel, ...) kernel __VA_ARGS__

TEST_F(Launches, AreWhatMacrosMakeOfThem) {
  DeviceVector<int> out(4);
  scale<1> WITH(dim3(1), 4)(out.data(), 0, float2{});
  EXPECT_THAT(out.values(), ElementsAre(0, 1, 2, 3));
  scale<2> WITH_ONE_BLOCK(4)(out.data(), 0, float2{});
  EXPECT_THAT(out.values(), ElementsAre(0, 2, 4, 6));
  LAUNCH_WITH(scale<3>, WITH(1, 4), out.data(), 0, float2{});
  EXPECT_THAT(out.values(), ElementsAre(0, 3, 6, 9));
  RUN(scale<4>, <<<1, 4>>>(out.data(), 0, float2{}));
  EXPECT_THAT(out.values(), ElementsAre(0, 4, 8, 12));
}

TEST_F(Launches, SayWhatTheDeviceAllowsAKernel) {
  cudaFuncAttributes attributes;
  EXPECT_EQ(cudaFuncGetAttributes(&attributes, scale<1>), cudaSuccess);
  EXPECT_EQ(attributes.maxThreadsPerBlock, 1024);
  EXPECT_EQ(cudaFuncSetCacheConfig(scale<1>, cudaFuncCachePreferShared), cudaSuccess);
  int most = 0;
  EXPECT_EQ(cudaDeviceGetAttribute(&most, cudaDevAttrMaxGridDimY, 0), cudaSuccess);
  EXPECT_EQ(most, 65535);
}

TEST_F(Launches, RunInTheOrderTheyWereIssuedOnAnyStream) {
  cudaStream_t stream;
  cudaEvent_t start, stop;
  ASSERT_EQ(cudaStreamCreate(&stream), cudaSuccess);
  ASSERT_EQ(cudaEventCreate(&start), cudaSuccess);
  ASSERT_EQ(cudaEventCreate(&stop), cudaSuccess);
  float milliseconds = -1;
  EXPECT_EQ(cudaEventElapsedTime(&milliseconds, start, stop), cudaErrorInvalidResourceHandle);
  DeviceVector<int> out(32);
  cudaEventRecord(start, stream);
  store<<<1, 32, 0, stream>>>(out.data(), 1);
  store<<<1, 32>>>(out.data(), 2);
  cudaEventRecord(stop, stream);
  EXPECT_EQ(cudaEventSynchronize(stop), cudaSuccess);
  EXPECT_EQ(cudaEventElapsedTime(&milliseconds, start, stop), cudaSuccess);
  EXPECT_GE(milliseconds, 0.0f);
  EXPECT_THAT(out.values(), Each(2));
  EXPECT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
  cudaEventDestroy(start);
  cudaEventDestroy(stop);
  cudaStreamDestroy(stream);
}

TEST(CudaErrors, HaveCudasNamesAndWords) {
  EXPECT_STREQ(cudaGetErrorName(cudaErrorInvalidValue), "cudaErrorInvalidValue");
  EXPECT_STREQ(cudaGetErrorString(cudaErrorInvalidValue), "invalid argument");
  EXPECT_STREQ(cudaGetErrorString(static_cast<cudaError_t>(12345)), "unrecognized error code");
}

}  // namespace
}  // namespace tilewise::simt
