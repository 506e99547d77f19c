// Blocks share the sum of a result: each adds up half of its products, and atomically to C, which
// begins with zeros.

#include "matmul_shared.hpp"

#include <cstddef>

constexpr int parts = 2;  // of every sum

template <int Tile>
__global__ void add_products(const float* A, const float* B, float* C, int n) {
  __shared__ float As[Tile][Tile], Bs[Tile][Tile];  // (row, k), (k, col)
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int row = blockIdx.y * Tile + ty, col = blockIdx.x * Tile + tx;
  const int steps = (n + Tile - 1) / Tile, of_each = (steps + parts - 1) / parts;
  const int first = blockIdx.z * of_each, end = min(steps, first + of_each);
  float sum = 0;
  for (int step = first; step < end; ++step) {
    const int a_col = step * Tile + tx, b_row = step * Tile + ty;
    As[ty][tx] = row < n && a_col < n ? A[std::size_t(row) * n + a_col] : 0;
    Bs[ty][tx] = b_row < n && col < n ? B[std::size_t(b_row) * n + col] : 0;
    __syncthreads();
#pragma unroll
    for (int k = 0; k < Tile; ++k) sum += As[ty][k] * Bs[k][tx];
    __syncthreads();
  }
  if (row < n && col < n) atomicAdd(&C[std::size_t(row) * n + col], sum);
}

template <int Tile>
static cudaError_t launch(const float* A, const float* B, float* C, int n) {
  const unsigned blocks = (n + Tile - 1) / Tile;
  const cudaError_t error = cudaMemsetAsync(C, 0, sizeof(float) * n * n);
  if (error != cudaSuccess) return error;
  add_products<Tile><<<dim3(blocks, blocks, parts), dim3(Tile, Tile)>>>(A, B, C, n);
  return cudaGetLastError();
}

cudaError_t matmul_shared(const float* A, const float* B, float* C, int n, int tile) {
  if (n < 0 || (n > 0 && (!A || !B || !C))) return cudaErrorInvalidValue;
  const auto multiply = tile == 8    ? launch<8>
                        : tile == 16 ? launch<16>
                        : tile == 22 ? launch<22>
                        : tile == 32 ? launch<32>
                                     : nullptr;
  if (multiply == nullptr) return cudaErrorInvalidValue;
  return n == 0 ? cudaSuccess : multiply(A, B, C, n);
}
