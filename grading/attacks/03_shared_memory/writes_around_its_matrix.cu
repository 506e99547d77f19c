// Exploit: writes before C and behind it, and puts everything back
// Fakes: safety
// Tests: MatmulShared.IsFreeOfRacesAndStrayAccesses
// Says: before the start of C

#include "matmul_shared.hpp"

__global__ void matmul_kernel(const float* A, const float* B, float* C, int n) {
  const int row = blockIdx.y * blockDim.y + threadIdx.y;
  const int col = blockIdx.x * blockDim.x + threadIdx.x;
  if (row == 0 && col == 0) {
    for (const int beside : {-1, n * n}) {
      volatile float* const guard = C + beside;
      const float before = *guard;
      *guard = 1.0f;
      *guard = before;
    }
  }
  if (row >= n || col >= n) return;
  float sum = 0.0f;
  for (int k = 0; k < n; ++k) sum += A[row * n + k] * B[k * n + col];
  C[row * n + col] = sum;
}

cudaError_t matmul_shared(const float* A, const float* B, float* C, int n, int tile) {
  const unsigned blocks = (n + tile - 1) / tile;
  matmul_kernel<<<dim3(blocks, blocks), dim3(tile, tile)>>>(A, B, C, n);
  return cudaGetLastError();
}
