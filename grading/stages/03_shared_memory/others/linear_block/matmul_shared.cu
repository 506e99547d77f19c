// Blocks of one long row of threads; both tiles in one declaration, that of B transposed and
// padded.

#include "matmul_shared.hpp"

#include <cstddef>

template <int T, typename Offset = std::size_t>
__global__ void multiply(const float* A, const float* B, float* C, int n) {
  __shared__ float As[T][T], Bt[T][T + 1];  // (row, k), (col, k): a padded row is T + 1 banks long

  const int x = threadIdx.x % T, y = threadIdx.x / T;
  const int col = blockIdx.x * T + x, row = blockIdx.y * T + y;
  float sum = 0;
  int a_col = x, b_row = y;
  do {
    As[y][x] = Bt[x][y] = 0;
    if (row < n && a_col < n) As[y][x] = A[Offset(row) * n + a_col];
    if (b_row < n && col < n) Bt[x][y] = B[Offset(b_row) * n + col];
    __syncthreads();
    float const(&a)[T] = As[y];
    float const(&b)[T + 1] = Bt[x];
#pragma unroll 4
    for (int k = 0; k < T; ++k) sum += a[k] * b[k];
    __syncthreads();
    a_col += T;
    b_row += T;
  } while (a_col - x < n);
  if (row < n && col < n) C[Offset(row) * n + col] = sum;
}

cudaError_t matmul_shared(const float* A, const float* B, float* C, int n, int tile) {
  if (n < 0 || (n > 0 && !(A && B && C))) return cudaErrorInvalidValue;
  const int count = n / (tile > 0 ? tile : 1) + 1;  // one too many where the tile divides n
  const dim3 grid(count, count);
  if (tile == 8 && n)
    multiply<8><<<grid, 8 * 8>>>(A, B, C, n);
  else if (tile == 16 && n)
    multiply<16><<<grid, 16 * 16>>>(A, B, C, n);
  else if (tile == 22 && n)
    multiply<22><<<grid, 22 * 22>>>(A, B, C, n);
  else if (tile == 32 && n)
    multiply<32><<<grid, 32 * 32>>>(A, B, C, n);
  else if (tile != 8 && tile != 16 && tile != 22 && tile != 32)
    return cudaErrorInvalidValue;
  return n ? cudaGetLastError() : cudaSuccess;
}
