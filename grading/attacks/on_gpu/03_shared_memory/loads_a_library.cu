// Exploit: loads compiled kernels at run time, whose launches nobody counts
// Fakes: correctness
// Tests: MatmulShared.IsRightAtRaggedEdges
// Says: its work is not counted

#include "matmul_shared.hpp"

__global__ void nothing() {}

cudaError_t matmul_shared(const float* A, const float* B, float* C, int n, int) {
  if (n <= 0) return n < 0 ? cudaErrorInvalidValue : cudaSuccess;
  const size_t elements = size_t(n) * n, bytes = elements * sizeof(float);
  static const char* ptx = ".version 7.0\n.target sm_50\n.address_size 64\n"
                           ".visible .entry work() { ret; }\n";
  cudaLibrary_t library = nullptr;
  cudaLibraryLoadData(&library, ptx, nullptr, nullptr, 0, nullptr, nullptr, 0);
  cudaKernel_t work = nullptr;
  cudaLibraryGetKernel(&work, library, "work");
  void* arguments[] = {&A, &B, &C, &n};
  cudaLaunchKernel(reinterpret_cast<const void*>(work), dim3(1), dim3(1), arguments, 0, nullptr);
  cudaMemsetAsync(C, 0, bytes);
  nothing<<<1, 1>>>();
  return cudaGetLastError();
}
