// Stage 5 at its smallest: 2 x 2 threads with 2 x 2 results each, either next to each other or half
// a matrix apart. Orders that 4 divides.

#include "matmul_2x2.hpp"

constexpr int tile = 2;

// A, B, C: (n, n)
// @param apart from one of a thread's rows and columns to the next
// @param block_side rows and columns of C from one block to the next
// @param thread_side the same from one thread to the next
__global__ void matmul_kernel(const float* A, const float* B, float* C, int n, int apart,
                              int block_side, int thread_side) {
  __shared__ float As[2][tile][tile];  // (which of the rows, row, k)
  __shared__ float Bs[2][tile][tile];  // (which of the columns, k, col)
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int row = blockIdx.y * block_side + ty * thread_side;
  const int col = blockIdx.x * block_side + tx * thread_side;

  float sum[2][2] = {};
  for (int k0 = 0; k0 < n; k0 += tile) {
    for (int i = 0; i < 2; ++i) {
      As[i][ty][tx] = A[(row + i * apart) * n + k0 + tx];
      Bs[i][ty][tx] = B[(k0 + ty) * n + col + i * apart];
    }
    __syncthreads();
    for (int k = 0; k < tile; ++k) {
      for (int i = 0; i < 2; ++i) {
        for (int j = 0; j < 2; ++j) {
          sum[i][j] += As[i][ty][k] * Bs[j][k][tx];
        }
      }
    }
    __syncthreads();
  }
  for (int i = 0; i < 2; ++i) {
    for (int j = 0; j < 2; ++j) {
      C[(row + i * apart) * n + col + j * apart] = sum[i][j];
    }
  }
}

cudaError_t matmul_2x2(const float* A, const float* B, float* C, int n, int) {
  const dim3 grid(n / (2 * tile), n / (2 * tile));
  matmul_kernel<<<grid, dim3(tile, tile)>>>(A, B, C, n, 1, 2 * tile, 2);
  return cudaGetLastError();
}

cudaError_t matmul_2x2_strided(const float* A, const float* B, float* C, int n, int) {
  const dim3 grid(n / (2 * tile), n / (2 * tile));
  matmul_kernel<<<grid, dim3(tile, tile)>>>(A, B, C, n, n / 2, tile, 1);
  return cudaGetLastError();
}
