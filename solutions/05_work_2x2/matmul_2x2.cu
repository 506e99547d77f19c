// Stage 5: each thread computes two rows times two columns of results.

#include "matmul_2x2.hpp"

#include <cstddef>
#include <initializer_list>

// A, B, C: (n, n), row-major, so that element (row, col) lies at row * n + col. That offset needs
// 64 bits: from n = 46,341 on, n * n no longer fits into an int.
template <int Tile>
__global__ void adjacent_kernel(const float* A, const float* B, float* C, int n) {
  const int tx = threadIdx.x;
  const int ty = threadIdx.y;
  const int row0 = blockIdx.y * 2 * Tile;  // where the block's results begin
  const int col0 = blockIdx.x * 2 * Tile;

  float sum[2][2] = {};  // of C(row0 + 2 * ty + i, col0 + 2 * tx + j)
  // lab: begin sum up the products of tiles for all four results
  __shared__ float As[2 * Tile][Tile];               // (row, k)
  __shared__ __align__(8) float Bs[Tile][2 * Tile];  // (k, col), read in pairs

  // Who fetches an element need not be who uses it: neighbouring threads fetch neighbouring
  // elements. A thread outside C must not leave early: its block counts on it.
  const float* a[2];  // rows ty and Tile + ty of the block, moving right
  const float* b[2];  // columns tx and Tile + tx of the block, moving down
  for (int i = 0; i < 2; ++i) {
    a[i] = A + std::size_t(min(row0 + i * Tile + ty, n - 1)) * n + tx;
    b[i] = B + std::size_t(ty) * n + min(col0 + i * Tile + tx, n - 1);
  }

  float next_a[2], next_b[2];
  const auto fetch = [&](int k0) {
    for (int i = 0; i < 2; ++i) {
      // Zeros beyond the edge add nothing to a sum, so that the loop over k needs no test.
      next_a[i] = k0 + tx < n ? *a[i] : 0.0f;
      next_b[i] = k0 + ty < n ? *b[i] : 0.0f;
      a[i] += Tile;
      b[i] += std::size_t(Tile) * n;
    }
  };

  fetch(0);
  for (int k0 = 0; k0 < n; k0 += Tile) {
    for (int i = 0; i < 2; ++i) {
      As[i * Tile + ty][tx] = next_a[i];
      Bs[ty][i * Tile + tx] = next_b[i];
    }
    __syncthreads();  // every thread reads what others brought: both tiles must be complete
    if (k0 + Tile < n) fetch(k0 + Tile);  // travels while the loop below runs
#pragma unroll
    for (int k = 0; k < Tile; ++k) {
      // Four elements read, four products: each is used twice from a register.
      const float2 b_k = *reinterpret_cast<const float2*>(&Bs[k][2 * tx]);
      for (int i = 0; i < 2; ++i) {
        const float a_k = As[2 * ty + i][k];
        sum[i][0] += a_k * b_k.x;
        sum[i][1] += a_k * b_k.y;
      }
    }
    __syncthreads();  // the next step overwrites the tiles: everyone must be done reading them
  }
  // lab: end
  for (int i = 0; i < 2; ++i) {
    for (int j = 0; j < 2; ++j) {
      const int row = row0 + 2 * ty + i;
      const int col = col0 + 2 * tx + j;
      if (row < n && col < n) C[std::size_t(row) * n + col] = sum[i][j];
    }
  }
}

template <int Tile>
__global__ void strided_kernel(const float* A, const float* B, float* C, int n) {
  const int tx = threadIdx.x;
  const int ty = threadIdx.y;
  const int half = (n + 1) / 2;            // the first quarter of C is the largest, if n is odd
  const int row = blockIdx.y * Tile + ty;  // in the first quarter
  const int col = blockIdx.x * Tile + tx;

  float sum[2][2] = {};  // of C(row + i * half, col + j * half)
  // lab: begin sum up the products of tiles for one result in each quarter
  __shared__ float As[2][Tile][Tile];  // (half, row, k)
  __shared__ float Bs[2][Tile][Tile];  // (half, k, col)

  const float* a[2];  // this row in the upper and the lower half of A, moving right
  const float* b[2];  // this column in the left and the right half of B, moving down
  for (int i = 0; i < 2; ++i) {
    a[i] = A + std::size_t(min(row + i * half, n - 1)) * n + tx;
    b[i] = B + std::size_t(ty) * n + min(col + i * half, n - 1);
  }

  float next_a[2], next_b[2];
  const auto fetch = [&](int k0) {
    for (int i = 0; i < 2; ++i) {
      next_a[i] = k0 + tx < n ? *a[i] : 0.0f;
      next_b[i] = k0 + ty < n ? *b[i] : 0.0f;
      a[i] += Tile;
      b[i] += std::size_t(Tile) * n;
    }
  };

  fetch(0);
  for (int k0 = 0; k0 < n; k0 += Tile) {
    for (int i = 0; i < 2; ++i) {
      As[i][ty][tx] = next_a[i];
      Bs[i][ty][tx] = next_b[i];
    }
    __syncthreads();
    if (k0 + Tile < n) fetch(k0 + Tile);
#pragma unroll
    for (int k = 0; k < Tile; ++k) {
      // Neighbouring threads read neighbouring elements of Bs, so that no two share a bank.
      const float b_k[2] = {Bs[0][k][tx], Bs[1][k][tx]};
      for (int i = 0; i < 2; ++i) {
        const float a_k = As[i][ty][k];
        sum[i][0] += a_k * b_k[0];
        sum[i][1] += a_k * b_k[1];
      }
    }
    __syncthreads();
  }
  // lab: end
  if (row >= half || col >= half) return;  // these are the first of the next quarter
  for (int i = 0; i < 2; ++i) {
    for (int j = 0; j < 2; ++j) {
      if (row + i * half < n && col + j * half < n) {
        C[std::size_t(row + i * half) * n + col + j * half] = sum[i][j];
      }
    }
  }
}

template <int Tile>
static void launch_adjacent(const float* A, const float* B, float* C, int n) {
  const dim3 block(Tile, Tile);
  const dim3 grid((n + 2 * Tile - 1) / (2 * Tile), (n + 2 * Tile - 1) / (2 * Tile));
  adjacent_kernel<Tile><<<grid, block>>>(A, B, C, n);
}

template <int Tile>
static void launch_strided(const float* A, const float* B, float* C, int n) {
  const int half = (n + 1) / 2;
  const dim3 block(Tile, Tile);
  const dim3 grid((half + Tile - 1) / Tile, (half + Tile - 1) / Tile);
  strided_kernel<Tile><<<grid, block>>>(A, B, C, n);
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

cudaError_t matmul_2x2(const float* A, const float* B, float* C, int n, int tile) {
  return choose({{8, launch_adjacent<8>}, {16, launch_adjacent<16>}, {32, launch_adjacent<32>}}, A,
                B, C, n, tile);
}

cudaError_t matmul_2x2_strided(const float* A, const float* B, float* C, int n, int tile) {
  return choose({{8, launch_strided<8>}, {16, launch_strided<16>}, {32, launch_strided<32>}}, A, B,
                C, n, tile);
}
