// Memory: global, shared and constant; and what happens to those who reach beyond it.

#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <vector>

#include "common/simt/test/testing.hpp"

namespace tilewise::simt {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsNan;

class Memory : public SimtTest {};

TEST_F(Memory, IsAlignedPoisonedAndReusable) {
  float* data = nullptr;
  ASSERT_EQ(cudaMalloc(&data, 1000 * sizeof(float)), cudaSuccess);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(data) % 256, 0u);
  std::vector<float> values(1000);
  ASSERT_EQ(cudaMemcpy(values.data(), data, 4000, cudaMemcpyDeviceToHost), cudaSuccess);
  EXPECT_THAT(values, Each(IsNan()));
  EXPECT_EQ(cudaFree(data), cudaSuccess);
  EXPECT_EQ(cudaFree(data), cudaErrorInvalidValue) << "freed twice";
  EXPECT_EQ(cudaFree(nullptr), cudaSuccess);
  EXPECT_EQ(cudaMalloc(&data, std::size_t{1} << 50), cudaErrorMemoryAllocation);
  EXPECT_EQ(cudaMalloc(&data, 0), cudaSuccess);
  EXPECT_EQ(data, nullptr);
  std::size_t free_before = 0, free_after = 0, total = 0;
  cudaMemGetInfo(&free_before, &total);
  float* first = nullptr;
  ASSERT_EQ(cudaMalloc(&first, 1 << 20), cudaSuccess);
  ASSERT_EQ(cudaFree(first), cudaSuccess);
  ASSERT_EQ(cudaMalloc(&data, 1 << 20), cudaSuccess);
  EXPECT_EQ(data, first) << "freed memory is handed out again";
  ASSERT_EQ(cudaFree(data), cudaSuccess);
  cudaMemGetInfo(&free_after, &total);
  EXPECT_EQ(free_before, free_after);
}

TEST_F(Memory, CountsBytesThatLeaveTheDevice) {
  DeviceVector<int> a(8), b(8);
  int host[8] = {};
  take_bytes_copied_to_host();
  cudaMemcpy(a.data(), host, 32, cudaMemcpyHostToDevice);
  cudaMemcpy(b.data(), a.data(), 32, cudaMemcpyDeviceToDevice);
  EXPECT_EQ(take_bytes_copied_to_host(), 0u);
  cudaMemcpy(host, a.data(), 12, cudaMemcpyDeviceToHost);
  cudaMemcpy(host, a.data(), 8, cudaMemcpyDefault);
  EXPECT_EQ(take_bytes_copied_to_host(), 20u);
  EXPECT_EQ(take_bytes_copied_to_host(), 0u);
}

TEST_F(Memory, IsCopiedOnlyWhereTheDirectionIsRight) {
  DeviceVector<int> a(8), b(8);
  int host[8] = {1, 2, 3, 4, 5, 6, 7, 8};
  struct Case {
    const char* what;
    void* to;
    const void* from;
    std::size_t bytes;
    cudaMemcpyKind kind;
    cudaError_t error;
    const char* told = nullptr;  ///< of the directions that CUDA refused
  };
  const Case cases[] = {
      {"up", a.data(), host, 32, cudaMemcpyHostToDevice, cudaSuccess},
      {"across", b.data(), a.data(), 32, cudaMemcpyDeviceToDevice, cudaSuccess},
      {"down", host, b.data(), 32, cudaMemcpyDeviceToHost, cudaSuccess},
      {"default", host, b.data(), 32, cudaMemcpyDefault, cudaSuccess},
      {"nothing", nullptr, nullptr, 0, cudaMemcpyHostToDevice, cudaSuccess},
      {"wrong way", host, a.data(), 32, cudaMemcpyHostToDevice, cudaErrorInvalidValue,
       "its target would be device memory, and it is host memory"},
      {"host as device", host, host + 4, 16, cudaMemcpyDeviceToDevice, cudaErrorInvalidValue,
       "its target would be device memory, and it is host memory"},
      {"from the host", b.data(), host, 16, cudaMemcpyDeviceToDevice, cudaErrorInvalidValue,
       "its source would be device memory, and it is host memory"},
      {"beyond the end", a.data(), host, 36, cudaMemcpyHostToDevice, cudaErrorInvalidValue},
      {"null", a.data(), nullptr, 4, cudaMemcpyHostToDevice, cudaErrorInvalidValue},
      {"no such kind", a.data(), host, 4, static_cast<cudaMemcpyKind>(7),
       cudaErrorInvalidMemcpyDirection},
  };
  for (const Case& c : cases) {
    take_findings();
    EXPECT_EQ(cudaMemcpy(c.to, c.from, c.bytes, c.kind), c.error) << c.what;
    cudaGetLastError();
    const std::vector<Finding> refused = take_findings();
    ASSERT_EQ(refused.size(), c.told == nullptr ? 0u : 1u) << c.what;
    if (c.told != nullptr) {
      EXPECT_THAT(refused[0].message, HasSubstr(c.told)) << c.what;
    }
  }
  EXPECT_THAT(b.values(), ElementsAre(1, 2, 3, 4, 5, 6, 7, 8));
}

