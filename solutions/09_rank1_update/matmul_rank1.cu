// Stage 9: from two tiles in shared memory to rank-1 updates with one operand in registers.

#include "matmul_rank1.hpp"

#include <cstddef>

// A, B, C: (n, n), row-major, so that element (row, col) lies at row * n + col. That offset needs
// 64 bits: from n = 46,341 on, n * n no longer fits into an int.

constexpr int tile = 32;             // edge of the tiles of A, B and C
constexpr int half_tile = tile / 2;  // rows of threads; a thread has rows ty and half_tile + ty

// Blocks of tile x half_tile threads, x first.
__global__ void two_rows_kernel(const float* A, const float* B, float* C, int n) {
  const int tx = threadIdx.x;
  const int ty = threadIdx.y;
  const int row = blockIdx.y * tile + ty;
  const int col = blockIdx.x * tile + tx;

  float sum[2] = {};  // of C(row, col) and C(row + half_tile, col)
  // lab: begin sum up the products of tiles for both results
  __shared__ float As[tile][tile];  // (row, k)
  __shared__ float Bs[tile][tile];  // (k, col)

  for (int k0 = 0; k0 < n; k0 += tile) {
    for (int i = 0; i < tile; i += half_tile) {
      const bool in_A = row + i < n && k0 + tx < n;
      const bool in_B = k0 + ty + i < n && col < n;
      As[ty + i][tx] = in_A ? A[std::size_t(row + i) * n + k0 + tx] : 0.0f;
      Bs[ty + i][tx] = in_B ? B[std::size_t(k0 + ty + i) * n + col] : 0.0f;
    }
    __syncthreads();  // every thread reads what others brought: both tiles must be complete
#pragma unroll
    for (int k = 0; k < tile; ++k) {
      const float b_k = Bs[k][tx];  // read once, used twice
      sum[0] += As[ty][k] * b_k;
      sum[1] += As[ty + half_tile][k] * b_k;
    }
    __syncthreads();  // the next step overwrites the tiles: everyone must be done reading them
  }
  // lab: end
  for (int i = 0; i < 2; ++i) {
    const int r = row + i * half_tile;
    if (r < n && col < n) C[std::size_t(r) * n + col] = sum[i];
  }
}

// Blocks of tile x half_tile threads, x first.
__global__ void two_rows_transposed_kernel(const float* A, const float* B, float* C, int n) {
  const int tx = threadIdx.x;
  const int ty = threadIdx.y;
  const int row = blockIdx.y * tile + ty;
  const int col = blockIdx.x * tile + tx;

  float sum[2] = {};  // of C(row, col) and C(row + half_tile, col)
  // lab: begin the same, with the tile of B stored transposed
  __shared__ float As[tile][tile];      // (row, k)
  __shared__ float Bt[tile][tile + 1];  // (col, k); the odd row length puts a column into 32 banks

  for (int k0 = 0; k0 < n; k0 += tile) {
    for (int i = 0; i < tile; i += half_tile) {
      const bool in_A = row + i < n && k0 + tx < n;
      const bool in_B = k0 + ty + i < n && col < n;
      As[ty + i][tx] = in_A ? A[std::size_t(row + i) * n + k0 + tx] : 0.0f;
      Bt[tx][ty + i] = in_B ? B[std::size_t(k0 + ty + i) * n + col] : 0.0f;
    }
    __syncthreads();
    // From here on each thread walks along rows: k is the only offset, and known when compiling.
    const float* const a_upper = As[ty];              // (tile)
    const float* const a_lower = As[ty + half_tile];  // (tile)
    const float* const b = Bt[tx];                    // (tile)
#pragma unroll
    for (int k = 0; k < tile; ++k) {
      sum[0] += a_upper[k] * b[k];
      sum[1] += a_lower[k] * b[k];
    }
    __syncthreads();
  }
  // lab: end
  for (int i = 0; i < 2; ++i) {
    const int r = row + i * half_tile;
    if (r < n && col < n) C[std::size_t(r) * n + col] = sum[i];
  }
}

