// One kernel for all tile sizes, which takes its size from the block: the tiles lie one behind the
// other in dynamic shared memory, rows of A one element longer. No loop can be unrolled beforehand,
// and nothing is fetched ahead. Where a thread's second row and column lie is an argument.
// Misses: Matmul2x2.FetchesNeighboursTogether: nothing is fetched ahead
// Misses: Matmul2x2Strided.KeepsItsThreadsInDifferentBanks: nothing is fetched ahead

#include "matmul_2x2.hpp"

#include <cstddef>

extern __shared__ float tiles[];  // A: (2 * tile, tile + 1), then B: (tile, 2 * tile)

__device__ float at(const float* matrix, int row, int col, int n) {
  if (row >= n || col >= n) return 0.0f;
  return matrix[std::size_t(row) * n + col];
}

// first: of a block's rows or columns. far: from one of a thread's two to the other.
struct Span {
  int first, far;
  bool adjacent;
};

__device__ Span span_of(int block, int tile, int n, bool adjacent) {
  if (adjacent) return {block * 2 * tile, 1, true};
  return {block * tile, (n + 1) / 2, false};
}

// The row or column of the matrix that stands in place i of a block's tile.
__device__ int in_matrix(Span span, int tile, int i) {
  if (span.adjacent) return span.first + i;
  return span.first + i % tile + i / tile * span.far;
}

__global__ void multiply(const float* A, const float* B, float* C, int n, bool adjacent) {
  const int tile = blockDim.x, tx = threadIdx.x, ty = threadIdx.y;
  const Span rows = span_of(blockIdx.y, tile, n, adjacent);
  const Span cols = span_of(blockIdx.x, tile, n, adjacent);
  const int pitch = tile + 1;
  float* const As = tiles;
  float* const Bs = tiles + 2 * tile * pitch;
  const int y0 = adjacent ? 2 * ty : ty, y1 = adjacent ? 2 * ty + 1 : tile + ty;
  const int x0 = adjacent ? 2 * tx : tx, x1 = adjacent ? 2 * tx + 1 : tile + tx;

  const int a_row0 = in_matrix(rows, tile, ty), a_row1 = in_matrix(rows, tile, tile + ty);
  const int b_col0 = in_matrix(cols, tile, tx), b_col1 = in_matrix(cols, tile, tile + tx);
  float s00 = 0, s01 = 0, s10 = 0, s11 = 0;
  for (int k0 = 0; k0 < n; k0 += tile) {
    As[ty * pitch + tx] = at(A, a_row0, k0 + tx, n);
    As[(tile + ty) * pitch + tx] = at(A, a_row1, k0 + tx, n);
    Bs[ty * 2 * tile + tx] = at(B, k0 + ty, b_col0, n);
    Bs[ty * 2 * tile + tile + tx] = at(B, k0 + ty, b_col1, n);
    __syncthreads();
    for (int k = 0; k < tile; ++k) {
      const float a0 = As[y0 * pitch + k], a1 = As[y1 * pitch + k];
      const float b0 = Bs[k * 2 * tile + x0], b1 = Bs[k * 2 * tile + x1];
      s00 += a0 * b0;
      s01 += a0 * b1;
      s10 += a1 * b0;
      s11 += a1 * b1;
    }
    __syncthreads();
  }

  const int row = in_matrix(rows, tile, y0), col = in_matrix(cols, tile, x0);
  if (!adjacent && (row >= rows.far || col >= cols.far)) return;  // the next quarter's
  const bool down = row + rows.far < n, right = col + cols.far < n;
  if (row >= n || col >= n) return;
  float* const c = C + std::size_t(row) * n + col;
  const std::size_t below = std::size_t(rows.far) * n;
  c[0] = s00;
  if (right) c[cols.far] = s01;
  if (down) c[below] = s10;
  if (down && right) c[below + cols.far] = s11;
}

static cudaError_t run(const float* A, const float* B, float* C, int n, int tile, bool adjacent) {
  if (n < 0 || (tile != 8 && tile != 16 && tile != 32)) return cudaErrorInvalidValue;
  if (n == 0) return cudaSuccess;
  if (A == nullptr || B == nullptr || C == nullptr) return cudaErrorInvalidValue;
  const int blocks = (n + 2 * tile - 1) / (2 * tile);
  const std::size_t elements = 2 * tile * (tile + 1) + 2 * tile * tile;
  multiply<<<dim3(blocks, blocks), dim3(tile, tile), elements * sizeof(float)>>>(A, B, C, n,
                                                                                 adjacent);
  return cudaGetLastError();
}

cudaError_t matmul_2x2(const float* A, const float* B, float* C, int n, int tile) {
  return run(A, B, C, n, tile, true);
}

cudaError_t matmul_2x2_strided(const float* A, const float* B, float* C, int n, int tile) {
  return run(A, B, C, n, tile, false);
}
