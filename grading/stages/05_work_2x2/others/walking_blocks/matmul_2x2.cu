// Half as many blocks along each side as C has tiles; each walks over the others. Indices beyond an
// edge are pulled back inside; what they bring is multiplied by zero along k, and not stored
// elsewhere. A and B share one array of tiles, and each product names both of its factors there.
// Misses: Matmul2x2.FetchesNeighboursTogether: nothing is fetched ahead
// Misses: Matmul2x2Strided.KeepsItsThreadsInDifferentBanks: nothing is fetched ahead

#include "matmul_2x2.hpp"

#include <cstddef>

namespace {

struct Matrices {
  const float* A;
  const float* B;
  float* C;
  int n;
};

// Which elements of C are a thread's, and which a block's: row(i) for i in {0, 1}.
struct Adjacent {
  int tile, n;
  __device__ int first(int block, int local) const { return block * 2 * tile + local; }
  __device__ int fetched(int block, int thread, int i) const {
    return first(block, thread + i * tile);
  }
  __device__ int slot(int thread, int i) const { return 2 * thread + i; }
  __device__ int result(int block, int thread, int i) const {
    return first(block, slot(thread, i));
  }
  __device__ bool mine(int, int) const { return true; }
};

struct Apart {
  int tile, n;
  __device__ int half() const { return (n + 1) / 2; }
  __device__ int fetched(int block, int thread, int i) const {
    return block * tile + thread + i * half();
  }
  __device__ int slot(int thread, int i) const { return thread + i * tile; }
  __device__ int result(int block, int thread, int i) const { return fetched(block, thread, i); }
  __device__ bool mine(int block, int thread) const { return block * tile + thread < half(); }
};

template <typename Ownership, int T>
__device__ void one_block_of_results(Matrices m, Ownership own, int block_x, int block_y) {
  // (matrix, k, row of A or column of B), a row longer by one than it need be
  __shared__ float tiles[2][T][2 * T + 1];

  const int tx = threadIdx.x, ty = threadIdx.y, last = m.n - 1;
  float sum[4] = {0, 0, 0, 0};
  for (int k0 = 0; k0 < m.n; k0 += T) {
    __syncthreads();
    for (int i : {0, 1}) {
      const int a_row = min(own.fetched(block_y, ty, i), last);
      const int b_col = min(own.fetched(block_x, tx, i), last);
      const int a_k = min(k0 + tx, last), b_k = min(k0 + ty, last);
      const float a = m.A[std::size_t(a_row) * m.n + a_k];
      const float b = m.B[std::size_t(b_k) * m.n + b_col];
      tiles[0][tx][i * T + ty] = k0 + tx < m.n ? a : 0.0f;
      tiles[1][ty][i * T + tx] = k0 + ty < m.n ? b : 0.0f;
    }
    __syncthreads();
    for (int k = 0; k < T; ++k) {
#pragma unroll
      for (int result = 0; result < 4; ++result) {
        sum[result] = fmaf(tiles[0][k][own.slot(ty, result / 2)],
                           tiles[1][k][own.slot(tx, result % 2)], sum[result]);
      }
    }
  }
  if (!own.mine(block_x, tx) || !own.mine(block_y, ty)) return;
  for (int result = 0; result < 4; ++result) {
    const int row = own.result(block_y, ty, result / 2), col = own.result(block_x, tx, result % 2);
    if (row < m.n && col < m.n) m.C[std::size_t(row) * m.n + col] = sum[result];
  }
}

template <typename Ownership, int T>
__global__ void walk(Matrices m, int blocks) {
  const Ownership own{T, m.n};
  for (int y = blockIdx.y; y < blocks; y += gridDim.y) {
    for (int x = blockIdx.x; x < blocks; x += gridDim.x) {
      one_block_of_results<Ownership, T>(m, own, x, y);
    }
  }
}

template <typename Ownership>
cudaError_t multiply(Matrices m, int tile) {
  if (m.n < 0 || (m.n && (!m.A || !m.B || !m.C))) return cudaErrorInvalidValue;
  const int blocks = (m.n + 2 * tile - 1) / (2 * tile == 0 ? 1 : 2 * tile);
  const unsigned side = (blocks + 1) / 2;
  switch (tile) {
    case 8:
      if (m.n) walk<Ownership, 8><<<dim3(side, side), dim3(8, 8)>>>(m, blocks);
      break;
    case 16:
      if (m.n) walk<Ownership, 16><<<dim3(side, side), dim3(16, 16)>>>(m, blocks);
      break;
    case 32:
      if (m.n) walk<Ownership, 32><<<dim3(side, side), dim3(32, 32)>>>(m, blocks);
      break;
    default:
      return cudaErrorInvalidValue;
  }
  return m.n ? cudaGetLastError() : cudaSuccess;
}

}  // namespace

cudaError_t matmul_2x2(const float* A, const float* B, float* C, int n, int tile) {
  return multiply<Adjacent>({A, B, C, n}, tile);
}

cudaError_t matmul_2x2_strided(const float* A, const float* B, float* C, int n, int tile) {
  return multiply<Apart>({A, B, C, n}, tile);
}