// A block of Threads threads computes Rows rows by Threads * Cols columns of C. A thread's columns
// lie Threads apart, so that neighbouring threads have neighbouring columns in each of its loads
// and stores. Depth: columns of A, rows of B a step.
template <int Threads, int Cols, int Rows, int Depth>
__global__ __launch_bounds__(Threads) void rank1_kernel(const float* A, const float* B, float* C,
                                                        int n) {
  const int t = threadIdx.x;
  const int row0 = blockIdx.y * Rows;
  const int col = blockIdx.x * Threads * Cols + t;

  float sum[Rows][Cols] = {};  // of C(row0 + i, col + j * Threads)
  // lab: begin add up rank-1 updates: a column of a tile of A times a row of B
  // (k, row): the rows of one k lie together, and four come in one load. Four elements of padding
  // keep them aligned, and spread a row of A that is stored down a column over the banks.
  __shared__ __align__(16) float As[Depth][Rows + 4];

  for (int k0 = 0; k0 < n; k0 += Depth) {
    // The thread's columns of B, for this step, go straight to its registers: no other thread of
    // the block wants them. All loads are under way together.
    float b[Depth][Cols];
    if (k0 + Depth <= n && col + (Cols - 1) * Threads < n) {
#pragma unroll
      for (int k = 0; k < Depth; ++k) {
#pragma unroll
        for (int j = 0; j < Cols; ++j) b[k][j] = B[std::size_t(k0 + k) * n + col + j * Threads];
      }
    } else {
#pragma unroll
      for (int k = 0; k < Depth; ++k) {
#pragma unroll
        for (int j = 0; j < Cols; ++j) {
          const bool exists = k0 + k < n && col + j * Threads < n;
          b[k][j] = exists ? B[std::size_t(k0 + k) * n + col + j * Threads] : 0.0f;
        }
      }
    }
    // What all want goes to shared memory: neighbouring threads fetch along the rows of A.
#pragma unroll
    for (int element = t; element < Rows * Depth; element += Threads) {
      const int i = element / Depth;
      const int k = element % Depth;
      const bool exists = row0 + i < n && k0 + k < n;
      As[k][i] = exists ? A[std::size_t(row0 + i) * n + k0 + k] : 0.0f;
    }
    __syncthreads();
#pragma unroll
    for (int k = 0; k < Depth; ++k) {
#pragma unroll
      for (int i = 0; i < Rows; ++i) {
        const float a = As[k][i];  // the same for all threads: a broadcast
#pragma unroll
        for (int j = 0; j < Cols; ++j) sum[i][j] += a * b[k][j];
      }
    }
    __syncthreads();
  }
  // lab: end
#pragma unroll
  for (int i = 0; i < Rows; ++i) {
#pragma unroll
    for (int j = 0; j < Cols; ++j) {
      const int c = col + j * Threads;
      if (row0 + i < n && c < n) C[std::size_t(row0 + i) * n + c] = sum[i][j];
    }
  }
}

static int divide_up(int count, int unit) { return (count + unit - 1) / unit; }

static bool is_valid(const float* A, const float* B, const float* C, int n) {
  return n == 0 || (n > 0 && A && B && C);
}

cudaError_t matmul_two_rows(const float* A, const float* B, float* C, int n) {
  if (!is_valid(A, B, C, n)) return cudaErrorInvalidValue;
  if (n == 0) return cudaSuccess;  // CUDA refuses a grid without blocks
  const dim3 grid(divide_up(n, tile), divide_up(n, tile));
  two_rows_kernel<<<grid, dim3(tile, half_tile)>>>(A, B, C, n);
  return cudaGetLastError();
}

cudaError_t matmul_two_rows_transposed(const float* A, const float* B, float* C, int n) {
  if (!is_valid(A, B, C, n)) return cudaErrorInvalidValue;
  if (n == 0) return cudaSuccess;
  const dim3 grid(divide_up(n, tile), divide_up(n, tile));
  two_rows_transposed_kernel<<<grid, dim3(tile, half_tile)>>>(A, B, C, n);
  return cudaGetLastError();
}

cudaError_t matmul_rank1(const float* A, const float* B, float* C, int n) {
  if (!is_valid(A, B, C, n)) return cudaErrorInvalidValue;
  if (n == 0) return cudaSuccess;
  // muni2009 had 64 threads with one column each; today a thread has registers for four.
  constexpr int threads = 64, cols = 4, rows = 16, depth = 16;
  const dim3 grid(divide_up(n, threads * cols), divide_up(n, rows));
  rank1_kernel<threads, cols, rows, depth><<<grid, threads>>>(A, B, C, n);
  return cudaGetLastError();
}
