// Tests what the builder refuses in a submission for a GPU, and what it must not refuse. Needs
// nvcc, but no GPU.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <ostream>
#include <string>

#include "common/process/sandbox.hpp"
#include "grading/attacks/exploit.hpp"
#include "grading/builder/builder.hpp"
#include "grading/builder/layout.hpp"
#include "grading/builder/toolchain.hpp"

namespace tilewise::grading {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

TEST(CudaCalls, AreAllowedByName) {
  for (const char* name : {"cudaMalloc", "cudaMemcpyAsync", "cudaLaunchKernel", "cudaEventRecord",
                           "__cudaRegisterFatBinary", "cudaGetDeviceProperties_v2", "memcpy",
                           "printf", "_Znwm", "custom_function", "cut", "curl_easy_init"}) {
    EXPECT_EQ(why_refused(name), "") << name;
  }
}

TEST(CudaCalls, AreRefusedWithAReason) {
  const struct {
    const char* name;
    const char* reason;
  } cases[] = {{"cudaMallocManaged", "cudaMalloc"},
               {"__cudaRegisterManagedVar", "__managed__"},
               {"cudaMemPrefetchAsync", "managed memory"},
               {"cudaMemcpyToArray", "copies"},
               {"cudaMemcpy3DBatchAsync", "copies"},
               {"cudaMemcpyPeerAsync", "copies"},
               {"cudaGraphLaunch", "<<<grid, block>>>"},
               {"cudaStreamBeginCapture", "graph"},
               {"cudaMemPoolCreate", "cudaMallocAsync"},
               {"cudaLaunchHostFunc", "host functions"},
               {"cudaImportExternalMemory", "not counted"},
               {"cudaIpcOpenMemHandle", "not counted"},
               {"cudaLibraryLoadData", "not counted"},
               {"cudaGetDriverEntryPoint", "leads to functions"},
               {"cudaFunctionOfTomorrow", "not counted"},
               {"cuMemcpyDtoH_v2", "no function of the CUDA run-time"},
               {"nvrtcCompileProgram", "no function of the CUDA run-time"},
               {"dlsym", "leads to functions"},
               {"dl_iterate_phdr", "leads to functions"}};
  for (const auto& [name, reason] : cases)
    EXPECT_THAT(why_refused(name), HasSubstr(reason)) << name;
}

BuildResult build(const std::string& text) {
  const ScratchDirectory directory;
  const fs::path folder = directory.path() / "labs" / "03_shared_memory";
  const fs::path scratch = directory.path() / "scratch";
  fs::create_directories(folder);
  fs::create_directory(scratch);
  std::ofstream(folder / "matmul_shared.cu", std::ios::binary) << text;
  setenv("TILEWISE_CUDA_ARCH", "sm_90", 1);
  const BuildResult built = build_module({"03_shared_memory", folder, Backend::cuda, scratch});
  unsetenv("TILEWISE_CUDA_ARCH");
  return built;
}

bool has_backend() { return fs::exists(layout().build / "lib" / "bindings" / "cuda"); }

/// Exploits that are refused before they reach a GPU.
class RefusedExploit : public testing::TestWithParam<const char*> {};

TEST_P(RefusedExploit, DoesNotCompile) {
  if (!has_backend()) GTEST_SKIP() << "no cuda backend";
  const Exploit exploit{layout().root / "grading" / "attacks" / "on_gpu" / "03_shared_memory" /
                        (std::string(GetParam()) + ".cu")};
  const BuildResult built = build(exploit.text());
  EXPECT_FALSE(built.ok);
  EXPECT_THAT(built.finding.message, HasSubstr(exploit.says()));
  EXPECT_EQ(built.finding.file, "matmul_shared.cu");
  EXPECT_GT(built.finding.line, 0) << built.finding.message;
}

INSTANTIATE_TEST_SUITE_P(All, RefusedExploit,
                         testing::Values("asks_the_driver", "calls_cublas", "calls_the_driver",
                                         "computes_in_a_stream", "computes_in_managed_memory",
                                         "copies_as_between_peers", "copies_by_a_graph",
                                         "copies_in_a_batch", "copies_through_an_array",
                                         "declares_managed_variables", "loads_a_library",
                                         "looks_up_the_driver", "takes_a_pool_on_the_host"),
                         [](const auto& info) { return std::string(info.param); });

TEST(CudaSubmission, MayUseTheRunTimeAndTheHostsLibraries) {
  if (!has_backend()) GTEST_SKIP() << "no cuda backend";
  const BuildResult built = build(R"(#include <algorithm>
#include <cassert>
#include <cstdio>
#include <iostream>
#include <string>
#include <thread>
#include <vector>
__constant__ float weights[16];
__device__ float total;
__device__ float twice(float x) { return 2 * x; }
using F = float (*)(float);
__device__ F table[] = {twice};
__global__ void kernel(const float* A, float* C, int n) {
  extern __shared__ float tile[];
  assert(n > 0);
  if (n < 0) printf("%d\n", n);
  asm volatile("bar.sync 0;");
  tile[threadIdx.x] = table[0](A[0]) + weights[0];
  atomicAdd(&total, tile[0]);
  C[threadIdx.x] = rsqrtf(tile[0]);
}
cudaError_t matmul_shared(const float* A, const float*, float* C, int n, int) {
  std::vector<float> v(16, 1.0f);
  cudaMemcpyToSymbol(weights, v.data(), sizeof weights);
  cudaDeviceProp properties;
  cudaGetDeviceProperties(&properties, 0);
  int blocks = 0, sms = 0;
  cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0);
  cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, 32, 128);
  cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, 1024);
  cudaFuncAttributes attributes;
  cudaFuncGetAttributes(&attributes, kernel);
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  cudaEvent_t event;
  cudaEventCreateWithFlags(&event, cudaEventDisableTiming);
  float* scratch = nullptr;
  cudaMallocAsync(&scratch, 128, stream);
  cudaMemsetAsync(scratch, 0, 128, stream);
  kernel<<<1, 32, 128, stream>>>(A, C, n);
  cudaEventRecord(event, stream);
  cudaStreamWaitEvent(nullptr, event, 0);
  cudaFreeAsync(scratch, stream);
  cudaStreamSynchronize(stream);
  std::thread([] {}).join();
  if (cudaPeekAtLastError() != cudaSuccess) std::cerr << cudaGetErrorString(cudaGetLastError());
  return cudaGetLastError();
}
)");
  EXPECT_TRUE(built.ok) << built.finding.message;
}

}  // namespace
}  // namespace tilewise::grading