TEST_F(Memory, IsCopiedByRowsAndSet) {
  DeviceVector<int> matrix(std::vector<int>{1, 2, 3, 4, 5, 6});
  int column[2] = {};
  EXPECT_EQ(cudaMemcpy2D(column, 4, matrix.data() + 1, 12, 4, 2, cudaMemcpyDeviceToHost),
            cudaSuccess);
  EXPECT_THAT(column, ElementsAre(2, 5));
  EXPECT_EQ(cudaMemcpy2D(column, 4, matrix.data(), 12, 8, 2, cudaMemcpyDeviceToHost),
            cudaErrorInvalidPitchValue);
  EXPECT_EQ(cudaMemset(matrix.data() + 4, 0, 8), cudaSuccess);
  EXPECT_THAT(matrix.values(), ElementsAre(1, 2, 3, 4, 0, 0));
  EXPECT_EQ(cudaMemset(matrix.data() + 4, 0, 12), cudaErrorInvalidValue);
}

__constant__ float weights[4];
__device__ int touched;

__global__ void use_symbols(float* out) {
  out[threadIdx.x] = weights[threadIdx.x] * 2;
  atomicAdd(&touched, 1);
}

TEST_F(Memory, HoldsConstantsAndDeviceVariables) {
  const float host[4] = {1, 2, 3, 4};
  const int zero = 0;
  EXPECT_EQ(cudaMemcpyToSymbol(weights, host, sizeof host), cudaSuccess);
  EXPECT_EQ(cudaMemcpyToSymbol(touched, &zero, sizeof zero), cudaSuccess);
  EXPECT_EQ(cudaMemcpyToSymbol(weights, host, sizeof host, 4), cudaErrorInvalidValue);
  DeviceVector<float> out(4);
  use_symbols<<<1, 4>>>(out.data());
  EXPECT_THAT(out.values(), ElementsAre(2, 4, 6, 8));
  int count = 0;
  EXPECT_EQ(cudaMemcpyFromSymbol(&count, touched, sizeof count), cudaSuccess);
  EXPECT_EQ(count, 4);
}

// Shared memory of every kind: scalars, several arrays a declaration, dynamic, in device functions.

__device__ float shared_in_a_function(float value) {
  __shared__ float cell;
  if (threadIdx.x == 0) cell = value;
  __syncthreads();
  return cell;
}

template <int Size>
__global__ void many_shared_arrays(const float* in, float* out) {
  __shared__ float first[Size], second[Size + 1];
  __shared__ float4 wide[2];
  extern __shared__ float dynamic[];
  const unsigned i = threadIdx.x;
  first[i] = in[i];
  second[i] = 10 * in[i];
  dynamic[i] = 100 * in[i];
  if (i == 0) wide[1] = make_float4(1000, 2000, 3000, 4000);
  __syncthreads();
  const unsigned j = Size - 1 - i;
  out[i] = first[j] + second[j] + dynamic[j] + wide[1].w + shared_in_a_function(0.5f);
}

TEST_F(Memory, IsSharedByABlock) {
  DeviceVector<float> in(std::vector<float>{1, 2, 3, 4}), out(4);
  many_shared_arrays<4><<<1, 4, 4 * sizeof(float)>>>(in.data(), out.data());
  EXPECT_THAT(out.values(), ElementsAre(4444.5f, 4333.5f, 4222.5f, 4111.5f));
}

template <int Bytes>
__global__ void declare(char* out) {
  __shared__ char array[Bytes];
  array[0] = 7;
  *out = array[0];
}

