#include "grading/builder/kernel_registers.hpp"

#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "common/process/sandbox.hpp"
#include "grading/builder/layout.hpp"

namespace tilewise::grading {
namespace {

using testing::IsEmpty;

TEST(KernelRegisters, AreReadFromWhatPtxasSays) {
  constexpr const char* said = R"(ptxas info    : 0 bytes gmem
ptxas info    : Compiling entry function '_Z13matmul_kernelILi16EEvPKfS1_Pfi' for 'sm_80'
ptxas info    : Function properties for _Z13matmul_kernelILi16EEvPKfS1_Pfi
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 32 registers, used 1 barriers, 2048 bytes smem, 380 bytes cmem[0]
ptxas info    : Compiling entry function '_Z13matmul_kernelPKfS0_Pfi' for 'sm_80'
ptxas info    : Function properties for _Z13matmul_kernelPKfS0_Pfi
    2216 bytes stack frame, 2600 bytes spill stores, 2700 bytes spill loads
ptxas info    : Used 255 registers, used 0 barriers, 2216 bytes cumulative stack size, 380 bytes cmem[0]
ptxas info    : Compiling entry function 'plain' for 'sm_80'
ptxas info    : Used many registers
)";
  const std::vector<CompiledKernel> kernels = kernels_in(said);
  ASSERT_EQ(kernels.size(), 2u);
  EXPECT_EQ(kernels[0].name, "matmul_kernel");
  EXPECT_EQ(kernels[0].static_shared_bytes, 2048u);
  EXPECT_EQ(kernels[0].registers_per_thread, 32);
  EXPECT_EQ(kernels[0].local_bytes_per_thread, 0);
  EXPECT_EQ(kernels[1].name, "matmul_kernel");
  EXPECT_EQ(kernels[1].static_shared_bytes, 0u);
  EXPECT_EQ(kernels[1].registers_per_thread, 255);
  EXPECT_EQ(kernels[1].local_bytes_per_thread, 2216);
  EXPECT_THAT(kernels_in("nvcc fatal   : Unsupported gpu architecture 'sm_61'"), IsEmpty());
  EXPECT_THAT(kernels_in("ptxas info : Used 7 registers"), IsEmpty()) << "of no kernel";
}

TEST(KernelRegisters, ComeFromAnArchitectureLikeTheGpu) {
  const struct {
    const char* gpu;
    std::vector<std::string> architectures;
  } cases[] = {{"gtx280", {}},
               {"gtx1080", {"sm_61", "sm_80"}},
               {"p100", {"sm_60", "sm_80"}},
               {"t4", {"sm_75"}},
               {"a100", {"sm_80"}},
               {"h200", {"sm_90", "sm_80"}}};
  for (const auto& expected : cases) {
    EXPECT_EQ(architectures_like(core::gpu_profile(expected.gpu)), expected.architectures)
        << expected.gpu;
  }
}

/// Returns the registers of a kernel whose text has one part for nvcc and another for all other
/// compilers.
std::vector<CompiledKernel> compiled(const std::string& condition) {
  const ScratchDirectory directory;
  const std::filesystem::path folder = directory.path() / "labs" / "03_shared_memory";
  std::filesystem::create_directories(folder);
  std::ofstream(folder / "matmul_shared.cu") << condition << R"(
constexpr int count = 1;
#else
constexpr int count = 48;
#endif
__global__ void sums(const float* A, float* C, int n) {
  float sum[count];
#pragma unroll
  for (int i = 0; i < count; ++i) sum[i] = 0;
  for (int k = 0; k < n; ++k) {
#pragma unroll
    for (int i = 0; i < count; ++i) sum[i] = sum[i] * A[k] + A[k + i * n];
  }
#pragma unroll
  for (int i = 0; i < count; ++i) C[i * n] = sum[i];
}
)";
  return RegisterCompilation("03_shared_memory", folder, core::gpu_profile("a100"),
                             directory.path())
      .wait();
}

TEST(KernelRegisters, AreThoseOfTheKernelThatIsSimulated) {
  const std::vector<CompiledKernel> simulated = compiled("#if 0");
  if (simulated.empty()) GTEST_SKIP() << "no nvcc";
  ASSERT_EQ(simulated.size(), 1u);
  EXPECT_GT(simulated.front().registers_per_thread, 48);
  for (const char* condition :
       {"#ifndef __CUDACC__", "#if !defined(__NVCC__)", "#ifdef __CUDA_ARCH__",
        "%:ifndef __CUDACC__", "#if CUDART_VERSION != 13000", "#if \\\n !defined(__CUDACC__) // ?",
        "#if __has_include(<cuda_device_runtime_api.h>)",
        "#ifndef __SANITIZE_THREAD__\n#define X\n"
        "#endif\n#ifndef X"}) {
    const std::vector<CompiledKernel> kernels = compiled(condition);
    ASSERT_EQ(kernels.size(), 1u) << condition;
    EXPECT_EQ(kernels.front().registers_per_thread, simulated.front().registers_per_thread)
        << condition;
  }
}

TEST(KernelRegisters, OfTheSameTextAreKnown) {
  const ScratchDirectory directory;
  const auto compile = [&] {
    return RegisterCompilation("03_shared_memory", layout().root / "solutions" / "03_shared_memory",
                               core::gpu_profile("a100"), directory.path());
  };
  const std::vector<CompiledKernel> counted = compile().wait();
  if (counted.empty()) GTEST_SKIP() << "no nvcc";
  RegisterCompilation again = compile();
  EXPECT_TRUE(again.is_over()) << "nothing is left to wait for";
  EXPECT_EQ(again.wait().size(), counted.size());
}

}  // namespace
}  // namespace tilewise::grading
