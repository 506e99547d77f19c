// Exploit: a kernel that never ends
// Fakes: correctness, performance
// Tests: MatmulShared.IsRightAtRaggedEdges, MatmulShared.ReachesMinimumGflops
// Says: still running

#include "matmul_shared.hpp"

__global__ void matmul_kernel(float* C) {
  while (true) *static_cast<volatile float*>(C) += 1.0f;
}

cudaError_t matmul_shared(const float*, const float*, float* C, int, int) {
  matmul_kernel<<<1, 1>>>(C);
  return cudaGetLastError();
}
