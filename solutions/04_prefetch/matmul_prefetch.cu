// Stage 4: each block fetches the next tiles of A and B while it computes with these.

#include "matmul_prefetch.hpp"

#include <cstddef>
#include <initializer_list>

// A, B, C: (n, n), row-major, so that element (row, col) lies at row * n + col. That offset needs
// 64 bits: from n = 46,341 on, n * n no longer fits into an int.
template <int Tile>
__global__ void prefetch_register_kernel(const float* A, const float* B, float* C, int n) {
  const int tx = threadIdx.x;
  const int ty = threadIdx.y;
  const int row = blockIdx.y * Tile + ty;
  const int col = blockIdx.x * Tile + tx;

  float sum = 0.0f;
  // lab: begin sum up products of tiles, while the next elements travel to registers
  __shared__ float As[Tile][Tile];  // (row, k)
  __shared__ float Bs[Tile][Tile];  // (k, col)

  // What this thread fetches, a tile further each time. A thread outside C must not leave early:
  // its block counts on it. It fetches the last row or column once more, and stores no sum.
  const float* a = A + std::size_t(min(row, n - 1)) * n + tx;  // moves right along a row
  const float* b = B + std::size_t(ty) * n + min(col, n - 1);  // moves down a column

  float next_a, next_b;
  const auto fetch = [&](int k0) {
    // Zeros beyond the edge add nothing to a sum, so that the loop over k needs no test.
    next_a = k0 + tx < n ? *a : 0.0f;
    next_b = k0 + ty < n ? *b : 0.0f;
    a += Tile;
    b += std::size_t(Tile) * n;
  };

  fetch(0);
  for (int k0 = 0; k0 < n; k0 += Tile) {
    As[ty][tx] = next_a;
    Bs[ty][tx] = next_b;
    __syncthreads();  // every thread reads what others brought: both tiles must be complete
    // Nobody needs these values before the next step: the loads travel while the loop below runs.
    // After the last tile there is nothing left to ask for.
    if (k0 + Tile < n) fetch(k0 + Tile);
#pragma unroll
    for (int k = 0; k < Tile; ++k) {
      sum += As[ty][k] * Bs[k][tx];
    }
    __syncthreads();  // the next step overwrites the tiles: everyone must be done reading them
  }
  // lab: end
  if (row < n && col < n) {
    C[std::size_t(row) * n + col] = sum;
  }
}

template <int Tile>
__global__ void prefetch_shared_kernel(const float* A, const float* B, float* C, int n) {
  const int tx = threadIdx.x;
  const int ty = threadIdx.y;
  const int row = blockIdx.y * Tile + ty;
  const int col = blockIdx.x * Tile + tx;

  float sum = 0.0f;
  // lab: begin sum up products of one pair of tiles, while the other pair is filled
  __shared__ float As[2][Tile][Tile];  // (pair, row, k)
  __shared__ float Bs[2][Tile][Tile];  // (pair, k, col)

  const float* a = A + std::size_t(min(row, n - 1)) * n + tx;  // moves right along a row
  const float* b = B + std::size_t(ty) * n + min(col, n - 1);  // moves down a column

  const auto fill = [&](int pair, int k0) {
    As[pair][ty][tx] = k0 + tx < n ? *a : 0.0f;
    Bs[pair][ty][tx] = k0 + ty < n ? *b : 0.0f;
    a += Tile;
    b += std::size_t(Tile) * n;
  };

  int pair = 0;  // the one in use; the other is being filled
  fill(pair, 0);
  for (int k0 = 0; k0 < n; k0 += Tile, pair ^= 1) {
    // One barrier for both reasons: this pair is complete, and nobody reads the other any more.
    __syncthreads();
    if (k0 + Tile < n) fill(pair ^ 1, k0 + Tile);
#pragma unroll
    for (int k = 0; k < Tile; ++k) {
      sum += As[pair][ty][k] * Bs[pair][k][tx];
    }
  }
  // lab: end
  if (row < n && col < n) {
    C[std::size_t(row) * n + col] = sum;
  }
}

template <int Tile>
static void launch_register(const float* A, const float* B, float* C, int n) {
  const dim3 block(Tile, Tile);
  const dim3 grid((n + Tile - 1) / Tile, (n + Tile - 1) / Tile);
  prefetch_register_kernel<Tile><<<grid, block>>>(A, B, C, n);
}

template <int Tile>
static void launch_shared(const float* A, const float* B, float* C, int n) {
  const dim3 block(Tile, Tile);
  const dim3 grid((n + Tile - 1) / Tile, (n + Tile - 1) / Tile);
  prefetch_shared_kernel<Tile><<<grid, block>>>(A, B, C, n);
}

// The compiler must know the size of a tile to lay it out and to unroll its loop.
struct Choice {
  int tile;
  void (*launch)(const float* A, const float* B, float* C, int n);
};

static cudaError_t choose(std::initializer_list<Choice> choices, const float* A, const float* B,
                          float* C, int n, int tile) {
  if (n < 0) return cudaErrorInvalidValue;
  if (n > 0 && (!A || !B || !C)) return cudaErrorInvalidValue;
  for (const Choice& choice : choices) {
    if (choice.tile != tile) continue;
    if (n == 0) return cudaSuccess;  // CUDA refuses a grid without blocks
    choice.launch(A, B, C, n);
    return cudaGetLastError();
  }
  return cudaErrorInvalidValue;
}

cudaError_t matmul_prefetch_register(const float* A, const float* B, float* C, int n, int tile) {
  return choose({{8, launch_register<8>}, {16, launch_register<16>}, {32, launch_register<32>}}, A,
                B, C, n, tile);
}

cudaError_t matmul_prefetch_shared(const float* A, const float* B, float* C, int n, int tile) {
  return choose({{8, launch_shared<8>}, {16, launch_shared<16>}, {32, launch_shared<32>}}, A, B, C,
                n, tile);
}
