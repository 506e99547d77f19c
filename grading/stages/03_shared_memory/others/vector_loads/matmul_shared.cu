// Each thread computes four neighbouring results, and everything travels in groups of four where
// n and the tile allow it. Rows of As are a group longer than they need to be, so that the rows of
// a warp lie in different banks.
// Compilers: all

#include "matmul_shared.hpp"

#include <cstddef>

template <int W>
struct alignas(W * sizeof(float)) Group {
  float of[W];
};

template <int W>
__device__ Group<W> fetch(const float* from, bool exists) {
  if (exists) return *reinterpret_cast<const Group<W>*>(from);
  return {};
}

template <int T, int W>
__global__ void multiply(const float* A, const float* B, float* C, int n) {
  __shared__ Group<W> As[T][T / W + 1];  // (row, k / W)
  __shared__ Group<W> Bs[T][T / W];      // (k, col / W)

  const int x = threadIdx.x, y = threadIdx.y;
  const int row = blockIdx.y * T + y, col = blockIdx.x * T + x * W;
  Group<W> sums = {};
  for (int k0 = 0; k0 < n; k0 += T) {
    const int a_col = k0 + x * W, b_row = k0 + y;
    As[y][x] = fetch<W>(A + std::size_t(row) * n + a_col, row < n && a_col < n);
    Bs[y][x] = fetch<W>(B + std::size_t(b_row) * n + col, b_row < n && col < n);
    __syncthreads();
    for (int k = 0; k < T; ++k) {
      const float a = As[y][k / W].of[k % W];
      const Group<W> b = Bs[k][x];
#pragma unroll
      for (int i = 0; i < W; ++i) sums.of[i] += a * b.of[i];
    }
    __syncthreads();
  }
  if (row < n && col < n) *reinterpret_cast<Group<W>*>(C + std::size_t(row) * n + col) = sums;
}

template <int T, int W>
static cudaError_t launch(const float* A, const float* B, float* C, int n) {
  const unsigned tiles = (n + T - 1) / T;
  multiply<T, W><<<dim3(tiles, tiles), dim3(T / W, T)>>>(A, B, C, n);
  return cudaGetLastError();
}

cudaError_t matmul_shared(const float* A, const float* B, float* C, int n, int tile) {
  if (n < 0 || (tile != 8 && tile != 16 && tile != 22 && tile != 32)) return cudaErrorInvalidValue;
  if (n == 0) return cudaSuccess;
  if (!A || !B || !C) return cudaErrorInvalidValue;
  const bool in_groups = n % 4 == 0;
  if (tile == 8) return in_groups ? launch<8, 4>(A, B, C, n) : launch<8, 1>(A, B, C, n);
  if (tile == 16) return in_groups ? launch<16, 4>(A, B, C, n) : launch<16, 1>(A, B, C, n);
  if (tile == 32) return in_groups ? launch<32, 4>(A, B, C, n) : launch<32, 1>(A, B, C, n);
  return n % 2 == 0 ? launch<22, 2>(A, B, C, n) : launch<22, 1>(A, B, C, n);
}