TEST_F(Memory, SharedByABlockIsLimited) {
  DeviceVector<char> out(1);
  declare<48 * 1024><<<1, 1>>>(out.data());
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  declare<48 * 1024 + 1><<<1, 1>>>(out.data());
  EXPECT_THAT(the_fatal_finding("launch").message,
              ::testing::HasSubstr("declare<48 * 1024 + 1> declares 49153 bytes of shared memory, "
                                   "but a block of this GPU has 49152"));
}

__global__ void read_what_nobody_wrote(float* out) {
  __shared__ float unwritten[32];
  extern __shared__ float dynamic[];
  out[2 * blockIdx.x] = unwritten[threadIdx.x];
  out[2 * blockIdx.x + 1] = dynamic[threadIdx.x];
  unwritten[threadIdx.x] = dynamic[threadIdx.x] = 1;  // the next block must not find this
}

TEST_F(Memory, SharedByABlockIsPoisonedForTheNext) {
  DeviceVector<float> out(2 * 50);
  read_what_nobody_wrote<<<50, 1, 128>>>(out.data());
  EXPECT_THAT(out.values(), Each(IsNan()));
}

extern __shared__ unsigned char raw_bytes[];

__global__ void through_a_name_at_file_scope(int* out) {
  int* ints = reinterpret_cast<int*>(raw_bytes);
  ints[threadIdx.x] = static_cast<int>(threadIdx.x);
  __syncthreads();
  out[threadIdx.x] = ints[31 - threadIdx.x];
}

TEST_F(Memory, SharedDynamicallyMayBeNamedAtFileScope) {
  DeviceVector<int> out(32);
  through_a_name_at_file_scope<<<1, 32, 128>>>(out.data());
  EXPECT_EQ(out.values()[0], 31);
}

__shared__ float at_file_scope[32];

__global__ void read_what_nobody_wrote_at_file_scope(float* out) {
  out[blockIdx.x] = at_file_scope[threadIdx.x];
  at_file_scope[threadIdx.x] = 1;  // the next block must not find this
}

TEST_F(Memory, SharedByABlockAtFileScopeIsPoisonedForTheNext) {
  DeviceVector<float> out(50);
  for (int launch = 0; launch < 2; ++launch) {
    read_what_nobody_wrote_at_file_scope<<<50, 1>>>(out.data());
    EXPECT_THAT(out.values(), Each(IsNan()));
  }
}

// Faults end the process; the handler says why first.

void print_fault(const Fault& fault) {
  char text[512];
  const int length = std::snprintf(text, sizeof text,
                                   "signal %d, %s%s block (%u, %u, %u) thread (%u, %u, %u): %s\n",
                                   fault.signal, fault.in_kernel ? "kernel " : "host", fault.kernel,
                                   fault.block[0], fault.block[1], fault.block[2], fault.thread[0],
                                   fault.thread[1], fault.thread[2], fault.explanation);
  if (write(STDERR_FILENO, text, static_cast<std::size_t>(length)) < 0) std::abort();
}

class Faults : public SimtTest {
 protected:
  void SetUp() override {
    SimtTest::SetUp();
    GTEST_FLAG_SET(death_test_style, "threadsafe");
  }
};

__global__ void write_at(float* data, long index) {
  if (blockIdx.x == 1 && threadIdx.x == 3) data[index] = 1;
}

TEST_F(Faults, NameTheThreadThatWritesPastABuffer) {
  const auto provoke = [](long index) {
    install_fault_handler(print_fault);
    DeviceVector<float> buffer(64);
    describe_buffer(buffer.data(), buffer.bytes(), "C");
    write_at<<<2, 4>>>(buffer.data(), index);
  };
  EXPECT_EXIT(provoke(64 + 25), ::testing::KilledBySignal(SIGSEGV),
              "kernel write_at block \\(1, 0, 0\\) thread \\(3, 0, 0\\): the kernel touched global "
              "memory 100 bytes past the end of C \\(256 bytes\\)");
  EXPECT_EXIT(provoke(-30000), ::testing::KilledBySignal(SIGSEGV),
              "120000 bytes before the start of C");
  EXPECT_EXIT(provoke(1L << 45), ::testing::KilledBySignal(SIGSEGV),
              "neither global nor shared memory");
}

