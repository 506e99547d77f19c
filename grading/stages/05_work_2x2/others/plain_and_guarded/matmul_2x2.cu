// No fetching ahead, four named sums, every load guarded; blocks are one long row of threads. One
// kernel does for both functions: what differs is how far the second row and column lie from the
// first, and whose they are.
// Misses: Matmul2x2.FetchesNeighboursTogether: nothing is fetched ahead
// Misses: Matmul2x2Strided.KeepsItsThreadsInDifferentBanks: nothing is fetched ahead

#include "matmul_2x2.hpp"

#include <cstddef>

struct Results {
  int row[2], col[2];
};

template <int Tile>
struct Neighbours {
  static constexpr int padding = 1;  // rows 2 * y and 2 * y + 2 of As then start in other banks
  static __device__ int in_tile(int thread, int i) { return 2 * thread + i; }
  static __device__ int in_matrix(int block, int in_tile, int) {
    return block * 2 * Tile + in_tile;
  }
  static __device__ bool owns(const Results&, int) { return true; }
};

template <int Tile>
struct HalvesApart {
  static constexpr int padding = 0;
  static __device__ int half(int n) { return n - n / 2; }
  static __device__ int in_tile(int thread, int i) { return i * Tile + thread; }
  static __device__ int in_matrix(int block, int in_tile, int n) {
    return block * Tile + in_tile % Tile + in_tile / Tile * half(n);
  }
  static __device__ bool owns(const Results& at, int n) {
    return at.row[0] < half(n) && at.col[0] < half(n);
  }
};

template <int Tile, template <int> class Layout>
__global__ void multiply(const float* A, const float* B, float* C, int n) {
  using Place = Layout<Tile>;
  __shared__ float As[2 * Tile][Tile + Place::padding];  // (row, k)
  __shared__ float Bs[Tile][2 * Tile];                   // (k, col)

  const int x = threadIdx.x % Tile, y = threadIdx.x / Tile;
  float s00 = 0, s01 = 0, s10 = 0, s11 = 0;
  for (int k0 = 0; k0 < n; k0 += Tile) {
    for (int i = 0; i < 2; ++i) {
      const int a_row = Place::in_matrix(blockIdx.y, i * Tile + y, n), a_col = k0 + x;
      const int b_row = k0 + y, b_col = Place::in_matrix(blockIdx.x, i * Tile + x, n);
      const bool has_a = a_row < n && a_col < n, has_b = b_row < n && b_col < n;
      As[i * Tile + y][x] = has_a ? A[std::size_t(a_row) * n + a_col] : 0.0f;
      Bs[y][i * Tile + x] = has_b ? B[std::size_t(b_row) * n + b_col] : 0.0f;
    }
    __syncthreads();
    for (int k = 0; k < Tile; ++k) {
      const float a0 = As[Place::in_tile(y, 0)][k], a1 = As[Place::in_tile(y, 1)][k];
      const float b0 = Bs[k][Place::in_tile(x, 0)], b1 = Bs[k][Place::in_tile(x, 1)];
      s00 += a0 * b0;
      s01 += a0 * b1;
      s10 += a1 * b0;
      s11 += a1 * b1;
    }
    __syncthreads();
  }

  Results at;
  for (int i = 0; i < 2; ++i) {
    at.row[i] = Place::in_matrix(blockIdx.y, Place::in_tile(y, i), n);
    at.col[i] = Place::in_matrix(blockIdx.x, Place::in_tile(x, i), n);
  }
  if (!Place::owns(at, n)) return;
  const auto store = [&](int row, int col, float sum) {
    if (row < n && col < n) C[std::size_t(row) * n + col] = sum;
  };
  store(at.row[0], at.col[0], s00);
  store(at.row[0], at.col[1], s01);
  store(at.row[1], at.col[0], s10);
  store(at.row[1], at.col[1], s11);
}

template <template <int> class Layout>
static cudaError_t run(const float* A, const float* B, float* C, int n, int tile) {
  if (n < 0 || (n > 0 && (!A || !B || !C))) return cudaErrorInvalidValue;
  if (tile != 8 && tile != 16 && tile != 32) return cudaErrorInvalidValue;
  if (n == 0) return cudaSuccess;
  const unsigned blocks = (n + 2 * tile - 1) / (2 * tile);
  const dim3 grid(blocks, blocks);
  if (tile == 8) multiply<8, Layout><<<grid, 64>>>(A, B, C, n);
  if (tile == 16) multiply<16, Layout><<<grid, 256>>>(A, B, C, n);
  if (tile == 32) multiply<32, Layout><<<grid, 1024>>>(A, B, C, n);
  return cudaGetLastError();
}

cudaError_t matmul_2x2(const float* A, const float* B, float* C, int n, int tile) {
  return run<Neighbours>(A, B, C, n, tile);
}

cudaError_t matmul_2x2_strided(const float* A, const float* B, float* C, int n, int tile) {
  return run<HalvesApart>(A, B, C, n, tile);
}
