// Walks over k from the last tile to the first. Indices beyond an edge are pulled back inside and
// what they fetch is multiplied by zero, so that no access hangs on a condition.

#include "matmul_shared.hpp"

template <unsigned TILE>
__global__ void multiply(const float* A, const float* B, float* C, unsigned n) {
  __shared__ __align__(16) float a_tile[TILE * TILE];
  __shared__ __align__(16) float b_tile[TILE * TILE];

  const unsigned tx = threadIdx.x, ty = threadIdx.y, last = n - 1;
  const unsigned row = blockIdx.y * TILE + ty, col = blockIdx.x * TILE + tx;
  const size_t a_row = size_t{n} * min(row, last), b_col = min(col, last);

  float sum = 0.0f;
  for (unsigned step = last / TILE + 1; step-- > 0;) {
    const unsigned a_k = step * TILE + tx, b_k = step * TILE + ty;
    const float a = A[a_row + min(a_k, last)] * (row < n && a_k < n);
    const float b = B[size_t{n} * min(b_k, last) + b_col] * (col < n && b_k < n);
    __syncthreads();
    a_tile[ty * TILE + tx] = a, b_tile[ty * TILE + tx] = b;
    __syncthreads();
    for (unsigned k = TILE; k > 0; --k) {
      sum = fmaf(a_tile[ty * TILE + k - 1], b_tile[(k - 1) * TILE + tx], sum);
    }
  }
  if (row < n && col < n) *(C + size_t{row} * n + col) = sum;
}

template <unsigned TILE>
static void launch(const float* A, const float* B, float* C, unsigned n) {
  const dim3 grid((n - 1) / TILE + 1, (n - 1) / TILE + 1), block(TILE, TILE);
  multiply<TILE><<<grid, block>>>(A, B, C, n);
}

cudaError_t matmul_shared(const float* A, const float* B, float* C, int n, int tile) {
  static constexpr struct {
    int tile;
    void (*launch)(const float*, const float*, float*, unsigned);
  } table[] = {{8, launch<8>}, {16, launch<16>}, {22, launch<22>}, {32, launch<32>}};

  if (n < 0) return cudaErrorInvalidValue;
  for (const auto& entry : table) {
    if (entry.tile != tile) continue;
    if (n == 0) return cudaSuccess;
    if (!A || !B || !C) return cudaErrorInvalidValue;
    entry.launch(A, B, C, n);
    return cudaGetLastError();
  }
  return cudaErrorInvalidValue;
}