__device__ int counters[4];

__global__ void count_up(int* by_address) { by_address[threadIdx.x] += counters[0] + 1; }

TEST(Symbols, HaveAnAddressInDeviceMemory) {
  void* address = nullptr;
  size_t bytes = 0;
  ASSERT_EQ(cudaGetSymbolAddress(&address, counters), cudaSuccess);
  ASSERT_EQ(cudaGetSymbolSize(&bytes, counters), cudaSuccess);
  EXPECT_EQ(bytes, sizeof counters);
  EXPECT_EQ(cudaMemset(address, 0, bytes), cudaSuccess);
  count_up<<<1, 1>>>(static_cast<int*>(address) + 2);
  int values[4] = {};
  EXPECT_EQ(cudaMemcpy(values, address, bytes, cudaMemcpyDeviceToHost), cudaSuccess);
  EXPECT_THAT(values, ::testing::ElementsAre(0, 0, 1, 0));
  EXPECT_EQ(cudaMemset(address, 0, bytes + 1), cudaErrorInvalidValue);
  cudaPointerAttributes attributes;
  EXPECT_EQ(cudaPointerGetAttributes(&attributes, address), cudaSuccess);
  EXPECT_EQ(attributes.type, cudaMemoryTypeDevice);
}

TEST(Pointers, SayWhatTheyPointTo) {
  DeviceVector<float> buffer(4);
  void* pinned = nullptr;
  ASSERT_EQ(cudaMallocHost(&pinned, 16), cudaSuccess);
  cudaPointerAttributes attributes;
  EXPECT_EQ(cudaPointerGetAttributes(&attributes, buffer.data() + 1), cudaSuccess);
  EXPECT_EQ(attributes.type, cudaMemoryTypeDevice);
  EXPECT_EQ(cudaPointerGetAttributes(&attributes, static_cast<char*>(pinned) + 15), cudaSuccess);
  EXPECT_EQ(attributes.type, cudaMemoryTypeHost);
  EXPECT_EQ(cudaPointerGetAttributes(&attributes, &attributes), cudaSuccess);
  EXPECT_EQ(attributes.type, cudaMemoryTypeUnregistered);
  cudaFreeHost(pinned);
}

TEST_F(Faults, ExplainAHostDereferenceOfADevicePointer) {
  const auto provoke = [] {
    install_fault_handler(print_fault);
    DeviceVector<float> buffer(64);
    describe_buffer(buffer.data(), buffer.bytes(), "A");
    std::printf("%f\n", static_cast<double>(buffer.data()[2]));
  };
  EXPECT_EXIT(provoke(), ::testing::KilledBySignal(SIGSEGV),
              "host.*host code dereferenced a device pointer \\(byte 8 of A \\(256 bytes\\)\\); "
              "copy with cudaMemcpy");
}

__device__ int dig(int depth) {
  volatile char local[1024];
  local[depth % 1024] = 1;
  return depth == 0 ? local[0] : dig(depth - 1) + local[depth % 1024];
}

__global__ void recurse(int* out) { *out = dig(1000); }

TEST_F(Faults, ExplainAThreadWhoseStackIsFull) {
  const auto provoke = [] {
    install_fault_handler(print_fault);
    DeviceVector<int> out(1);
    recurse<<<1, 1>>>(out.data());
  };
  EXPECT_EXIT(provoke(), ::testing::KilledBySignal(SIGSEGV), "need more than 256 KiB");
}

__global__ void never_end(volatile int* flag) {
  if (blockIdx.x == 5) {
    while (*flag == 0) {
    }
  }
}

/// Plays the part of whoever limits a worker's time.
void send_time_limit_soon() {
  std::thread([] {
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    kill(getpid(), SIGXCPU);
  }).detach();
}

TEST_F(Faults, SayWhereAnEndlessKernelIsWhenTimeIsUp) {
  const auto provoke = [] {
    install_fault_handler(print_fault);
    DeviceVector<int> flag(1);
    send_time_limit_soon();
    never_end<<<8, 1>>>(flag.data());
  };
  EXPECT_EXIT(provoke(), ::testing::KilledBySignal(SIGXCPU),
              "kernel never_end block \\(5, 0, 0\\) thread \\(0, 0, 0\\)");
}

}  // namespace
}  // namespace tilewise::simt
